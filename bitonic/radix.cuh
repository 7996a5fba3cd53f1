/*
 * A radix sort with seven barriers, for inputs too large for the bitonic network. Keys are sorted by 8 bits
 * at a time, the lowest first, and stay in order where these bits are equal.
 *
 *     step 2 p: each block counts the keys of its share by digit p
 *     step 2 p + 1: each block finds from all counts where its keys of a digit begin, and stores them there
 *
 * A block's share of the keys is a range of the keys that the preceding pass stored. It is moved in tiles:
 * each warp ranks the keys of its part of the tile among the keys with the same digit, the block puts the
 * tile in order in shared memory, and stores runs of equal digits to adjacent places. Counts are summed up
 * over groups of blocks and within a group, so that a block reads some thirty rows of counts, not one for
 * each block.
 *
 * In contrast to CUB's DeviceRadixSort, in which each tile of a pass waits for counts of the preceding tiles
 * (Adinets and Merrill 2022, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs"), keys are read
 * twice a pass, and nothing is launched or cleared between passes.
 */
#ifndef BITONIC_RADIX_CUH
#define BITONIC_RADIX_CUH

#include "harness/kernel.cuh"
#include "harness/block_sums.cuh"

#define DIGIT_BITS 8
#define DIGITS 256u
#define DIGITS_OF_KEY 4
#define GROUP_OF_BLOCKS 16 /* the number of blocks whose counts are summed up together */

/* The radix sort as a step loop, two steps for each digit (harness/step_loop.cuh). A key has 4 bytes, or 8: a
 * key and, in the lower half, a value. */
template <class Key, unsigned OF_BLOCK = 512>
struct radix_sort {
    static constexpr unsigned THREADS = OF_BLOCK, BLOCKS_AT_ONCE = 1024 / OF_BLOCK;
    static constexpr unsigned WARPS = THREADS / 32, PARTS = THREADS / DIGITS;
    /* largest number of keys that a thread holds in registers */
    static constexpr int MOST_HELD = 64 / sizeof(Key);
    static constexpr unsigned TILE = THREADS * MOST_HELD;

    /* A counter by which one warp ranks its keys with the same digit: `lanes` is the mask of the lanes
     * whose current key has the digit, `count` the number of earlier keys with this digit. At the end `count`
     * is the place in the tile where the warp's keys with this digit begin. */
    struct alignas(8) digit_counter {
        unsigned lanes, count;
    };
    struct shared_memory {
        Key keys[TILE];
        digit_counter counters[WARPS][DIGITS];
        /* for each digit, a key's place in memory minus its place in the sorted tile */
        unsigned place[DIGITS];
        unsigned all[PARTS][DIGITS], before[PARTS][DIGITS];
        unsigned of_warp[DIGITS / 32];
    };
    static constexpr size_t SHARED_BYTES = sizeof(shared_memory);

    const Key *input;
    Key *keys, *scratch; /* the arrays that passes store to in turn; the last pass stores to `keys` */
    unsigned *counts;    /* numbers of keys by digit; one row for each block */
    /* sums of `counts` over each group of blocks: one set of rows for even passes and one for odd passes; the
     * rows for even passes are zero between launches */
    unsigned *groups;
    unsigned n; /* a multiple of 32 */

    static constexpr int ALL_STEPS = 2 * DIGITS_OF_KEY;
    static __host__ __device__ unsigned groups_of(unsigned blocks)
    {
        return (blocks + GROUP_OF_BLOCKS - 1) / GROUP_OF_BLOCKS;
    }

    __device__ void look_ahead(int) {}

    __device__ void operator()(int s)
    {
        if (s % 2 == 0)
            count(s / 2);
        else
            move(s / 2);
    }

    /* Returns the index of the first key of a block's share. */
    __device__ unsigned share_of(unsigned block) const
    {
        return (unsigned)((unsigned long long)(n / 32) * block / gridDim.x) * 32;
    }

  private:
    __device__ static shared_memory &shared() { return *dynamic_shared<shared_memory>(); }

    __device__ static __forceinline__ unsigned digit_of(Key key, int pass)
    {
        return (unsigned)(key >> (8 * sizeof(Key) - 32 + DIGIT_BITS * pass)) % DIGITS;
    }
    __device__ const Key *read_by(int pass) const { return pass == 0 ? input : pass % 2 ? scratch : keys; }
    __device__ Key *stored_by(int pass) const { return pass % 2 ? keys : scratch; }

