/* Where a kernel's time goes (tests/predict): block 1 waits for block 0, warps wait for the slow warp of
 * their block, and in another kernel atomics wait for each other. */
#include <cstdio>

__global__ void hand_over(volatile int *flag, volatile int *out)
{
    __shared__ int sums[32];
    int sum = 0;
    if (blockIdx.x == 0) {
        if (threadIdx.x < 32)
            for (int i = 0; i < 200; i++)
                sum += out[i]; // slow
        sums[threadIdx.x / 32] = sum;
        __syncthreads(); // barrier
        if (threadIdx.x == 0) {
            __threadfence();
            *flag = 1; // store
        }
    } else {
        if (threadIdx.x == 0)
            while (*flag == 0) { // poll
            }
        __syncthreads(); // late
    }
}

__global__ void count(int *out)
{
    atomicAdd(out, 1); // atomic
}

int main()
{
    int *memory;
    cudaMalloc(&memory, 4096);
    cudaMemset(memory, 0, 4096);
    hand_over<<<2, 128>>>(memory + 1000, memory);
    count<<<300, 512>>>(memory);
    return cudaDeviceSynchronize();
}
