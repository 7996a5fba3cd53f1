// The last block of a sum adds the others' parts. Without a fence after its count it may read old parts, but
// only if its own fence came before that of another block: the order of two fences is no order of the parts.
//
// expect: right
// expect -DBROKEN --runs 2: race "total += parts[b]" "parts[blockIdx.x] = blockIdx.x"
#include <cuda_runtime.h>

enum { BLOCKS = 3 };
__device__ unsigned arrived;

__global__ void sum(int *parts, int *out)
{
    parts[blockIdx.x] = blockIdx.x;
    __threadfence();
    if (atomicAdd(&arrived, 1) != BLOCKS - 1)
        return;
#ifndef BROKEN
    __threadfence();
#endif
    int total = 0;
    for (int b = 0; b < BLOCKS; b++)
        total += parts[b];
    *out = total;
}

int main()
{
    int *parts, *out, got;
    cudaMalloc(&parts, BLOCKS * sizeof *parts);
    cudaMalloc(&out, sizeof *out);
    sum<<<BLOCKS, 1>>>(parts, out);
    cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost);
    return got != 3;
}
