/* A barrier of the grid in which block b tells block b + 2^k in round k. Prints ns per barrier; the number
 * in each printed name is the number of blocks. */
#include "../blind.h"
__global__ void meet(unsigned *flags, int barriers, unsigned base)
{
    for (int i = 1; i <= barriers; i++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            unsigned k = 0;
            for (unsigned far = 1; far < gridDim.x; far *= 2, k++) {
                __threadfence();
                *(volatile unsigned *)&flags[((blockIdx.x + far) % gridDim.x * 8 + k) * 32] = base + i;
                while (*(volatile unsigned *)&flags[(blockIdx.x * 8 + k) * 32] < base + i) {
                }
                __threadfence();
            }
        }
        __syncthreads();
    }
}
int main()
{
    unsigned *flags = words(132 * 8 * 32), base = 0;
    for (int blocks : {4, 32, 132})
        measure("dissemination", blocks, 20, [&] {
            meet<<<blocks, 128>>>(flags, 20, base);
            base += 20;
        });
}
