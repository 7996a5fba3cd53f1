// Blocks share few workspaces, which a counting semaphore and a bit mask hand out, as in device memory pools.
// a: waiters retry at once; b: they sleep with back-off. ns per use of a workspace; the number: workspaces.
#include "../blind.h"

static const int BLOCKS = 96, THREADS = 64, USES = 3, WORDS = 4 * THREADS;

/* Takes a workspace: first one unit of the semaphore, and then a set bit of the mask, which must have one. */
template <bool BACKOFF>
static __device__ int acquire(int *units, unsigned *mask)
{
    unsigned pause = 100;
    for (;;) {
        int count = *(volatile int *)units;
        if (count > 0 && atomicCAS(units, count, count - 1) == count)
            break;
        if (BACKOFF) {
            __nanosleep(pause);
            pause = min(2 * pause, 1600u);
        }
    }
    __threadfence();
    for (;;) {
        unsigned free = *(volatile unsigned *)mask;
        if (free == 0)
            continue;
        unsigned bit = free & -free;
        if (atomicAnd(mask, ~bit) & bit) {
            __threadfence();
            return __ffs(bit) - 1;
        }
    }
}

static __device__ void release(int *units, unsigned *mask, int workspace)
{
    __threadfence();
    atomicOr(mask, 1u << workspace);
    __threadfence();
    atomicAdd(units, 1);
}

template <bool BACKOFF>
__global__ void use(int *units, unsigned *mask, unsigned *workspaces, unsigned *output)
{
    __shared__ int workspace;
    unsigned me = threadIdx.x, result = 0;
    for (int u = 0; u < USES; u++) {
        if (me == 0)
            workspace = acquire<BACKOFF>(units, mask);
        __syncthreads();
        unsigned *mine = workspaces + workspace * WORDS;
        for (int i = me; i < WORDS; i += THREADS)
            mine[i] = (blockIdx.x + u) * i;
        __syncthreads();
        for (int i = me; i < WORDS; i += THREADS)
            result = result * 3 + mine[(i + 37) % WORDS];
        __syncthreads();
        if (me == 0)
            release(units, mask, workspace);
    }
    output[blockIdx.x * THREADS + me] = result;
}

static void verify(unsigned *output)
{
    std::vector<unsigned> got(BLOCKS * THREADS);
    CHECK(cudaMemcpy(got.data(), output, got.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (int t = 0; t < BLOCKS * THREADS; t++) {
        unsigned result = 0;
        for (int u = 0; u < USES; u++)
            for (int i = t % THREADS; i < WORDS; i += THREADS)
                result = result * 3 + (t / THREADS + u) * ((i + 37) % WORDS);
        if (got[t] != result) {
            fprintf(stderr, "semaphore-pool: result %d is %u, not %u\n", t, got[t], result);
            exit(1);
        }
    }
    CHECK(cudaMemset(output, 0, got.size() * sizeof(unsigned)));
}

int main()
{
    for (int count : {1, 4, 16}) {
        unsigned *units = words(32), *mask = words(32), *workspaces = words(count * WORDS);
        unsigned *output = words(BLOCKS * THREADS), bits = (1u << count) - 1;
        CHECK(cudaMemcpy(units, &count, sizeof count, cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(mask, &bits, sizeof bits, cudaMemcpyHostToDevice));
        measure("semaphore-pool-a", count, BLOCKS * USES,
                [&] { use<false><<<BLOCKS, THREADS>>>((int *)units, mask, workspaces, output); });
        verify(output);
        measure("semaphore-pool-b", count, BLOCKS * USES,
                [&] { use<true><<<BLOCKS, THREADS>>>((int *)units, mask, workspaces, output); });
        verify(output);
        for (unsigned *p : {units, mask, workspaces, output})
            CHECK(cudaFree(p));
    }
    return 0;
}
