// Loops that end by themselves and loops that never end. A loop is a hang only if its thread comes back to a
// state in which it has been while no memory changes.
//
// expect: right
// expect -DMANY_FLAGS --runs 8: hang "all &= flags[i]"
// expect -DSTORES --runs 8: hang "a load, polling"
// expect -DEXCHANGES --runs 8: hang "while (atomicExch("
// expect -DWAITS_LONGER --runs 8: hang "__nanosleep(pause)" "a sleep between polls"
// expect -DEACH_OTHER --runs 8: hang "while (!flags[1 - blockIdx.x])"
#include <cuda_runtime.h>

__global__ void kernel(volatile int *flags, int *out)
{
#if defined MANY_FLAGS
    for (int all = 0; !all;) {
        all = 1;
        for (int i = 0; i < 6; i++)
            all &= flags[i];
    }
#elif defined STORES
    while (!flags[1])
        flags[0] = 1;
#elif defined EXCHANGES
    while (atomicExch((int *)flags, 1)) {
    }
#elif defined WAITS_LONGER
    unsigned pause = 1;
    while (!flags[2]) {
        __nanosleep(pause);
        pause = pause < 500 ? pause + 1 : 500;
    }
#elif defined EACH_OTHER
    while (!flags[1 - blockIdx.x]) {
    }
    flags[blockIdx.x] = 1;
#else
    // reads the same words over and over, and then gives up
    int tries = 0, sum = 0;
    while (!flags[0] && tries++ < 3000)
        sum += flags[1] + tries;
    out[blockIdx.x] = sum;
#endif
}

int main()
{
    int *flags, *out;
    cudaMalloc(&flags, 8 * sizeof *flags);
    cudaMalloc(&out, 2 * sizeof *out);
    cudaMemset(flags, 0, 8 * sizeof *flags);
    kernel<<<2, 1>>>(flags, out);
    return cudaDeviceSynchronize() != cudaSuccess;
}
