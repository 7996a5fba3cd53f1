/* A sum over all values, in which the last block to finish adds up the blocks' sums. Prints ns per sum;
 * the number in each printed name is the number of values. */
#include "blind.h"
__device__ unsigned done;
__global__ void sum(const float *in, float *partial, float *out, int n)
{
    __shared__ float warps[8];
    __shared__ bool last;
    float value = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        value += in[i];
    for (int d = 16; d; d /= 2)
        value += __shfl_down_sync(0xffffffffu, value, d);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++)
            value += warps[w];
        partial[blockIdx.x] = value;
        __threadfence();
        last = atomicInc(&done, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!last)
        return;
    value = threadIdx.x < gridDim.x ? partial[threadIdx.x] : 0;
    for (int d = 16; d; d /= 2)
        value += __shfl_down_sync(0xffffffffu, value, d);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++)
            value += warps[w];
        *out = value;
    }
}
int main()
{
    float *in = (float *)words(1 << 20), *partial = (float *)words(256), *out = (float *)words(1);
    for (int n : {1 << 12, 1 << 16, 1 << 20}) {
        int blocks = n / 1024 < 256 ? n / 1024 : 256;
        measure("last-block-sum", n, 1, [=] { sum<<<blocks, 256>>>(in, partial, out, n); });
    }
}
