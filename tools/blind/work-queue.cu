/* Blocks take tiles from a counter until none is left, and sum 256 words of each tile. Prints the time of
 * all blocks together in ns per tile; the number in each printed name is the number of tiles. */
#include "blind.h"
__global__ void take(const unsigned *in, unsigned *out, unsigned *counters, unsigned tiles)
{
    __shared__ unsigned tile;
    unsigned sum = 0;
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0)
            tile = atomicAdd(&counters[0], 1);
        __syncthreads();
        if (tile >= tiles)
            break;
        sum += in[tile * 256 + threadIdx.x];
    }
    out[blockIdx.x * 256 + threadIdx.x] = sum;
    if (threadIdx.x == 0 && atomicAdd(&counters[32], 1) == gridDim.x - 1)
        counters[0] = counters[32] = 0;
}
int main()
{
    unsigned *in = words(4096 * 256), *out = words(132 * 256), *counters = words(64);
    for (int tiles : {264, 1056, 4096})
        measure("work-queue", tiles, tiles, [=] { take<<<132, 256>>>(in, out, counters, tiles); });
}
