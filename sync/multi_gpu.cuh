/* SPDX-License-Identifier: MIT */
/*
 * A barrier across all blocks of several GPUs with access to each other's memory. The blocks of a GPU
 * arrive at its counter, with release and acquire at the scope of that GPU. The last of them acquires what
 * the other blocks released, releases it at system scope, and stores a flag into the inbox of every GPU.
 * All blocks poll the flags in their own GPU's memory.
 *
 *     gpusync::MultiGpu barrier;
 *     barrier.begin(memory);
 *     for (...) {
 *         ...                     // writes that other blocks read, to this GPU's memory or a peer's
 *         barrier.sync();         // or arrive(), work that needs no data of other blocks, wait()
 *         ...                     // plain loads, also of a peer's memory: the acquire has emptied L1
 *     }
 *     barrier.end();
 *
 * The barrier has two levels because a release fence at system scope takes twice as long as one at GPU
 * scope, and longer if many blocks execute it at once. If every block signalled every GPU itself, this
 * would cost more than the atomic addition that it saves (micro-multi-gpu measures both). A fence at GPU
 * scope orders nothing that a peer reads, even if it often seems to work.
 *
 * Flags are counts that may wrap around, so the number of rounds has no limit; the counter needs no reset.
 * A block has at least as many threads as there are GPUs. Between arrive() and wait() a thread must neither
 * read data that others write in this round nor write data that they read, and must not call
 * sync_own_gpu(), which arrives at the same counter. With GPUSYNC_CHECKED a kernel that breaks one of these
 * rules about calls and threads stops with an error.
 */
#ifndef GPUSYNC_MULTI_GPU_CUH
#define GPUSYNC_MULTI_GPU_CUH

#include "multi_gpu_barrier.h"
#include "phase_bit.cuh"
#include "system_order.cuh"

GPUSYNC_NEEDS_70

namespace gpusync
{

struct MultiGpu {
    unsigned gpus, goal, added;
    unsigned *counter; /* the counter at which this GPU's blocks arrive */
    /* For each thread whose number is below `gpus`: this GPU's flag in the inbox of the GPU with the thread's
     * number, and that GPU's flag in this GPU's inbox. The pointers are in registers: a table would lie in
     * local memory, which a fence evicts from the L1 cache. */
    unsigned *flag_there, *flag_here;
#ifdef GPUSYNC_CHECKED
    bool has_arrived_here; /* between arrive() and wait() */
#endif

    __device__ void begin(const gpusync_multi_gpu_barrier &m)
    {
        GPUSYNC_REQUIRE(blocks_in_grid() == m.blocks);
        begin_as(m, m.me, block_in_grid());
    }
    /* Begins as block `block_of_gpu` of GPU `gpu`, which may differ from blockIdx: the memory machine's
     * GPUs are parts of one grid. */
    __device__ void begin_as(const gpusync_multi_gpu_barrier &m, unsigned gpu, unsigned block_of_gpu)
    {
        GPUSYNC_REQUIRE(threads_in_block() >= m.gpus);
        begin_lane(m, gpu, block_of_gpu, thread_in_block());
    }
    /* Begins as a thread that handles the flags of GPU number `lane`. */
    __device__ void begin_lane(const gpusync_multi_gpu_barrier &m, unsigned gpu, unsigned block_of_gpu,
                               unsigned lane)
    {
        unsigned *here = m.inbox[gpu];
        gpus = m.gpus;
        added = phase_increment(block_of_gpu == 0, m.blocks);
        counter = here + m.gpus * m.part_words;
        flag_there = m.inbox[lane < gpus ? lane : 0] + gpu * m.part_words;
        flag_here = here + (lane < gpus ? lane : 0) * m.part_words;
        /* This GPU's own flag changes only when every block of this GPU, and so this one, has arrived. */
        goal = load_relaxed_system(here + gpu * m.part_words);
        note_arrival(false);
    }

    /* arrive_as and wait_as_lane are the two halves of the barrier for threads that act for their block
     * after a __syncthreads. The threads whose number is below `gpus` arrive. */
    __device__ void arrive_as(unsigned lane)
    {
        bool last = lane == 0 && arrive_at_gpu();
        if (__any_sync(lanes(), last))
            tell();
    }
    /* Arrives at this GPU's counter, and returns true in the last block of the GPU. */
    __device__ bool arrive_at_gpu()
    {
        fence_release();
        unsigned before = add_relaxed(counter, added);
        bool last = phase_differs(before, before + added);
        if (last)
            fence_acquire();
        return last;
    }
    __device__ void tell()
    {
        __syncwarp(lanes()); /* after this call the other lanes also see what the leader has acquired */
        fence_release_system();
        store_relaxed_system(flag_there, goal);
    }
    /* Has the GPU with this thread's number arrived at the barrier? */
    __device__ bool has_arrived() const
    {
        return (int)(load_relaxed_system(flag_here) - goal) >= 0;
    }
    __device__ void wait_as_lane() const
    {
        while (!has_arrived()) {
        }
        fence_acquire_system();
    }
    __device__ unsigned lanes() const
    {
        return (1u << gpus) - 1;
    }

    __device__ void arrive()
    {
        note_arrival(true);
        goal++;
        __syncthreads();
        if (thread_in_block() < gpus)
            arrive_as(thread_in_block());
    }
    __device__ void wait()
    {
        if (thread_in_block() < gpus)
            wait_as_lane();
        __syncthreads();
        note_arrival(false);
    }
    __device__ void sync()
    {
        arrive();
        wait();
    }

    /* Synchronizes only the blocks of this GPU; it orders data that they write for each other. */
    __device__ void sync_own_gpu()
    {
        GPUSYNC_REQUIRE(!has_arrived_here);
        __syncthreads();
        if (is_block_leader()) {
            fence_release();
            unsigned before = add_relaxed(counter, added);
            while (!phase_differs(before, load_relaxed(counter))) {
            }
            fence_acquire();
        }
        __syncthreads();
    }

    /* Waits for at most `cycles` clock cycles. It returns false in every thread of the block if some GPU
     * has not arrived; the barrier is then in the state before wait(). */
    __device__ bool wait_for(long long cycles)
    {
        long long begin = clock64();
        bool all = thread_in_block() >= gpus;
        while (!all && clock64() - begin < cycles)
            all = has_arrived();
        fence_acquire_system();
        all = all_of_block(all);
        note_arrival(!all);
        return all;
    }

    __device__ void end() {}

  private:
#ifdef GPUSYNC_CHECKED
    __device__ void note_arrival(bool arrived)
    {
        has_arrived_here = arrived;
    }
#else
    __device__ void note_arrival(bool) {}
#endif
};

} // namespace gpusync

#endif
