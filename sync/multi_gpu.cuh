/*
 * A barrier across all blocks of several GPUs that reach each other's memory. The blocks of a GPU arrive at its counter,
 * with orders for that GPU; the last of them takes over what the others released, releases it to the system, and
 * stores a flag into the inbox of every GPU; all blocks watch the flags in their own GPU's memory.
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
 * Why by levels: a release fence for the system takes a GPU twice as long as one for the GPU, and more where many
 * blocks call it at once, so that telling every GPU without gathering first costs more than the atomic addition that
 * it saves (micro-multi-gpu has both). At the scope of the GPU nothing orders what a peer reads, however often it works.
 *
 * Flags count and may wrap around; the counter needs no reset. A block has at least as many threads as there are GPUs.
 * Between arrive() and wait() a thread must neither read what others write in this round nor write what they read.
 */
#ifndef GPUSYNC_MULTI_GPU_CUH
#define GPUSYNC_MULTI_GPU_CUH

#include "sync/multi_gpu_barrier.h"
#include "sync/phase_bit.cuh"
#include "sync/system_order.cuh"

GPUSYNC_NEEDS_70

namespace gpusync
{

struct MultiGpu {
    gpusync_multi_gpu_barrier memory;
    unsigned goal, added;

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
        added = phase_increment(block_of_gpu == 0, m.blocks);
        goal =
            load_relaxed_system(flag_in(gpu, gpu)); /* it changes when every block of this GPU has arrived */
    }

    /* What `sender` tells `gpu`, in that one's memory. */
    __device__ unsigned *flag_in(unsigned gpu, unsigned sender) const
    {
        return memory.inbox[gpu] + sender * memory.part_words;
    }
    __device__ unsigned *counter() const { return flag_in(memory.me, memory.gpus); }

    /* The halves of threads that act for the block, when it has met: one arrives ... */
    __device__ void arrive_alone()
    {
        fence_release();
        unsigned before = add_relaxed(counter(), added);
        if (phase_differs(before, before + added))
            tell_all();
    }
    __device__ void tell_all()
    {
        fence_acquire();
        fence_release_system();
        for (unsigned gpu = 0; gpu < memory.gpus; gpu++)
            store_relaxed_system(flag_in(gpu, memory.me), goal);
    }
    /* ... and one for each GPU, by its number, waits. */
    __device__ bool has_arrived(unsigned gpu) const
    {
        return (int)(load_relaxed_system(flag_in(memory.me, gpu)) - goal) >= 0;
    }
    __device__ void wait_alone(unsigned gpu) const
    {
        while (!has_arrived(gpu)) {
        }
        fence_acquire_system();
    }

    __device__ void arrive()
    {
        goal++;
        __syncthreads();
        if (is_block_leader())
            arrive_alone();
    }
    __device__ void wait()
    {
        if (thread_in_block() < memory.gpus)
            wait_alone(thread_in_block());
        __syncthreads();
    }
    __device__ void sync()
    {
        arrive();
        __syncwarp(); /* those beside the leader do not poll before it has arrived */
        wait();
    }

    /* A barrier among the blocks of this GPU alone, which orders what they write for each other. */
    __device__ void sync_own_gpu()
    {
        __syncthreads();
        if (is_block_leader()) {
            fence_release();
            unsigned before = add_relaxed(counter(), added);
            while (!phase_differs(before, load_relaxed(counter()))) {
            }
            fence_acquire();
        }
        __syncthreads();
    }

    /* Waits for at most so many clock cycles; false, in every thread of the block: some GPU has not arrived. The
     * barrier is then as if wait() had not been called. */
    __device__ bool wait_for(long long cycles)
    {
        __shared__ unsigned late;
        long long begin = clock64();
        bool all = thread_in_block() >= memory.gpus;
        if (is_block_leader())
            late = 0;
        while (!all && clock64() - begin < cycles)
            all = has_arrived(thread_in_block());
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
