/*
 * The words that the blocks of several GPUs exchange in a round. They reveal a barrier that lets a block pass
 * too early, or after which a block reads old data. Each GPU's memory has two arrays with words for each
 * thread: its board and its mail. A thread writes a word to the board of its own GPU and, if the run checks,
 * a word to the mail of the next GPU. After the barrier it reads a word of every GPU's board, and a word of
 * its own GPU's mail.
 */
#ifndef MICRO_MULTI_GPU_EXCHANGE_CUH
#define MICRO_MULTI_GPU_EXCHANGE_CUH

#include "micro/gpus/gpu_member.cuh"
#include "sync/multi_gpu_barrier.h"

struct Exchange : gpu_member {
    unsigned *board[GPUSYNC_MOST_GPUS],
        /* each board and each mail has two halves of blocks * workers words */
        *mail[GPUSYNC_MOST_GPUS];
    unsigned *errors[GPUSYNC_MOST_GPUS];
    unsigned gpus, workers, rounds;
    long long late_cycles; /* cycles by which the last GPU is late at each barrier */
    bool checks;

    /* Executes round s. It first checks the words of the preceding round; after the last round it only
     * checks. */
    __device__ void operator()(int s) const
    {
        unsigned r = (unsigned)s;
        if (r > 0)
            find(r - 1);
        if (r < rounds) {
            leave(r);
            come_late();
        }
    }
    __device__ bool stays(int) const { return false; }

    __device__ unsigned place(unsigned r, unsigned block, unsigned thread) const
    {
        return ((r & 1) * blocks + block) * workers + thread;
    }
    __device__ static unsigned word(unsigned r, unsigned gpu, unsigned place)
    {
        return r * 7919u + gpu * 104729u + place;
    }

    __device__ void leave(unsigned r) const
    {
        unsigned at = place(r, block(), thread_in_block());
        board[gpu()][at] = word(r, gpu(), at);
        if (checks)
            mail[(gpu() + 1) % gpus][at] = word(r, gpu(), at);
    }
    __device__ void find(unsigned r) const
    {
        unsigned wrong = 0, own = place(r, block(), thread_in_block());
        if (!checks)
            return;
        for (unsigned g = 0; g < gpus; g++) {
            unsigned at =
                place(r, (block() + 1 + r * 31 + g * 37) % blocks, (thread_in_block() + r * 17) % workers);
            wrong += board[g][at] != word(r, g, at);
        }
        wrong += mail[gpu()][own] != word(r, (gpu() + gpus - 1) % gpus, own);
        if (wrong)
            atomicAdd(errors[gpu()], wrong);
    }
    /* Returns the number of words that a thread checks in a round. */
    static unsigned looks(unsigned gpus) { return gpus + 1; }

    __device__ void come_late() const
    {
        if (late_cycles && gpu() == gpus - 1)
            for (long long begin = clock64(); clock64() - begin < late_cycles;) {
            }
    }
};

#endif
