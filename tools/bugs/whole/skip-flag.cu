/* ggml-org/llama.cpp#13742: each warp decides from shared memory whether to skip a tile; a warp that is
 * ahead overwrites what the others decide by. */
// expect: right
// expect -DBROKEN: rule "waits in __syncthreads()"
#include <cmath>
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

template <int TILE>
__launch_bounds__(TILE) __global__ void masked_sum(const half *__restrict__ mask, const float *__restrict__ k,
                                                   float *__restrict__ out, int tiles)
{
    __shared__ half mask_s[TILE];
    __shared__ float k_s[TILE];
    float acc = 0.f;
    for (int t = 0; t < tiles; ++t) {
        mask_s[threadIdx.x] = mask[t * TILE + threadIdx.x];
        __syncthreads();
        bool skip = true;
        for (int j = threadIdx.x % 32; j < TILE; j += 32)
            skip = skip && __hisinf(mask_s[j]);
#ifndef BROKEN
        if (__syncthreads_and(skip))
#else
        if (__all_sync(0xffffffff, skip))
#endif
            continue;
        k_s[threadIdx.x] = k[t * TILE + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < TILE; ++j)
            if (!__hisinf(mask_s[j]))
                acc += k_s[j] + __half2float(mask_s[j]);
        __syncthreads();
    }
    out[threadIdx.x] = acc;
}

int main()
{
    constexpr int TILE = 96, TILES = 4;
    half host_mask[TILES * TILE];
    float host_k[TILES * TILE], got[TILE], want = 0.f;
    for (int i = 0; i < TILES * TILE; ++i) {
        const bool masked = (i / TILE) % 2 == 0 || i % 3 == 0; // every second tile is masked as a whole
        host_mask[i] = __float2half(masked ? -INFINITY : 1.f);
        host_k[i] = float(i % 5);
        want += masked ? 0.f : host_k[i] + 1.f;
    }
    half *mask;
    float *k, *out;
    cudaMalloc(&mask, sizeof(host_mask));
    cudaMalloc(&k, sizeof(host_k));
    cudaMalloc(&out, sizeof(got));
    cudaMemcpy(mask, host_mask, sizeof(host_mask), cudaMemcpyHostToDevice);
    cudaMemcpy(k, host_k, sizeof(host_k), cudaMemcpyHostToDevice);
    masked_sum<TILE><<<1, TILE>>>(mask, k, out, TILES);
    cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost);
    for (float g : got)
        if (g != want)
            return printf("%g, expected %g\n", g, want), 1;
    return 0;
}
