/* More blocks than the checker keeps resident at first. It keeps few, whose data fit into a processor's
 * cache, and more when the resident ones wait. With -DBARRIER, 128 blocks wait at a barrier without a
 * cooperative launch. The other kernel reads and writes 262,144 words in each of 10 launches; a run
 * needs less than 128 MiB for them. */
// expect --runs 12 --memory-limit 128: right
// expect --runs 12 --memory-limit 128 -DRACE: race "b[i + 1] = x; // the last block's neighbour"
// expect --runs 12 -DBARRIER: right
// expect --runs 12 -DBARRIER -DRELAXED: race "sum += parts[b]; // after the barrier" "mend: a release"
#include "tools/bugs/bug.h"
#include <cuda/atomic>
#define BLOCKS 1024
#define THREADS 256
#define WORDS (BLOCKS * THREADS)

__device__ unsigned arrived, count, parts[128];
__device__ float first[WORDS], second[WORDS];

__global__ void smooth(float *b, const float *a)
{
    __shared__ float tile[THREADS + 2];
    unsigned i = blockIdx.x * THREADS + threadIdx.x, t = threadIdx.x + 1;
    tile[t] = a[i];
    if (t == 1)
        tile[0] = a[i ? i - 1 : 0];
    if (t == THREADS)
        tile[t + 1] = a[i + 1 < WORDS ? i + 1 : i];
    __syncthreads();
    float x = 0.5f * tile[t] + 0.25f * (tile[t - 1] + tile[t + 1]);
    b[i] = x;
    if (t == 1)
        atomicAdd(&count, 1);
#ifdef RACE
    if (i == WORDS - THREADS - 1)
        b[i + 1] = x; // the last block's neighbour
#endif
}

__global__ void barrier(unsigned *sums)
{
    unsigned sum = 0;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = 1;
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> all(arrived);
#ifdef RELAXED
        all.fetch_add(1, cuda::memory_order_relaxed);
        while (all.load(cuda::memory_order_relaxed) < gridDim.x)
            ;
#else
        all.fetch_add(1, cuda::memory_order_release);
        while (all.load(cuda::memory_order_acquire) < gridDim.x)
            ;
#endif
    }
    __syncthreads();
    for (unsigned b = 0; b < gridDim.x; b++)
        sum += parts[b]; // after the barrier
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main()
{
#if defined BARRIER
    barrier<<<128, 128>>>(new_array<unsigned>(128 * 128));
#else
    float *a, *b;
    CHECK(cudaGetSymbolAddress((void **)&a, first));
    CHECK(cudaGetSymbolAddress((void **)&b, second));
    for (int i = 0; i < 5; i++) {
        smooth<<<BLOCKS, THREADS>>>(b, a);
        smooth<<<BLOCKS, THREADS>>>(a, b);
    }
#endif
    return ended();
}
