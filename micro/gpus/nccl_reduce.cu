#include "micro/gpus/nccl_reduce.cuh"
#include "micro/gpus/nccl_lsa.cuh"

#ifdef HAS_NCCL_LSA

#include "harness/check.h"
#include "harness/launch.cuh"
#include "micro/gpus/all_reduce_others.cuh"
#include "micro/gpus/nccl.h"
#include "sync/counter.cuh"

#include <nccl_device.h>

static struct {
    void *memory;
    ncclWindow_t window;
} of_gpu[GPUSYNC_MOST_GPUS];

void nccl_reduce_open(const struct gpus *gpus, unsigned elements)
{
    size_t bytes = 2 * (size_t)gpus->count * elements * sizeof(unsigned);
    ncclResult_t registered = ncclSuccess;
    for (unsigned g = 0; g < gpus->count; g++) {
        CHECK(cudaSetDevice(gpus->devices[g]));
        ncclResult_t allocated = ncclMemAlloc(&of_gpu[g].memory, bytes);
        CHECK(cudaSetDevice(gpus->devices[0]));
        need_nccl_device(allocated, "ncclMemAlloc");
    }
    need_nccl_device(ncclGroupStart(), "ncclGroupStart");
    for (unsigned g = 0; g < gpus->count; g++) {
        CHECK(cudaSetDevice(gpus->devices[g]));
        ncclResult_t result = ncclCommWindowRegister((ncclComm_t)nccl_communicator(g), of_gpu[g].memory,
                                                     bytes, &of_gpu[g].window, NCCL_WIN_COLL_SYMMETRIC);
        registered = registered == ncclSuccess ? result : registered;
    }
    ncclResult_t ended = ncclGroupEnd();
    CHECK(cudaSetDevice(gpus->devices[0]));
    need_nccl_device(registered == ncclSuccess ? ended : registered, "ncclCommWindowRegister");
}

void nccl_reduce_close(const struct gpus *gpus)
{
    for (unsigned g = 0; g < gpus->count; g++) {
        CHECK(cudaSetDevice(gpus->devices[g]));
        need_nccl_device(ncclCommWindowDeregister((ncclComm_t)nccl_communicator(g), of_gpu[g].window),
                         "ncclCommWindowDeregister");
        need_nccl_device(ncclMemFree(of_gpu[g].memory), "ncclMemFree");
    }
    CHECK(cudaSetDevice(gpus->devices[0]));
}

/* Returns where, in the window of GPU `at`, GPU `from` stores its numbers: [half][from][element]. */
static __device__ __forceinline__ unsigned *vector_of(ncclWindow_t window, unsigned at, unsigned from,
                                                      unsigned elements)
{
    return (unsigned *)ncclGetLsaPointer(window, (size_t)from * elements * sizeof(unsigned), (int)at);
}

template <unsigned GPUS, bool SHARE>
static __global__ void reduce_with_lsa(nccl_reduce_rounds r, ncclDevComm communicator, ncclWindow_t window,
                                       gpusync_grid_barrier memory)
{
    const unsigned n = r.elements, first = (unsigned)((unsigned long long)n * blockIdx.x / r.blocks),
                   end = (unsigned)((unsigned long long)n * (blockIdx.x + 1) / r.blocks);
    unsigned *to[GPUS], *from[GPUS], wrong = 0;
    for (unsigned g = 0; g < GPUS; g++) {
        to[g] = vector_of(window, SHARE ? r.me : g, r.me, n);
        from[g] = vector_of(window, SHARE ? g : r.me, g, n);
    }
    ncclLsaBarrierSession<ncclCoopCta> all(ncclCoopCta(), communicator, ncclTeamTagLsa(), blockIdx.x);
    Counter grid;
    grid.begin(memory);
    for (unsigned round = r.first_round; round != r.first_round + r.rounds; round++) {
        const size_t half = (size_t)(round % 2) * GPUS * n;
        for (unsigned i = first + threadIdx.x; i < end; i += blockDim.x) {
            unsigned value = all_reduce_value(r.me, round, i);
            for (unsigned g = 0; g < (SHARE ? 1 : GPUS); g++)
                to[g][half + i] = value;
        }
        if (!SHARE)
            grid.sync();
        all.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
        UNROLL(4)
        for (unsigned i = (SHARE ? first : 0) + threadIdx.x; i < (SHARE ? end : n); i += blockDim.x) {
            unsigned sum = 0;
            for (unsigned g = 0; g < GPUS; g++)
                sum += from[g][half + i];
            wrong += sum != all_reduce_sum<GPUS>(round, i);
        }
    }
    grid.end();
    if (wrong)
        atomicAdd(r.wrong, wrong);
}

typedef void (*reduce_kernel)(nccl_reduce_rounds, ncclDevComm, ncclWindow_t, gpusync_grid_barrier);

template <bool SHARE>
static reduce_kernel kernel_of(unsigned gpus)
{
    return gpus == 1   ? reduce_with_lsa<1, SHARE>
           : gpus == 2 ? reduce_with_lsa<2, SHARE>
           : gpus == 3 ? reduce_with_lsa<3, SHARE>
           : gpus == 4 ? reduce_with_lsa<4, SHARE>
                       : reduce_with_lsa<8, SHARE>;
}

void nccl_reduce(const nccl_reduce_rounds &rounds, bool share, cudaStream_t stream)
{
    const ncclDevComm communicator = *nccl_lsa_communicator(rounds.me);
    const unsigned gpus = (unsigned)communicator.lsaSize;
    launch_shape shape = {rounds.blocks, rounds.threads, 0, true, false};
    CHECK(launch(share ? kernel_of<true>(gpus) : kernel_of<false>(gpus), shape, stream, rounds, communicator,
                 of_gpu[rounds.me].window, nccl_lsa_grid(rounds.me)));
}

int nccl_reduce_resident_blocks(unsigned threads)
{
    return resident_blocks_per_sm(reduce_with_lsa<8, false>, threads, 0);
}

#else

void nccl_reduce_open(const struct gpus *, unsigned) {}
void nccl_reduce_close(const struct gpus *) {}
void nccl_reduce(const nccl_reduce_rounds &, bool, cudaStream_t) {}
int nccl_reduce_resident_blocks(unsigned)
{
    return 0;
}

#endif
