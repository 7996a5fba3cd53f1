/* CUB's algorithms for warps and blocks, by the header <cub/cub.cuh>, and cuRAND's functions for kernels. */
// expect: right
// expect -DNO_BARRIER: race "storage["
#include <cub/cub.cuh>
#include <curand_kernel.h>

typedef cub::BlockRadixSort<int, 64, 1> block_sort;
typedef cub::BlockReduce<int, 64> block_reduce;

__global__ void sort(int *out, int *largest)
{
    __shared__ union {
        block_sort::TempStorage of_sort;
        block_reduce::TempStorage of_reduce;
    } storage;
    curandStatePhilox4_32_10_t random;
    curand_init(7, threadIdx.x, 0, &random);
    int key[1] = {(int)(1000 * curand_uniform(&random))};
    block_sort(storage.of_sort).Sort(key);
    out[threadIdx.x] = key[0];
#ifndef NO_BARRIER
    __syncthreads();
#endif
    int most = block_reduce(storage.of_reduce).Reduce(key[0], cuda::maximum<>());
    if (threadIdx.x == 0)
        *largest = most;
}

int main()
{
    int *out, sorted[65];
    cudaMalloc(&out, sizeof sorted);
    sort<<<1, 64>>>(out, out + 64);
    cudaMemcpy(sorted, out, sizeof sorted, cudaMemcpyDeviceToHost);
    for (int i = 1; i < 65; i++)
        if (sorted[i - 1] > sorted[i])
            return 1;
    return sorted[0] >= 0 && sorted[0] < sorted[32] && sorted[32] < sorted[64] && sorted[64] <= 1000 ? 0 : 1;
}
