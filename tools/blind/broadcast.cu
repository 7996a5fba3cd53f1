/* One block sets a flag; each other block polls it, and then answers by a flag of its own. The next round
 * begins after all answers. Prints ns per round; the number in each printed name is the number of blocks. */
#include "blind.h"
__global__ void spread(unsigned *flag, unsigned *answers, int rounds, unsigned base)
{
    for (int r = 1; r <= rounds; r++) {
        if (blockIdx.x == 0) {
            if (threadIdx.x == 0) {
                __threadfence();
                *(volatile unsigned *)flag = base + r;
            }
            for (unsigned b = 1 + threadIdx.x; b < gridDim.x; b += blockDim.x)
                while (*(volatile unsigned *)&answers[32 * b] < base + r) {
                }
            __threadfence();
            __syncthreads();
        } else if (threadIdx.x == 0) {
            while (*(volatile unsigned *)flag < base + r) {
            }
            __threadfence();
            *(volatile unsigned *)&answers[32 * blockIdx.x] = base + r;
        }
    }
}
int main()
{
    unsigned *flag = words(32), *answers = words(32 * 132);
    unsigned base = 0;
    for (int blocks : {2, 33, 132})
        measure("broadcast", blocks, 30, [&] {
            spread<<<blocks, 64>>>(flag, answers, 30, base);
            base += 30;
        });
}
