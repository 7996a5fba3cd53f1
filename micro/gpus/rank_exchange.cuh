/*
 * The words that ranks exchange in a round, so that a barrier which lets a rank pass too early is noticed.
 * Each rank has two arrays with words for each thread: its board and its mail. Each thread writes a word to
 * its rank's board. The code that runs the round copies the board to the mail of the next rank; where
 * possible, nothing but the barrier orders this copy. After the barrier each thread checks its rank's mail
 * and, for another block, its own board.
 */
#ifndef MICRO_RANK_EXCHANGE_CUH
#define MICRO_RANK_EXCHANGE_CUH

#include "harness/kernel.cuh"

struct RankExchange {
    unsigned *board, *mail; /* two halves of blocks * workers words each, for even and odd rounds */
    unsigned *errors;
    float
        /* two numbers, for even and odd rounds: this rank's number, which NCCL's all-reduce replaces by the
         * sum */
        *numbers;
    unsigned ranks, me, blocks, workers, rounds;
    long long late_cycles; /* cycles by which the last rank is late at each barrier */
    /* `checks`: the run checks the words; `sums`: the barrier is an all-reduce, whose sum is checked, too */
    bool checks, sums;

    __host__ __device__ unsigned words() const { return blocks * workers; }
    __host__ __device__ size_t half(unsigned r) const { return (size_t)(r & 1) * words(); }
    __host__ __device__ unsigned next() const { return (me + 1) % ranks; }
    __host__ __device__ unsigned previous() const { return (me + ranks - 1) % ranks; }
    __device__ static unsigned word(unsigned r, unsigned rank, unsigned place)
    {
        return r * 7919u + rank * 104729u + place;
    }

    __device__ void leave(unsigned r) const
    {
        unsigned place = block_in_grid() * workers + thread_in_block();
        board[half(r) + place] = word(r, me, place);
        if (checks && sums && place == 0)
            numbers[r & 1] = (float)(r % 1024 + me);
    }
    __device__ void find(unsigned r) const
    {
        if (!checks)
            return;
        unsigned own = block_in_grid() * workers + thread_in_block();
        unsigned other =
            (block_in_grid() + 1 + r * 31) % blocks * workers + (thread_in_block() + r * 17) % workers;
        unsigned wrong = mail[half(r) + own] != word(r, previous(), own);
        wrong += board[half(r) + other] != word(r, me, other);
        /* the numbers are whole and below 2^24, so floats add them exactly */
        if (sums)
            wrong += numbers[r & 1] != (float)(ranks * (r % 1024) + ranks * (ranks - 1) / 2);
        if (wrong)
            atomicAdd(errors, wrong);
    }
    /* Returns the number of words that a rank checks in a round. */
    unsigned long long looks() const { return (unsigned long long)words() * (sums ? 3 : 2); }

    __device__ void come_late() const
    {
        if (late_cycles && me == ranks - 1)
            for (long long begin = clock64(); clock64() - begin < late_cycles;) {
            }
    }
};

#endif