    /* Returns how many keys of each tile a thread holds, if the block's share has `share` keys (possibly 0).
     * It is the smallest number that does not increase the number of tiles. */
    __device__ static unsigned held_of(unsigned share)
    {
        unsigned tiles = share ? (share + TILE - 1) / TILE : 1, threads = tiles * THREADS;
        return (share + threads - 1) / threads;
    }

    /* ---- a tile of keys: warp w has `held` rows of 32 keys, from place w * 32 * held on, and loads a row at
     * once ---- */

    __device__ static unsigned place_of_thread(unsigned held)
    {
        return warp_of_block() * 32 * held + lane_of_warp();
    }
    /* Loads this thread's keys of a tile. Registers for places from `length` on get the largest key, which
     * comes last in the order. */
    __device__ static __forceinline__ void load(Key (&v)[MOST_HELD], const Key *from, unsigned length,
                                                unsigned held)
    {
        const Key *mine = from + place_of_thread(held);
        const int left = (int)(length - place_of_thread(held));
        UNROLL(16)
        for (int i = 0; i < MOST_HELD; i++)
            v[i] = i < (int)held && i * 32 < left ? mine[i * 32] : ~(Key)0;
    }

    /* Sets ranks[i] to the number of the warp's keys that come before key i and have the same digit.
     * Afterwards the warp's counters contain its number of keys with each digit. */
    __device__ static __forceinline__ void rank(const Key (&v)[MOST_HELD], unsigned (&ranks)[MOST_HELD],
                                                unsigned held, int pass)
    {
        digit_counter *counters = shared().counters[warp_of_block()];
        const unsigned lane = 1u << lane_of_warp();
        for (unsigned d = lane_of_warp(); d < DIGITS; d += 32)
            counters[d] = {0, 0};
        __syncwarp();
        UNROLL(16)
        for (int i = 0; i < MOST_HELD; i++)
            if (i < (int)held) {
                digit_counter &mine = counters[digit_of(v[i], pass)];
                atomicAdd(&mine.lanes, lane); /* each lane adds its own bit, so the sum is an "or" */
                __syncwarp();
                const digit_counter taken = mine;
                const unsigned below = __popc(taken.lanes & (lane - 1));
                __syncwarp();
                if (below == 0)
                    mine = {0, taken.count + __popc(taken.lanes)};
                __syncwarp();
                ranks[i] = taken.count + below;
            }
    }

    /* Returns the sum of `number` over the threads before this one. Only the first DIGITS threads have a
     * number to add. */
    __device__ static __forceinline__ unsigned sum_before(unsigned number)
    {
        unsigned up_to = threadIdx.x < DIGITS ? scan_of_warp(number) : 0;
        if (threadIdx.x < DIGITS && lane_of_warp() == 31)
            shared().of_warp[warp_of_block()] = up_to;
        __syncthreads();
        unsigned before = up_to - number;
        if (threadIdx.x < DIGITS)
            for (unsigned w = 0; w < warp_of_block(); w++)
                before += shared().of_warp[w];
        return before;
    }

    /* Replaces each warp's count of a digit by the place in the tile where the warp's keys with this digit
     * begin. `begin` is the place in memory where this tile's keys with the thread's digit begin; it is
     * advanced to the place for the next tile. */
    __device__ static __forceinline__ void place(unsigned &begin)
    {
        const unsigned digit = threadIdx.x;
        unsigned count = 0;
        if (digit < DIGITS) {
            UNROLL(16)
            for (unsigned w = 0; w < WARPS; w++)
                count += shared().counters[w][digit].count;
        }
        unsigned in_tile = sum_before(count);
        if (digit < DIGITS) {
            shared().place[digit] = begin - in_tile;
            begin += count;
            UNROLL(16)
            for (unsigned w = 0; w < WARPS; w++) {
                unsigned of_warp = shared().counters[w][digit].count;
                shared().counters[w][digit].count = in_tile;
                in_tile += of_warp;
            }
        }
    }

    /* Sorts the tile by digit number `pass` in shared memory. The block has synchronized when this
     * returns. */
    __device__ static __forceinline__ void order(const Key (&v)[MOST_HELD], unsigned held, int pass,
                                                 unsigned &begin)
    {
        unsigned ranks[MOST_HELD];
        rank(v, ranks, held, pass);
        __syncthreads();
        place(begin);
        __syncthreads();
        const digit_counter *counters = shared().counters[warp_of_block()];
        UNROLL(16)
        for (int i = 0; i < MOST_HELD; i++)
            if (i < (int)held)
                shared().keys[counters[digit_of(v[i], pass)].count + ranks[i]] = v[i];
        __syncthreads();
    }

