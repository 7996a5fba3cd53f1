/* Two streams, as two members of an all-reduce on one GPU, tell each other by flags that a round has
 * begun. A round of one stream can begin while the kernel of the other stream still waits for it. */
// expect: right
// expect -DSWAPPED: right
#include <cuda_runtime.h>

__global__ void round_of(volatile int *mine, volatile int *peers, int round)
{
    *peers = round;
    while (*mine < round) {
    }
}

int main()
{
    int *flag[2];
    cudaStream_t stream[2];
    for (int r = 0; r < 2; r++) {
        cudaStreamCreateWithFlags(&stream[r], cudaStreamNonBlocking);
        cudaMalloc(&flag[r], sizeof(int));
        cudaMemset(flag[r], 0, sizeof(int));
    }
    cudaDeviceSynchronize();
    for (int round = 1; round <= 3; round++)
        for (int i = 0; i < 2; i++) {
#ifdef SWAPPED
            int r = (round + i) % 2;
#else
            int r = i;
#endif
            round_of<<<1, 1, 0, stream[r]>>>(flag[r], flag[1 - r], round);
        }
    return cudaDeviceSynchronize() != cudaSuccess;
}
