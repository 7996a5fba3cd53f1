/*
 * A barrier across all blocks of several GPUs that reach each other's memory: every block tells every GPU itself, and
 * nobody gathers. An inbox in each GPU's memory has a word for each block of each GPU; a block that arrives releases
 * what it wrote and stores its count into its word of every inbox, each by a thread of its own; then its threads watch
 * the inbox of their own GPU, a few words each. What lies between the last arrival and the first departure is one
 * fence, one store on its way to a peer, and one poll: no atomic addition, and no second fence of a block that
 * gathers, which is what costs most in a barrier by levels (micro-multi-gpu has both).
 *
 *     gpusync::MultiGpu barrier;
 *     barrier.begin(memory);
 *     for (...) {
 *         ...                     // writes that other blocks read, to this GPU's memory or a peer's
 *         barrier.sync();         // or arrive(), work that needs none of theirs, wait()
 *         ...                     // plain loads, also of a peer's memory, which L1 keeps: the acquire empties it
 *     }
 *     barrier.end();
 *
 * All at the scope of the system: at that of the GPU nothing orders what a peer reads. Words count and may wrap
 * around; a block is at most one barrier ahead of another, and has at least as many threads as there are GPUs. Between arrive() and wait() a thread must neither read what
 * others write in this round nor write what they read.
 */
#ifndef GPUSYNC_MULTI_GPU_CUH
#define GPUSYNC_MULTI_GPU_CUH

#include "sync/multi_gpu_barrier.h"
#include "sync/system_order.cuh"

GPUSYNC_NEEDS_70

namespace gpusync
{

struct MultiGpu {
    gpusync_multi_gpu_barrier memory;
    unsigned goal, block;

    __device__ void begin(const gpusync_multi_gpu_barrier &m)
    {
        GPUSYNC_REQUIRE(blocks_in_grid() == m.blocks);
        begin_as(m, m.me, block_in_grid());
    }
    /* As this block of this GPU, which is not always the grid's: the memory machine's GPUs are parts of one grid. */
    __device__ void begin_as(const gpusync_multi_gpu_barrier &m, unsigned gpu, unsigned block_of_gpu)
    {
        memory = m;
        memory.me = gpu;
        block = block_of_gpu;
        goal = load_relaxed_system(word_in(gpu)); /* nobody else writes it */
    }

    /* This block's word in a GPU's inbox. */
    __device__ unsigned *word_in(unsigned gpu) const
    {
        return memory.inbox[gpu] + memory.me * memory.pitch + block;
    }

    /* The halves of a few threads that act for the block when it has met: `number` counts them from 0. */
    __device__ void arrive_alone(unsigned number)
    {
        if (number < memory.gpus) {
            fence_release_system();
            store_relaxed_system(word_in(number), goal);
        }
    }
    __device__ void wait_alone(unsigned number, unsigned threads) const
    {
        while (!have_all_arrived(number, threads)) {
        }
        fence_acquire_system();
    }
    /* As far as this thread sees: four words at a time, and every so many. */
    __device__ bool have_all_arrived(unsigned number, unsigned threads) const
    {
        bool all = true;
        for (unsigned i = 4 * number; i < memory.gpus * memory.pitch; i += 4 * threads) {
            unsigned counts[4];
            load_relaxed_system_4(memory.inbox[memory.me] + i, counts);
            for (unsigned k = 0; k < 4; k++)
                all &= i % memory.pitch + k >= memory.blocks || (int)(counts[k] - goal) >= 0;
        }
        return all;
    }
    /* The threads beyond have nothing to look at. */
    __device__ unsigned watchers() const { return memory.gpus * memory.pitch / 4; }

    __device__ void arrive()
    {
        goal++;
        __syncthreads();
        arrive_alone(thread_in_block());
    }
    __device__ void wait()
    {
        if (thread_in_block() < watchers())
            wait_alone(thread_in_block(), threads_in_block());
        __syncthreads();
    }
    __device__ void sync()
    {
        arrive();
        wait();
    }

    /* Waits for at most so many clock cycles; false, in every thread of the block: some block has not arrived. The
     * barrier is then as if wait() had not been called. */
    __device__ bool wait_for(long long cycles)
    {
        __shared__ unsigned late;
        long long begin = clock64();
        bool all = thread_in_block() >= watchers();
        if (is_block_leader())
            late = 0;
        while (!all && clock64() - begin < cycles)
            all = have_all_arrived(thread_in_block(), threads_in_block());
        fence_acquire_system();
        __syncthreads();
        if (!all)
            atomicExch(&late, 1u);
        __syncthreads();
        bool in_time = late == 0;
        __syncthreads();
        return in_time;
    }

    __device__ void end() {}
};

} // namespace gpusync

#endif