    /* ---- the steps ---- */

    __device__ void count(int pass) const
    {
        const unsigned digit = threadIdx.x;
        unsigned *of_digit = shared().place;
        if (digit < DIGITS)
            of_digit[digit] = 0;
        __syncthreads();
        count_share(of_digit, pass);
        __syncthreads();
        if (digit >= DIGITS)
            return;
        const unsigned group = blockIdx.x / GROUP_OF_BLOCKS;
        counts[blockIdx.x * DIGITS + digit] = of_digit[digit];
        atomicAdd(row_of_group(pass, group) + digit, of_digit[digit]);
        /* clears the counts of the preceding pass, which all blocks have already read, because the pass after
         * this one adds to them */
        if (blockIdx.x % GROUP_OF_BLOCKS == 0)
            row_of_group(pass + 1, group)[digit] = 0;
    }
    __device__ __forceinline__ void count_share(unsigned *of_digit, int pass) const
    {
        const unsigned end = share_of(blockIdx.x + 1);
        unsigned at = share_of(blockIdx.x);
        const unsigned held = held_of(end - at);
        for (; at < end; at += held * THREADS) {
            Key v[MOST_HELD];
            const int left = (int)(end - at - place_of_thread(held));
            load(v, read_by(pass) + at, end - at, held);
            UNROLL(16)
            for (int i = 0; i < MOST_HELD; i++)
                if (i < (int)held && i * 32 < left)
                    atomicAdd(&of_digit[digit_of(v[i], pass)], 1u);
        }
    }

    __device__ unsigned *row_of_group(int pass, unsigned group) const
    {
        return groups + ((unsigned)pass % 2 * groups_of(gridDim.x) + group) * DIGITS;
    }

    /* Returns where this block's keys with the thread's digit begin in memory: after all keys with a lower
     * digit, and after the preceding blocks' keys with the same digit. The threads form PARTS groups with a
     * thread for each digit; these groups read the rows in turn. */
    __device__ __forceinline__ unsigned begin_of_digit(int pass) const
    {
        const unsigned digit = threadIdx.x % DIGITS, part = threadIdx.x / DIGITS;
        const unsigned group = blockIdx.x / GROUP_OF_BLOCKS, in_group = blockIdx.x % GROUP_OF_BLOCKS;
        const unsigned rows = groups_of(gridDim.x);
        unsigned all = 0, before = 0;
        for (unsigned g = part; g < rows; g += PARTS) {
            unsigned count = row_of_group(pass, g)[digit];
            all += count;
            before += g < group ? count : 0;
        }
        UNROLL(16)
        for (unsigned b = 0; b < GROUP_OF_BLOCKS; b += PARTS)
            if (b + part < in_group)
                before += counts[(group * GROUP_OF_BLOCKS + b + part) * DIGITS + digit];
        shared().all[part][digit] = all;
        shared().before[part][digit] = before;
        __syncthreads();
        for (unsigned p = 1; p < PARTS && part == 0; p++) {
            all += shared().all[p][digit];
            before += shared().before[p][digit];
        }
        return sum_before(all) + before;
    }

    __device__ void move(int pass) const
    {
        Key *to = stored_by(pass);
        const unsigned end = share_of(blockIdx.x + 1);
        unsigned at = share_of(blockIdx.x);
        const unsigned held = held_of(end - at);
        unsigned begin = begin_of_digit(pass);
        for (; at < end; at += held * THREADS) {
            Key v[MOST_HELD];
            load(v, read_by(pass) + at, end - at, held);
            order(v, held, pass, begin);
            store(to, end - at, held, pass);
        }
    }
    /* Stores the sorted tile. No barrier is needed afterwards, because the block synchronizes twice in the
     * next tile before it writes keys to shared memory. */
    __device__ __forceinline__ void store(Key *to, unsigned length, unsigned held, int pass) const
    {
        const Key *sorted = shared().keys + threadIdx.x;
        const int left = (int)(length - threadIdx.x);
        UNROLL(16)
        for (int i = 0; i < MOST_HELD; i++)
            if (i < (int)held && i * (int)THREADS < left) {
                Key key = sorted[i * THREADS];
                unsigned place = shared().place[digit_of(key, pass)] + threadIdx.x + i * THREADS;
                /* without the barrier's fences, counts may be wrong and `place` outside the array */
                if (place < n)
                    to[place] = key;
            }
    }
};

#endif
