/*
 * Barriers across GPUs to compare sync/multi_gpu.cuh with: by one counter, by a counter of each GPU, by a leader of
 * each GPU, and with orders left out. All have its begin_as and sync; their words are those of its inboxes.
 */
#ifndef MICRO_MULTI_GPU_OTHERS_CUH
#define MICRO_MULTI_GPU_OTHERS_CUH

#include "sync/multi_gpu.cuh"

/* What all of them know: who this block is, how often it has met, and the line behind the parts of an inbox. */
struct MultiGpuMember {
    gpusync_multi_gpu_barrier memory;
    unsigned block, rounds;

    __device__ void begin_as(const gpusync_multi_gpu_barrier &m, unsigned gpu, unsigned block_of_gpu)
    {
        memory = m;
        memory.me = gpu;
        block = block_of_gpu;
        rounds = 0;
    }
    __device__ unsigned *counter_of(unsigned gpu) const
    {
        return memory.inbox[gpu] + memory.gpus * memory.pitch;
    }
    __device__ void end() {}
};

/* Every block adds to the one counter in GPU 0's memory, and polls it. The memory is new for each launch. */
struct OneCounter : MultiGpuMember {
    __device__ void sync()
    {
        rounds++;
        __syncthreads();
        if (is_block_leader()) {
            fence_release_system();
            add_relaxed_system(counter_of(0), 1);
            while ((int)(load_relaxed_system(counter_of(0)) - rounds * memory.gpus * memory.blocks) < 0) {
            }
            fence_acquire_system();
        }
        __syncthreads();
    }
};

/* Every block adds to the counters of all GPUs, a thread to each, and polls its own GPU's. */
struct CounterEach : MultiGpuMember {
    __device__ void sync()
    {
        rounds++;
        __syncthreads();
        if (thread_in_block() < memory.gpus) {
            fence_release_system();
            add_relaxed_system(counter_of(thread_in_block()), 1);
        }
        if (is_block_leader()) {
            unsigned goal = rounds * memory.gpus * memory.blocks;
            while ((int)(load_relaxed_system(counter_of(memory.me)) - goal) < 0) {
            }
            fence_acquire_system();
        }
        __syncthreads();
    }
};

/* By levels: blocks gather at their GPU's counter, at its scope; the last of them acquires what they wrote, releases it
 * to the system, and tells every GPU; all blocks watch one word of each GPU. */
struct Leaders : MultiGpuMember {
    __device__ unsigned *word_in(unsigned gpu, unsigned of) const
    {
        return memory.inbox[gpu] + of * memory.pitch;
    }
    __device__ void gather()
    {
        fence_release();
        if (add_relaxed(counter_of(memory.me), 1) + 1 == rounds * memory.blocks) {
            fence_acquire();
            fence_release_system();
            for (unsigned g = 0; g < memory.gpus; g++)
                store_relaxed_system(word_in(g, memory.me), rounds);
        }
    }
    __device__ void sync()
    {
        rounds++;
        __syncthreads();
        if (is_block_leader())
            gather();
        __syncthreads(); /* in a lockstep warp, the others poll for what the leader does first */
        if (thread_in_block() < memory.gpus) {
            while ((int)(load_relaxed_system(word_in(memory.me, thread_in_block())) - rounds) < 0) {
            }
            fence_acquire_system();
        }
        __syncthreads();
    }
};

/* The suite's own, and what it must not leave out: unordered. */
struct NoAcquire : MultiGpu {
    __device__ void sync()
    {
        arrive();
        if (thread_in_block() < watchers())
            while (!have_all_arrived(thread_in_block(), threads_in_block())) {
            }
        __syncthreads();
    }
};
struct NoRelease : MultiGpu {
    __device__ void sync()
    {
        goal++;
        __syncthreads();
        if (thread_in_block() < memory.gpus)
            store_relaxed_system(word_in(thread_in_block()), goal);
        wait();
    }
};
struct ScopeOfGpu : MultiGpu {
    __device__ void sync()
    {
        goal++;
        __syncthreads();
        if (thread_in_block() < memory.gpus) {
            fence_release();
            store_relaxed_system(word_in(thread_in_block()), goal);
        }
        if (thread_in_block() < watchers()) {
            while (!have_all_arrived(thread_in_block(), threads_in_block())) {
            }
            fence_acquire();
        }
        __syncthreads();
    }
};

#endif
