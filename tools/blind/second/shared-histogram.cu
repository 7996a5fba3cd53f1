/* A histogram: each block counts in shared memory, and then adds every bin to global memory. Prints ns per
 * launch of 132 blocks; the number in each printed name is the number of bins. */
#include "../blind.h"
__global__ void count(unsigned *bins, unsigned size, int each)
{
    __shared__ unsigned own[1024];
    for (unsigned b = threadIdx.x; b < size; b += blockDim.x)
        own[b] = 0;
    __syncthreads();
    unsigned x = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u;
    for (int i = 0; i < each; i++) {
        atomicAdd(&own[x >> 8 & (size - 1)], 1);
        x = x * 1664525u + 1013904223u;
    }
    __syncthreads();
    for (unsigned b = threadIdx.x; b < size; b += blockDim.x)
        atomicAdd(&bins[b], own[b]);
}
int main()
{
    unsigned *bins = words(1024);
    for (unsigned size : {16u, 256u, 1024u})
        measure("shared-histogram", (int)size, 1, [=] { count<<<132, 256>>>(bins, size, 32); });
}
