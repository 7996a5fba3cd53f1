/* apache/tvm#12274: a shuffle reads lanes that are not in its mask (a row of 11 values, steps of 8, 4,
 * 2, 1). arrayfire/arrayfire#3575 is the same mistake. */
// expect: right
// expect -DBROKEN: rule "lane 12"
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>

template <typename T>
__device__ __forceinline__ T max_down(T v, unsigned mask)
{
#pragma unroll
    for (int d = 8; d > 0; d >>= 1)
        v = max(v, __shfl_down_sync(mask, v, d));
    return v;
}

__global__ void row_max(const float *__restrict__ in, float *__restrict__ out, int cols)
{
    const int lane = threadIdx.x, row = threadIdx.y;
#ifndef BROKEN
    const float mine = lane < cols ? in[row * cols + lane] : -FLT_MAX;
    const float best = max_down(mine, 0xffffffffu);
    if (lane == 0)
        out[row] = best;
#else
    const unsigned mask = __ballot_sync(0xffffffffu, lane < cols);
    if (lane < cols) {
        const float best = max_down(in[row * cols + lane], mask);
        if (lane == 0)
            out[row] = best;
    }
#endif
}

int main()
{
    constexpr int rows = 4, cols = 11;
    float host[rows * cols], got[rows], *in, *out;
    for (int i = 0; i < rows * cols; ++i)
        host[i] = -1.f - float((i * 7) % cols);
    cudaMalloc(&in, sizeof(host));
    cudaMalloc(&out, sizeof(got));
    cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
    row_max<<<1, dim3(32, rows)>>>(in, out, cols);
    cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost);
    for (float g : got)
        if (g != -1.f)
            return printf("%g, expected -1\n", g), 1;
    return 0;
}
