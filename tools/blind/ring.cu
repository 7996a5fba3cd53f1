/* A token goes round all blocks, each of which waits for the block before it. Prints ns per hop; the number
 * in each printed name is the number of blocks. */
#include "blind.h"
__global__ void pass(unsigned *flags, int rounds, unsigned base)
{
    if (threadIdx.x)
        return;
    unsigned before = (blockIdx.x + gridDim.x - 1) % gridDim.x;
    for (int r = 1; r <= rounds; r++) {
        unsigned wanted = base + (blockIdx.x ? r : r - 1);
        while (*(volatile unsigned *)&flags[32 * before] < wanted) {
        }
        __threadfence();
        *(volatile unsigned *)&flags[32 * blockIdx.x] = base + r;
    }
}
int main()
{
    unsigned *flags = words(32 * 132);
    for (int blocks : {2, 16, 132}) {
        unsigned base = 0;
        CHECK(cudaMemset(flags, 0, 32 * 132 * 4));
        measure("ring", blocks, 10.0 * blocks, [&] {
            pass<<<blocks, 32>>>(flags, 10, base);
            base += 10;
        });
    }
}
