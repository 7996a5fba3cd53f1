/* Kernels of two streams wait for each other, and for the host, by flags: they run at the same time. Fences
 * order accesses after the flags, even after what an earlier kernel of the stream wrote. If a kernel waits
 * for another one that the host launches only after the first has ended, both hang. With -DIN_ROUNDS, the
 * streams signal each other at the beginning of each round, like two members of an all-reduce on one GPU. A
 * round of one stream can begin while the kernel of the other stream still waits for it. */
// expect: right
// expect -DNO_FENCE: race "d[1] = d[0] + d[3];" "d[0] = 4;" "fence.release.gpu"
// expect -DIN_TURN: hang "flags[1] == 0"
// expect -DHOST_POLLS: right
// expect -DIN_ROUNDS: right
// expect -DIN_ROUNDS -DSWAPPED: right
#include "tools/bugs/bug.h"

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

__global__ void round_of(volatile int *mine, volatile int *peers, int round)
{
    *peers = round;
    while (*mine < round) {
    }
}

#ifdef IN_ROUNDS
int main()
{
    int *flag[2] = {new_zeros(1), new_zeros(1)};
    cudaStream_t stream[2];
    for (int r = 0; r < 2; r++)
        cudaStreamCreateWithFlags(&stream[r], cudaStreamNonBlocking);
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
    return ended();
}
#else
int main()
{
    int *flags = new_zeros(2), *d = new_zeros(4), *of_host;
    cudaStream_t one, other;
    cudaMallocHost(&of_host, 12);
    of_host[0] = of_host[1] = 0;
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
    return is_wrong(d + 2, 1, [](int) { return 5; });
}
#endif
