/* Prefix sums within a block, with shuffles, shared memory and __syncthreads. Prints ns per scan; the number
 * in each printed name is the number of threads. */
#include "blind.h"
__global__ void scan(unsigned *data, int rounds)
{
    __shared__ unsigned warps[32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, value = data[threadIdx.x];
    for (int r = 0; r < rounds; r++) {
        for (int d = 1; d < 32; d *= 2) {
            unsigned other = __shfl_up_sync(0xffffffffu, value, d);
            if (lane >= (unsigned)d)
                value += other;
        }
        if (lane == 31)
            warps[warp] = value;
        __syncthreads();
        if (warp == 0) {
            unsigned sum = lane < blockDim.x / 32 ? warps[lane] : 0;
            for (int d = 1; d < 32; d *= 2) {
                unsigned other = __shfl_up_sync(0xffffffffu, sum, d);
                if (lane >= (unsigned)d)
                    sum += other;
            }
            warps[lane] = sum;
        }
        __syncthreads();
        value += warp ? warps[warp - 1] : 0;
        __syncthreads();
    }
    data[threadIdx.x] = value;
}
int main()
{
    unsigned *data = words(1024);
    for (int threads : {32, 128, 512, 1024})
        measure("block-scan", threads, 200, [=] { scan<<<1, threads>>>(data, 200); });
}
