/* Two blocks hand over data to each other, and all of their threads execute each fence. With -DBROKEN the
 * first fence is missing, so that nothing releases what the second block wrote. Threads that do not poll may
 * execute the last fence early; then this fence happens to order that write. */
// expect: right
// expect -DBROKEN --runs 200: race "out[own] = data[other]" "data[own] = 1"
__device__ int data[128], out[128];
__device__ volatile int flag;

__global__ void hand_over()
{
    unsigned own = blockIdx.x * 64 + threadIdx.x, other = (1 - blockIdx.x) * 64 + (threadIdx.x ^ 1);
    data[own] = 1;
#ifndef BROKEN
    __threadfence();
#endif
    __syncthreads();
    if (blockIdx.x == 0) {
        if (threadIdx.x == 1)
            while (flag == 0) {
            }
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 1)
            flag = 0;
    } else {
        if (threadIdx.x == 0) {
            flag = 1;
            while (flag == 1) {
            }
        }
        __threadfence();
        __syncthreads();
    }
    out[own] = data[other];
}

int main()
{
    hand_over<<<2, 64>>>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
