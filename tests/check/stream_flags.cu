/* Kernels of two streams wait for each other, and for the host, by flags: they run at the same time. Fences
 * order accesses after the flags, even after what an earlier kernel of the stream wrote. If a kernel waits
 * for another one that the host launches only after the first has ended, both hang. */
// expect: right
// expect -DNO_FENCE: race "d[1] = d[0] + d[3];" "d[0] = 4;" "fence.release.gpu"
// expect -DIN_TURN: hang "flags[1] == 0"
// expect -DHOST_POLLS: right
#include <cuda_runtime.h>

__global__ void prepare(int *d)
{
    d[3] = 1;
}

__global__ void ask(volatile int *flags, volatile int *go, int *d)
{
    while (*go == 0) {
    }
    d[0] = 4;
#ifndef NO_FENCE
    __threadfence();
#endif
    flags[0] = 1;
    while (flags[1] == 0) {
    }
    __threadfence();
    d[2] = d[1];
}

__global__ void answer(volatile int *flags, int *d, volatile int *done, int *result)
{
    while (flags[0] == 0) {
    }
    __threadfence();
    d[1] = d[0] + d[3];
    __threadfence();
    flags[1] = 1;
    *result = d[1];
    __threadfence_system();
    *done = 1;
}

int main()
{
    int *flags, *d, *of_host, got;
    cudaStream_t one, other;
    cudaMalloc(&flags, 8);
    cudaMalloc(&d, 16);
    cudaMallocHost(&of_host, 12);
    of_host[0] = of_host[1] = 0;
    cudaMemset(flags, 0, 8);
    cudaMemset(d, 0, 16);
    cudaStreamCreate(&one);
    cudaStreamCreate(&other);
    prepare<<<1, 1, 0, one>>>(d);
    ask<<<1, 1, 0, one>>>(flags, of_host, d);
    *(volatile int *)of_host = 1;
#ifdef IN_TURN
    cudaStreamSynchronize(one);
#endif
    answer<<<1, 1, 0, other>>>(flags, d, of_host + 1, of_host + 2);
#ifdef HOST_POLLS
    while (*(volatile int *)(of_host + 1) == 0)
        ;
    if (of_host[2] != 5)
        return 1;
#endif
    cudaMemcpy(&got, d + 2, 4, cudaMemcpyDeviceToHost);
    return got != 5;
}
