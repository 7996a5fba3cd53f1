// Lanes of a warp that name different barriers at one instruction arrive at each of them.
//
// expect: right
// expect -DCROSSED: race "exchanged[threadIdx.x] = threadIdx.x" "exchanged[threadIdx.x ^ 32]"
#include <cuda_runtime.h>

__global__ void swap(int *out)
{
    __shared__ int exchanged[64];
    exchanged[threadIdx.x] = threadIdx.x;
#ifdef CROSSED
    int barrier = 1 + (threadIdx.x % 32 / 16 ^ threadIdx.x / 32);
#else
    int barrier = 1 + threadIdx.x % 32 / 16;
#endif
    asm volatile("barrier.cta.sync %0, 32;" ::"r"(barrier) : "memory");
    out[threadIdx.x] = exchanged[threadIdx.x ^ 32];
}

int main()
{
    int *out, got[64];
    cudaMalloc(&out, sizeof got);
    swap<<<1, 64>>>(out);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    for (int t = 0; t < 64; t++)
        if (got[t] != (t ^ 32))
            return 1;
    return 0;
}
