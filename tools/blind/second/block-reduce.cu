/* A block computes a sum by a tree in shared memory, 50 times. Prints ns per sum; the number in each printed
 * name is the number of threads. */
#include "../blind.h"
__global__ void reduce(unsigned *out, int rounds)
{
    __shared__ unsigned sums[1024];
    unsigned value = threadIdx.x;
    for (int r = 0; r < rounds; r++) {
        sums[threadIdx.x] = value;
        __syncthreads();
        for (unsigned half = blockDim.x / 2; half; half /= 2) {
            if (threadIdx.x < half)
                sums[threadIdx.x] += sums[threadIdx.x + half];
            __syncthreads();
        }
        value = sums[0] + threadIdx.x;
        __syncthreads();
    }
    out[threadIdx.x] = value;
}
int main()
{
    unsigned *out = words(1024);
    for (int threads : {64, 256, 1024})
        measure("block-reduce", threads, 50, [=] { reduce<<<1, threads>>>(out, 50); });
}
