// Loops that end by themselves and loops that never end. A loop is a hang only if its thread comes back to a
// state in which it has been while no memory changes. ARRIVALS, the blocks wait for one arrival more than
// there are blocks, or, with -DBLOCKS=400, for blocks for which the device has no room.
//
// expect: right
// expect -DMANY_FLAGS --runs 8: hang "all &= flags[i]"
// expect -DSTORES --runs 8: hang "a load, polling"
// expect -DEXCHANGES --runs 8: hang "while (atomicExch("
// expect -DWAITS_LONGER --runs 8: hang "__nanosleep(pause)" "a sleep between polls"
// expect -DEACH_OTHER --runs 8: hang "while (!flags[1 - blockIdx.x])"
// expect -DARRIVALS=3 -DTHREADS=64 --runs 12: hang "while (flags[0] < ARRIVALS"
// expect -DARRIVALS=400 -DBLOCKS=400 -DTHREADS=1024 --runs 2: hang "wait for a free multiprocessor"
// expect -DCOUNTS --timeout 1 --seconds 10: unfinished "count = count + 1;" "not finished: block "
#include "tools/bugs/bug.h"
#ifndef BLOCKS
#define BLOCKS 2
#endif
#ifndef THREADS
#define THREADS 1
#endif

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
#elif defined COUNTS // no hang by its state, which is another one in each turn
    while (!flags[0]) {
        volatile int &count = flags[1 + blockIdx.x];
        count = count + 1;
    }
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
#elif defined ARRIVALS
    if (threadIdx.x == 0) {
        atomicAdd((int *)flags, 1);
        while (flags[0] < ARRIVALS) {
        }
    }
    __syncthreads();
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
    int *flags = new_zeros(8), *out = new_array(2);
    kernel<<<BLOCKS, THREADS>>>(flags, out);
    return ended();
}
