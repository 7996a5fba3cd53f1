/* Breaks the rules of a block's barriers: all threads reach the same __syncthreads(), and a thread that
 * arrives at a named barrier without waiting arrives again only when it knows that the phase has ended. The
 * results are not checked. */
// expect: right
// expect -DLEARNS=BY_LOAD: right
// expect -DLEARNS=BY_ATOMIC: right
// expect -DTWO_PLACES: rule "// barrier of the first warp" "// barrier of the other warps" "mend: one "
// expect -DONE_LINE: rule "__syncthreads(); else" "another in the same line" "outside of the branches"
// expect -DROUND_IT: rule "// barrier of the odd threads" "out[threadIdx.x] = 3" "only part of" "mend: move "
// expect -DFEWER_TURNS: rule "// barrier in each turn of the loop" "different numbers of rounds" "mend: give"
// expect -DTWO_ARRIVALS: rule "ARRIVE(1); // again" "this earlier phase has ended" "mend: between"
// expect -DODD_COUNT: rule "WAIT(2, 40)" "no multiple of a warp's 32" "mend: give block_rules.cu:"
// expect -DTWO_COUNTS: rule "WAIT(2, 96)" "waits for 64 threads"
// expect -DNO_NUMBER: rule "WAIT(16, 64)" "0 to 15"
#include "tools/bugs/bug.h"
#define ARRIVE(id) asm volatile("barrier.cta.arrive %0, 64;" ::"r"(id) : "memory")
#define WAIT(id, threads) asm volatile("barrier.cta.sync %0, %1;" ::"r"(id), "r"(threads) : "memory")

/* In which ways the first warp learns that the other one has waited at barrier 1: by a barrier, or by a flag
 * that it polls by a strong load or by an atomic. */
enum { BY_BARRIER, BY_LOAD, BY_ATOMIC };
#ifndef LEARNS
#define LEARNS BY_BARRIER
#endif

__device__ void learn(int *flag)
{
    if (LEARNS == BY_BARRIER)
        WAIT(3, 64);
    else
        while ((LEARNS == BY_LOAD ? *(volatile int *)flag : atomicAdd(flag, 0)) < 32) {
        }
}

__device__ void tell(int *flag)
{
    if (LEARNS == BY_BARRIER)
        WAIT(3, 64);
    else
        atomicAdd(flag, 1);
}

__device__ void wrapped()
{
    __syncthreads();
}

__global__ void barriers(int *out, int *flags)
{
    unsigned warp = threadIdx.x / 32;
    if (threadIdx.x >= 70)
        return; /* exited threads do not count at barriers (Volta and later) */
    wrapped();
#pragma unroll
    for (int turn = 0; turn < 3; turn++)
        __syncthreads();
    asm volatile("bar.sync 0;" ::: "memory");
#ifdef TWO_PLACES
    if (warp == 0) {
        __syncthreads(); // barrier of the first warp
        out[threadIdx.x] = 1;
    } else {
        __syncthreads(); // barrier of the other warps
        out[threadIdx.x] = 2;
    }
#elif defined ONE_LINE
    // clang-format off
    if (warp) __syncthreads(); else __syncthreads();
        // clang-format on
#endif
    if (warp == 2)
        return;
#ifdef ODD_COUNT
    WAIT(2, 40);
#elif defined TWO_COUNTS
    if (warp == 0)
        ARRIVE(2);
    else
        WAIT(2, 96);
#elif defined NO_NUMBER
    WAIT(16, 64);
#endif
    if (warp == 0) {
        ARRIVE(1);
#ifndef TWO_ARRIVALS
        learn(&flags[blockIdx.x]);
#endif
        ARRIVE(1); // again
    } else {
        WAIT(1, 64);
#ifndef TWO_ARRIVALS
        tell(&flags[blockIdx.x]);
#endif
        WAIT(1, 64);
    }
#ifdef ROUND_IT
    if (threadIdx.x % 2)
        __syncthreads(); // barrier of the odd threads
    out[threadIdx.x] = 3;
#elif defined FEWER_TURNS
    for (unsigned turn = warp; turn < 3; turn++)
        __syncthreads(); // barrier in each turn of the loop
    out[threadIdx.x] = 4;
#endif
}

/* The second warp has 16 threads, and counts as 32 where it waits and where it arrives. */
__global__ void short_warp()
{
    WAIT(1, 64);
    if (threadIdx.x / 32 == 1)
        ARRIVE(2);
    else
        WAIT(2, 64);
}

int main()
{
    barriers<<<2, 96>>>(new_array(96), new_zeros(2));
    short_warp<<<2, 48>>>();
    return ended();
}
