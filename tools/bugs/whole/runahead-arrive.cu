/* flashinfer-ai/flashinfer#4732: barrier.cta.arrive runs ahead of barrier.cta.sync: a second arrival at
 * the same barrier before the first phase is complete. Also (#3700), vllm-project/vllm#26026. */
// expect: right
// expect -DBROKEN: rule "barrier 1"
#include <cstdio>
#include <cuda_runtime.h>

__device__ __forceinline__ void bar_arrive(int id, int threads)
{
    asm volatile("barrier.cta.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__device__ __forceinline__ void bar_sync(int id, int threads)
{
    asm volatile("barrier.cta.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

#ifndef BROKEN
enum { FREE = 1, FULL = 3, STAGES = 2, TILE = 32, IO = 32, MATH = 64, ALL = IO + MATH };
#else
enum { FREE = 1, FULL = 2, STAGES = 2, TILE = 32, IO = 32, MATH = 64, ALL = IO + MATH };
#endif

__global__ void __launch_bounds__(ALL) tile_sums(const int *__restrict__ in, int *__restrict__ out, int tiles)
{
    __shared__ int ring[STAGES][TILE];
    if (threadIdx.x < IO) {
        for (int t = 0; t < tiles; ++t) {
            if (t >= STAGES)
#ifndef BROKEN
                bar_sync(FREE + t % STAGES, ALL);
#else
                bar_sync(FREE, ALL);
#endif
            ring[t % STAGES][threadIdx.x] = in[t * TILE + threadIdx.x];
            bar_arrive(FULL + t % STAGES, ALL);
        }
    } else {
        const int m = threadIdx.x - IO;
        int acc = 0;
        for (int t = 0; t < tiles; ++t) {
            bar_sync(FULL + t % STAGES, ALL);
            for (int i = 0; i < TILE; ++i)
                acc += ring[t % STAGES][i] * (m + 1);
            if (t + STAGES < tiles)
#ifndef BROKEN
                bar_arrive(FREE + t % STAGES, ALL);
#else
                bar_arrive(FREE, ALL);
#endif
        }
        out[m] = acc;
    }
}

int main()
{
    constexpr int tiles = 8;
    int host[tiles * TILE], got[MATH], sum = 0, *in, *out;
    for (int i = 0; i < tiles * TILE; ++i)
        sum += host[i] = i % 13;
    cudaMalloc(&in, sizeof(host));
    cudaMalloc(&out, sizeof(got));
    cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
    tile_sums<<<1, ALL>>>(in, out, tiles);
    if (cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost) != cudaSuccess)
        return 2;
    for (int m = 0; m < MATH; ++m)
        if (got[m] != sum * (m + 1))
            return printf("%d, expected %d\n", got[m], sum * (m + 1)), 1;
    return 0;
}
