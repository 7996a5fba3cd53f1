/* SPDX-License-Identifier: MIT */
/* The layout of a grid barrier's device memory; only the barriers use this header. */
#ifndef GPUSYNC_BARRIER_MEMORY_CUH
#define GPUSYNC_BARRIER_MEMORY_CUH

#include "device.cuh"
#include "grid_barrier_memory.h"

namespace gpusync
{

/* Returns the counter of lock-based, release-acquire, counter and grid-sync, which is also the root of
 * tree. */
static __device__ __forceinline__ unsigned *barrier_counter(gpusync_grid_barrier m)
{
    return m.words;
}

/* Returns the word with the base of this launch: the number from which its goals count, which is the goal at
 * the end of the preceding launch. With GPUSYNC_CHECKED, the next word says whether a launch is running. */
static __device__ __forceinline__ unsigned *barrier_base(gpusync_grid_barrier m)
{
    return m.words + GPUSYNC_LINE_WORDS;
}

static __device__ __forceinline__ unsigned *barrier_group(gpusync_grid_barrier m, unsigned group)
{
    return m.words + (2 + group) * GPUSYNC_LINE_WORDS;
}

/* Returns the cache line that belongs to a block. */
static __device__ __forceinline__ unsigned *barrier_line(gpusync_grid_barrier m, unsigned block)
{
    return m.words + (2 + GPUSYNC_TREE_GROUPS + block) * GPUSYNC_LINE_WORDS;
}

/* Return Arrayin and Arrayout of Xiao and Feng 2010, Figure 6. */
static __device__ __forceinline__ unsigned *barrier_in(gpusync_grid_barrier m)
{
    return barrier_line(m, m.capacity);
}
static __device__ __forceinline__ unsigned *barrier_out(gpusync_grid_barrier m)
{
    return barrier_in(m) + m.capacity;
}

/* Every barrier calls these functions in begin() and end(). They check the part of the contract that the
 * device can see. */
static __device__ __forceinline__ void barrier_enter(gpusync_grid_barrier m)
{
#ifdef GPUSYNC_CHECKED
    if (is_block_leader() && block_in_grid() == 0) {
        GPUSYNC_REQUIRE(blocks_in_grid() <= m.capacity);
        GPUSYNC_REQUIRE(atomicExch(barrier_base(m) + 1, 1u) == 0);
    }
#else
    (void)m;
#endif
}
static __device__ __forceinline__ void barrier_leave(gpusync_grid_barrier m)
{
#ifdef GPUSYNC_CHECKED
    if (is_block_leader() && block_in_grid() == 0)
        atomicExch(barrier_base(m) + 1, 0u);
#else
    (void)m;
#endif
}

/*
 * Reads the base, for barriers whose goals are increasing numbers. Every block reads the base before its
 * first arrival, and the base changes only after the last barrier of the launch, at which all blocks have
 * arrived. So all blocks read the same base, and an ordinary load suffices.
 */
static __device__ __forceinline__ unsigned barrier_read_base(gpusync_grid_barrier m)
{
    return *barrier_base(m);
}
static __device__ __forceinline__ void barrier_write_base(gpusync_grid_barrier m, unsigned goal)
{
    if (block_in_grid() == 0 && is_block_leader())
        *barrier_base(m) = goal;
}

/*
 * Which threads call __threadfence() in the papers' barriers. Feng and Xiao 2010 do not specify it.
 * LEADER_FENCES: the leader of each block calls it before it arrives and after it has waited, and the threads
 * that collect arrivals call it, too. The PTX memory model needs these fences, so only this form orders the
 * blocks' data. EACH_THREAD_FENCES: every thread calls one fence when it enters the barrier, as a call at the
 * top of the paper's function would do. ONE_FENCE: the leader calls one fence before it arrives.
 */
enum fences { NO_FENCE, LEADER_FENCES, EACH_THREAD_FENCES, ONE_FENCE };

template <fences who>
static __device__ __forceinline__ void fence_of_thread()
{
    if (who == EACH_THREAD_FENCES)
        __threadfence();
}
template <fences who>
static __device__ __forceinline__ void fence_before_arrival()
{
    if (who == LEADER_FENCES || who == ONE_FENCE)
        __threadfence();
}
template <fences who>
static __device__ __forceinline__ void fence_after_waiting()
{
    if (who == LEADER_FENCES)
        __threadfence();
}

} // namespace gpusync

#endif
