/* Tests for which arrivals a barrier waits. By default, later phases do not wait for a thread that arrives by
 * mbarrier.arrive_drop. With -DIN_CLUSTERS, a thread that arrives at a cluster's barrier and then exits no
 * longer counts as arrived: the barrier still waits for each thread that is left, and it opens, too, if the
 * last threads that it waits for exit. With -DOF_LANES, lanes of a warp that name different barriers at one
 * instruction arrive at each of them. With -DROUNDS, both warps arrive in each round, and one of them also
 * waits; an arrival tells nothing of the other warp, so that no fence after it would order the two. */
// expect: right
// expect -DSTAYS: hang "WAIT_UNTIL(passed(&bar, 1)) // second"
// expect -DIN_CLUSTERS: right
// expect -DIN_CLUSTERS -DNO_WAIT: race "expect(w->data[cluster]" "w->data[cluster] = 5"
// expect -DOF_LANES: right
// expect -DOF_LANES -DCROSSED: race "exchanged[thread] = thread" "exchanged[thread ^ 32]"
// expect -DROUNDS=WAIT: right
// expect -DROUNDS=NO_WAIT: race "box = round" "expect(box, round" "__syncthreads(), or a flag, between"
// expect -DROUNDS=NO_WAIT -DBY_RED: race "box = round" "__syncthreads(), or a flag, between"
#include "tools/bugs/bug.h"
#include "tools/bugs/copies.h"

#if defined IN_CLUSTERS
BUG_IN_CLUSTERS_OF(2, 4, 64)
{
    unsigned rank = block % 2, cluster = block / 2;
    bool reads = rank == 0 && thread < 32, leaves = rank == 1 && thread < 32;
    bool writes = rank == 1 && thread == 32;
    if (leaves)
        asm volatile("barrier.cluster.arrive.release;" ::: "memory");
    if (!reads && !writes) {
        for (int i = 0; i < 20; i++) /* the others have arrived before these threads exit */
            __threadfence();
        return;
    }
    if (writes)
        w->data[cluster] = 5;
    asm volatile("barrier.cluster.arrive.release;" ::: "memory");
#ifndef NO_WAIT
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
#endif
    if (reads && thread == 0)
        expect(w->data[cluster], 5, wrong);
}
#elif defined OF_LANES
BUG(1, 64)
{
    __shared__ unsigned exchanged[64];
    exchanged[thread] = thread;
#ifdef CROSSED
    int barrier = 1 + (thread % 32 / 16 ^ thread / 32);
#else
    int barrier = 1 + thread % 32 / 16;
#endif
    asm volatile("barrier.cta.sync %0, 32;" ::"r"(barrier) : "memory");
    expect(exchanged[thread ^ 32], thread ^ 32, wrong);
}
#elif defined ROUNDS
#define WAIT WAIT_UNTIL(passed(&bar, round & 1))
#define NO_WAIT
#ifdef BY_RED
#undef MBARRIER_ARRIVE
#define MBARRIER_ARRIVE(bar)                                                                                 \
    asm volatile("red.release.cta.shared.add.u64 [%0], 1;" ::"r"(SHARED(bar)) : "memory")
#endif
BUG(1, 64)
{
    __shared__ unsigned long long bar;
    __shared__ unsigned box;
    if (thread == 0)
        MBARRIER_INIT(&bar, 2);
    __syncthreads();
    for (unsigned round = 0; round < 3; round++) {
        if (thread == 0) {
            box = round;
            set_release(&w->flag, round + 1);
            MBARRIER_ARRIVE(&bar);
            ROUNDS
        } else if (thread == 32) {
            WAIT_UNTIL(look_acquire(&w->flag) > round)
            expect(box, round, wrong);
            MBARRIER_ARRIVE(&bar);
        }
    }
}
#else
BUG(1, 64)
{
    __shared__ unsigned long long bar;
    if (thread == 0)
        MBARRIER_INIT(&bar, 64);
    __syncthreads();
    if (thread >= 32) {
#ifdef STAYS
        MBARRIER_ARRIVE(&bar);
#else
        asm volatile("mbarrier.arrive_drop.shared.b64 _, [%0];" ::"r"(SHARED(&bar)) : "memory");
#endif
        return;
    }
    MBARRIER_ARRIVE(&bar);
    WAIT_UNTIL(passed(&bar, 0))
    MBARRIER_ARRIVE(&bar);
    WAIT_UNTIL(passed(&bar, 1)) // second
}
#endif
