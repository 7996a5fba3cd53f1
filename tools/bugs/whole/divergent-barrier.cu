/* ggml-org/llama.cpp#27678: __syncthreads() inside a branch that only some warps of the block take. Also
 * #27870 (also pytorch/FBGEMM#5857). */
// expect: right
// expect -DBROKEN: rule "waits in __syncthreads() at"
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>

template <int WARPS, int NP>
__global__ void combine_partials(const float2 *__restrict__ parts, float *__restrict__ out)
{
    __shared__ float2 meta[WARPS][32]; // maximum and sum of each part
    const int lane = threadIdx.x, warp = threadIdx.y;
    meta[warp][lane] = parts[warp * 32 + lane];
#ifndef BROKEN
    __syncthreads();
#endif
    if (warp % NP == 0) {
#ifdef BROKEN
        __syncthreads();
#endif
        float2 all = meta[warp][lane];
#pragma unroll
        for (int i = 1; i < NP; ++i) {
            const float2 other = meta[warp + i][lane];
            const float top = fmaxf(all.x, other.x);
            all.y = all.y * exp2f(all.x - top) + other.y * exp2f(other.x - top);
            all.x = top;
        }
        meta[warp][lane] = all;
    }
    __syncthreads();
    out[warp * 32 + lane] = meta[warp - warp % NP][lane].y;
}

int main()
{
    constexpr int WARPS = 4, NP = 2;
    float2 host[WARPS * 32], *parts;
    float got[WARPS * 32], *out;
    for (int i = 0; i < WARPS * 32; ++i)
        host[i] = make_float2(float(i / 32 % NP), 1.f);
    cudaMalloc(&parts, sizeof(host));
    cudaMalloc(&out, sizeof(got));
    cudaMemcpy(parts, host, sizeof(host), cudaMemcpyHostToDevice);
    combine_partials<WARPS, NP><<<1, dim3(32, WARPS)>>>(parts, out);
    cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost);
    for (float g : got)
        if (g != 1.5f)
            return printf("%g, expected 1.5\n", g), 1;
    return 0;
}
