/* SPDX-License-Identifier: MIT */
/*
 * A counter twice, for grids that synchronize often: every block arrives at both, and polls the one that it
 * reads faster. The L2 cache of a large GPU has two halves; a poll of a word in the far half takes longer, and
 * polls that queue at one word delay the arrivals there.
 *
 * Which words: the first block measures its latency to some lines of the barrier's memory in its first launch,
 * and takes the nearest and the farthest of them. In each launch each block measures both once, since it may
 * run on another multiprocessor; begin() therefore takes some microseconds, and a kernel with few barriers is
 * better off with Counter. Orders as in counter.cuh; but an arrival returns nothing, so that polls begin at once.
 */
#ifndef GPUSYNC_NEAR_COUNTER_CUH
#define GPUSYNC_NEAR_COUNTER_CUH

#include "barrier_memory.cuh"
#include "memory_order.cuh"
#include "phase_bit.cuh"

GPUSYNC_NEEDS_70

namespace gpusync
{

struct NearCounter {
    static const unsigned LINES = 8; /* to choose from */
    static const unsigned LOOKS = 5; /* at a line */
    gpusync_grid_barrier memory;
    unsigned *one, *other, *polled;
    unsigned phase; /* of both counters before the next barrier */
    unsigned added; /* by an arrival */

    __device__ void begin(gpusync_grid_barrier m)
    {
        memory = m;
        barrier_enter(m);
        added = phase_increment(block_in_grid() == 0, blocks_in_grid());
        if (is_block_leader()) {
            unsigned lines = chosen_lines();
            one = barrier_group(m, lines % LINES);
            other = barrier_group(m, lines / LINES % LINES);
            polled = latency(other) < latency(one) ? other : one;
            phase = load_relaxed(polled); /* changes only after this block's first arrival */
        }
    }

    __device__ void arrive()
    {
        __syncthreads();
        if (is_block_leader())
            arrive_alone();
    }
    __device__ void wait()
    {
        if (is_block_leader())
            wait_alone();
        __syncthreads();
    }
    __device__ void sync()
    {
        arrive();
        wait();
    }

    __device__ void end() { barrier_leave(memory); }

  private:
    __device__ void arrive_alone()
    {
        fence_release();
        reduce_add_relaxed(one, added);
        reduce_add_relaxed(other, added);
    }
    __device__ void wait_alone()
    {
        while (!phase_differs(phase, load_relaxed(polled))) {
        }
        phase ^= PHASE_BIT;
        fence_acquire();
    }

    /* Clock cycles of some loads, each of which waits for the one before: its address depends on it. */
    __device__ static unsigned latency(const unsigned *word)
    {
        long long begun = clock64();
        unsigned at = 0;
        for (unsigned k = 0; k < LOOKS; k++)
            at = load_relaxed(word + at) == 1;
        return (unsigned)(clock64() - begun);
    }

    /* Two numbers below LINES, the second times LINES, and LINES^2: the word is zero until they are chosen. */
    __device__ unsigned chosen_lines() const
    {
        unsigned *choice = barrier_group(memory, LINES), lines = load_relaxed(choice);
        if (lines == 0 && block_in_grid() == 0) {
            lines = choose_lines();
            store_relaxed(choice, lines);
        }
        while (lines == 0)
            lines = load_relaxed(choice);
        return lines;
    }
    __device__ unsigned choose_lines() const
    {
        unsigned nearest = 0, farthest = 0, least = ~0u, most = 0;
        for (unsigned i = 0; i < LINES; i++) {
            unsigned took = latency(barrier_group(memory, i));
            if (took < least) {
                least = took;
                nearest = i;
            }
            if (took > most) {
                most = took;
                farthest = i;
            }
        }
        if (farthest == nearest) /* all alike */
            farthest = (nearest + 1) % LINES;
        return LINES * LINES + farthest * LINES + nearest;
    }
};

} // namespace gpusync

#endif
