#include "micro/gpus/nccl_lsa.cuh"

#ifdef HAS_NCCL_LSA

#include "harness/check.h"
#include "harness/launch.cuh"
#include "micro/gpus/nccl.h"
#include "sync/counter.cuh"

#include <nccl_device.h>
#include <stdio.h>

static struct {
    ncclDevComm communicator;
    gpusync_grid_barrier grid;
} lsa[GPUSYNC_MOST_GPUS];

void need_nccl_device(ncclResult_t result, const char *what)
{
    char reason[REASON_BYTES];
    const char *last = result == ncclSuccess ? "" : ncclGetLastError(NULL);
    snprintf(reason, sizeof reason, "%s: %s%s%s", what, ncclGetErrorString(result), last && *last ? ": " : "",
             last ? last : "");
    need_library("NCCL's device API", result == ncclSuccess, reason);
}

bool nccl_lsa_is_there()
{
    return true;
}

void nccl_lsa_open(const struct gpus *gpus, unsigned blocks)
{
#ifdef NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER
    /* NCCL has this macro in versions after 2.28 */
    ncclDevCommRequirements requirements = NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER;
#else
    ncclDevCommRequirements requirements = {};
#endif
    requirements.lsaBarrierCount = (int)blocks;
    ncclResult_t created = ncclSuccess;
    need_nccl_device(ncclGroupStart(), "ncclGroupStart");
    for (unsigned g = 0; g < gpus->count; g++) {
        CHECK(cudaSetDevice(gpus->devices[g]));
        ncclResult_t of_gpu =
            ncclDevCommCreate((ncclComm_t)nccl_communicator(g), &requirements, &lsa[g].communicator);
        created = created == ncclSuccess ? of_gpu : created;
    }
    /* a group of NCCL calls that was begun must end, even after an error */
    ncclResult_t ended = ncclGroupEnd();
    CHECK(cudaSetDevice(gpus->devices[0]));
    need_nccl_device(created == ncclSuccess ? ended : created, "ncclDevCommCreate");
    for (unsigned g = 0; g < gpus->count; g++) {
        CHECK(cudaSetDevice(gpus->devices[g]));
        CHECK(gpusync_grid_barrier_create(&lsa[g].grid, blocks));
        if (lsa[g].communicator.lsaSize != (int)gpus->count)
            cannot_measure("NCCL reaches %d of %u GPUs by loads and stores", lsa[g].communicator.lsaSize,
                           gpus->count);
    }
    CHECK(cudaSetDevice(gpus->devices[0]));
}

const ncclDevComm *nccl_lsa_communicator(unsigned gpu)
{
    return &lsa[gpu].communicator;
}
gpusync_grid_barrier nccl_lsa_grid(unsigned gpu)
{
    return lsa[gpu].grid;
}

void nccl_lsa_close(const struct gpus *gpus)
{
    for (unsigned g = 0; g < gpus->count; g++) {
        CHECK(cudaSetDevice(gpus->devices[g]));
        need_nccl_device(ncclDevCommDestroy((ncclComm_t)nccl_communicator(g), &lsa[g].communicator),
                         "ncclDevCommDestroy");
        CHECK(gpusync_grid_barrier_destroy(&lsa[g].grid));
    }
    CHECK(cudaSetDevice(gpus->devices[0]));
}

/* Executes all rounds. In each, the blocks of a GPU first synchronize, and then each block synchronizes with
 * the same block of the other GPUs. So it knows that all blocks of those GPUs have arrived. */
static __global__ void rounds_with_lsa(Exchange exchange, ncclDevComm communicator,
                                       gpusync_grid_barrier memory)
{
    Counter grid;
    ncclLsaBarrierSession<ncclCoopCta> gpus(ncclCoopCta(), communicator, ncclTeamTagLsa(), block_in_grid());
    grid.begin(memory);
    for (unsigned r = 0; r < exchange.rounds; r++) {
        exchange.leave(r);
        exchange.come_late();
        grid.sync();
        gpus.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
        exchange.find(r);
    }
    grid.end();
}

void nccl_lsa_rounds(const Exchange &exchange, cudaStream_t stream)
{
    launch_shape shape = {exchange.blocks, exchange.workers, 0, true, false};
    CHECK(launch(rounds_with_lsa, shape, stream, exchange, lsa[exchange.me].communicator,
                 lsa[exchange.me].grid));
}

int nccl_lsa_resident_blocks(unsigned threads)
{
    return resident_blocks_per_sm(rounds_with_lsa, threads, 0);
}

#else

bool nccl_lsa_is_there()
{
    return false;
}
void nccl_lsa_open(const struct gpus *, unsigned) {}
void nccl_lsa_close(const struct gpus *) {}
void nccl_lsa_rounds(const Exchange &, cudaStream_t) {}
int nccl_lsa_resident_blocks(unsigned)
{
    return 0;
}

#endif
