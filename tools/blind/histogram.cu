/* All threads add to a few or to many bins in global memory by atomics. Prints ns per launch of 132 blocks;
 * the number in each printed name is the number of bins. */
#include "blind.h"
__global__ void count(unsigned *bins, unsigned mask, int each)
{
    unsigned x = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u;
    for (int i = 0; i < each; i++) {
        atomicAdd(&bins[x >> 8 & mask], 1);
        x = x * 1664525u + 1013904223u;
    }
}
int main()
{
    unsigned *bins = words(65536);
    for (int size : {1, 32, 1024, 65536})
        measure("histogram", size, 1, [=] { count<<<132, 256>>>(bins, size - 1, 8); });
}
