/* A sense-reversing barrier of the grid. Prints ns per round; the number in each printed name is the number
 * of blocks. */
#include "blind.h"
__device__ unsigned arrived, sense;
__device__ void barrier(unsigned *own)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        *own = !*own;
        __threadfence();
        if (atomicAdd(&arrived, 1) == gridDim.x - 1) {
            arrived = 0;
            __threadfence();
            *(volatile unsigned *)&sense = *own;
        } else {
            while (*(volatile unsigned *)&sense != *own) {
            }
        }
        __threadfence();
    }
    __syncthreads();
}
__global__ void meet(int rounds)
{
    __shared__ unsigned own;
    if (threadIdx.x == 0)
        own = *(volatile unsigned *)&sense;
    for (int r = 0; r < rounds; r++)
        barrier(&own);
}
int main()
{
    for (int blocks : {8, 33, 66, 132})
        measure("sense-barrier", blocks, 50, [=] { meet<<<blocks, 128>>>(50); });
}
