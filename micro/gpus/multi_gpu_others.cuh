/*
 * Barriers across GPUs to compare with sync/multi_gpu.cuh: barriers without a leader block on each GPU,
 * barriers by counters, and barriers without a necessary fence. All have the functions begin_as and sync of
 * that barrier, and the same inboxes, with a word for each block.
 */
#ifndef MICRO_MULTI_GPU_OTHERS_CUH
#define MICRO_MULTI_GPU_OTHERS_CUH

#include "harness/kernel.cuh"
#include "sync/multi_gpu.cuh"

/* The state that barriers of this file share. `rounds` counts the block's barriers; a launch continues the
 * count of earlier launches with this memory (count_from() in multi_gpu_steps.cuh). counter_in() returns the
 * counter, which lies in the cache line after the parts of an inbox and is never reset. */
struct MultiGpuMember {
    unsigned gpus, me, blocks, part_words, block, rounds;
    unsigned *here, *there; /* the inbox of this GPU, and of the GPU with this thread's number */

    __device__ void begin_as(const gpusync_multi_gpu_barrier &m, unsigned gpu, unsigned block_of_gpu)
    {
        gpus = m.gpus;
        me = gpu;
        blocks = m.blocks;
        part_words = m.part_words;
        block = block_of_gpu;
        rounds = 0;
        here = m.inbox[gpu];
        there = m.inbox[thread_in_block() < gpus ? thread_in_block() : 0];
    }
    __device__ unsigned *counter_in(unsigned *inbox) const { return inbox + gpus * part_words; }
    __device__ void end() {}
};

/* A barrier by one counter: every block adds to the counter in GPU 0's memory and polls it, until all blocks
 * have added for this barrier and for all earlier ones. */
struct OneCounter : MultiGpuMember {
    __device__ void sync()
    {
        rounds++;
        __syncthreads();
        if (is_block_leader()) {
            fence_release_system();
            add_relaxed_system(counter_in(there), 1);
            while ((int)(load_relaxed_system(counter_in(there)) - rounds * gpus * blocks) < 0) {
            }
            fence_acquire_system();
        }
        __syncthreads();
    }
};

/* A barrier by a counter on each GPU: every block adds to the counters of all GPUs, with one thread for each
 * counter, and polls the counter of its own GPU. */
struct CounterEach : MultiGpuMember {
    __device__ void sync()
    {
        rounds++;
        __syncthreads();
        if (thread_in_block() < gpus) {
            fence_release_system();
            add_relaxed_system(counter_in(there), 1);
        }
        if (is_block_leader()) {
            unsigned goal = rounds * gpus * blocks;
            while ((int)(load_relaxed_system(counter_in(here)) - goal) < 0) {
            }
            fence_acquire_system();
        }
        __syncthreads();
    }
};

/* A barrier without a leader of each GPU: every block signals every GPU itself, with one thread for each, and
 * its threads poll the words of all blocks. From the last arrival to the first departure there are only one
 * fence, one store and one poll, but every block executes a fence at system scope. */
struct Inboxes : MultiGpuMember {
    __device__ bool have_all_arrived() const
    {
        bool all = true;
        for (unsigned i = 4 * thread_in_block(); i < gpus * part_words; i += 4 * threads_in_block()) {
            unsigned counts[4];
            load_relaxed_system_4(here + i, counts);
            for (unsigned k = 0; k < 4; k++)
                all &= i % part_words + k >= blocks || (int)(counts[k] - rounds) >= 0;
        }
        return all;
    }
    __device__ void sync()
    {
        rounds++;
        __syncthreads();
        if (thread_in_block() < gpus) {
            fence_release_system();
            store_relaxed_system(there + me * part_words + block, rounds);
        }
        while (!have_all_arrived()) {
        }
        fence_acquire_system();
        __syncthreads();
    }
};

/*
 * A barrier in which no block signals another GPU: every block adds to its own GPU's counter, and polls the
 * counters of all GPUs over the links. This takes one fence at system scope, which all blocks execute at
 * once, and one round trip. Several loads are in flight at intervals, so that one of them returns soon after
 * the last block arrives.
 */
struct Watchers : MultiGpuMember {
    static const int UNDER_WAY = 4;
    static const unsigned CYCLES_APART = 600;

    __device__ void sync()
    {
        rounds++;
        __syncthreads();
        if (is_block_leader()) {
            fence_release_system();
            add_relaxed_system(counter_in(here), 1);
        }
        if (thread_in_block() < gpus) {
            watch(counter_in(there), rounds * blocks);
            fence_acquire_system();
        }
        __syncthreads();
    }
    __device__ static void watch(const unsigned *counter, unsigned goal)
    {
        unsigned seen[UNDER_WAY];
        UNROLL(4)
        for (int i = 0; i < UNDER_WAY; i++) {
            seen[i] = load_relaxed_system(counter);
            for (unsigned begin = (unsigned)clock64(); (unsigned)clock64() - begin < CYCLES_APART;) {
            }
        }
        for (;;) {
            UNROLL(4)
            for (int i = 0; i < UNDER_WAY; i++) {
                if ((int)(seen[i] - goal) >= 0)
                    return;
                seen[i] = load_relaxed_system(counter);
            }
        }
    }
};

/* The barrier of sync/multi_gpu.cuh, but with a time-out of its waits that is so short that it expires many
 * times in a round */
struct TimeOuts : MultiGpu {
    static const long long CYCLES = 200;
    __device__ void sync()
    {
        arrive();
        while (!wait_for(CYCLES)) {
        }
    }
};

/* The barrier of sync/multi_gpu.cuh without its acquire fence, so that it does not order the memory accesses
 * that follow it. */
struct NoAcquire : MultiGpu {
    __device__ void sync()
    {
        arrive();
        if (thread_in_block() < gpus)
            while (!has_arrived()) {
            }
        __syncthreads();
    }
};
/* sync/multi_gpu.cuh with a mistake: only a GPU's last block executes a release at system scope, too late for
 * the writes of the other blocks. */
struct NoRelease : MultiGpu {
    __device__ bool arrive_at_gpu()
    {
        unsigned before = add_relaxed(counter, added);
        if (!phase_differs(before, before + added))
            return false;
        fence_acquire();
        return true;
    }
    __device__ void sync()
    {
        goal++;
        __syncthreads();
        if (thread_in_block() < gpus && __any_sync(lanes(), thread_in_block() == 0 && arrive_at_gpu()))
            tell();
        wait();
    }
};
struct ScopeOfGpu : MultiGpu {
    __device__ void sync()
    {
        goal++;
        __syncthreads();
        if (thread_in_block() < gpus) {
            if (__any_sync(lanes(), thread_in_block() == 0 && arrive_at_gpu())) {
                __syncwarp(lanes());
                fence_release();
                store_relaxed_system(flag_there, goal);
            }
            while (!has_arrived()) {
            }
            fence_acquire();
        }
        __syncthreads();
    }
};

#endif
