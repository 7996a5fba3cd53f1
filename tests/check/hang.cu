/* The blocks of this program wait for one arrival more than there are blocks. With -DGRID they wait for
 * blocks for which the device has no room. */
// expect --runs 12: hang "while (*(volatile unsigned *)&arrived < all"
// expect -DGRID --runs 2: hang "wait for a free multiprocessor"
__device__ unsigned arrived;

__global__ void wait_for_all(unsigned all)
{
    if (threadIdx.x == 0) {
        atomicAdd(&arrived, 1);
        while (*(volatile unsigned *)&arrived < all) {
        }
    }
    __syncthreads();
}

int main()
{
#ifdef GRID
    wait_for_all<<<400, 1024>>>(400);
#else
    wait_for_all<<<2, 64>>>(3);
#endif
    return cudaDeviceSynchronize() != cudaSuccess;
}
