/*
 * Barriers across GPUs to compare sync/multi_gpu.cuh with: without gathering, by counters, and with orders left out.
 * All have its begin_as and sync, and its inboxes, with a word for each block.
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
        return memory.inbox[gpu] + memory.gpus * memory.part_words;
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

/* No one gathers: every block tells every GPU itself, each by a thread of its own, and its threads watch the words of all
 * blocks. One fence, one store and one poll from the last arrival to the first departure; but a fence for the system of
 * every block. */
struct Inboxes : MultiGpuMember {
    __device__ bool have_all_arrived() const
    {
        bool all = true;
        for (unsigned i = 4 * thread_in_block(); i < memory.gpus * memory.part_words;
             i += 4 * threads_in_block()) {
            unsigned counts[4];
            load_relaxed_system_4(memory.inbox[memory.me] + i, counts);
            for (unsigned k = 0; k < 4; k++)
                all &= i % memory.part_words + k >= memory.blocks || (int)(counts[k] - rounds) >= 0;
        }
        return all;
    }
    __device__ void sync()
    {
        rounds++;
        __syncthreads();
        if (thread_in_block() < memory.gpus) {
            fence_release_system();
            store_relaxed_system(memory.inbox[thread_in_block()] + memory.me * memory.part_words + block,
                                 rounds);
        }
        while (!have_all_arrived()) {
        }
        fence_acquire_system();
        __syncthreads();
    }
};

/* The suite's own by its wait with a time-out, which passes many times in a round. */
struct TimeOuts : MultiGpu {
    static const long long CYCLES = 200;
    __device__ void sync()
    {
        arrive();
        while (!wait_for(CYCLES)) {
        }
    }
};

/* The suite's own, and what it must not leave out: unordered. */
struct NoAcquire : MultiGpu {
    __device__ void sync()
    {
        arrive();
        __syncwarp();
        if (thread_in_block() < memory.gpus)
            while (!has_arrived(thread_in_block())) {
            }
        __syncthreads();
    }
};
/* The blocks do not release what they wrote; the last of them does, which is too late for the others' writes. */
struct NoRelease : MultiGpu {
    __device__ void sync()
    {
        goal++;
        __syncthreads();
        if (is_block_leader()) {
            unsigned before = add_relaxed(counter(), added);
            if (phase_differs(before, before + added))
                tell_all();
        }
        __syncwarp();
        wait();
    }
};
struct ScopeOfGpu : MultiGpu {
    __device__ void sync()
    {
        goal++;
        __syncthreads();
        if (is_block_leader()) {
            fence_release();
            unsigned before = add_relaxed(counter(), added);
            if (phase_differs(before, before + added)) {
                fence_acquire();
                fence_release();
                for (unsigned gpu = 0; gpu < memory.gpus; gpu++)
                    store_relaxed_system(flag_in(gpu, memory.me), goal);
            }
        }
        __syncwarp();
        if (thread_in_block() < memory.gpus) {
            while (!has_arrived(thread_in_block())) {
            }
            fence_acquire();
        }
        __syncthreads();
    }
};

#endif
