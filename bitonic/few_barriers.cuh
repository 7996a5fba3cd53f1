/*
 * Bitonic sort with few barriers: between two barriers a block does not do one step of the network, but all
 * steps that it can do with 2^R keys whose indices differ in R bits. That makes R steps for one barrier: 11
 * passes in place of 210 steps for 2^20 keys.
 *
 *     step 0: blocks sort runs of 2^R adjacent keys
 *     step 1, 2, ...: a pass (bitonic/passes.h): blocks take tiles, do the pass's steps, and store the keys
 *             so that the next pass's tiles lie in whole sectors
 *
 * The network and the order of its steps are as in Xiao and Feng's sort (bitonic/bitonic.cu). But a thread
 * keeps 16 keys in registers, loads them directly from memory and stores them directly to memory, and threads
 * exchange keys through shared memory, twice a pass. The keys of a descending run are complemented, in memory
 * too, so that every comparison is a minimum and a maximum.
 *
 * Clusters do not pay. 2^20 keys on an H100, in a graph, take 50 us with R = 12 (CUB: 70 us). With clusters
 * of 2, 4 and 8 blocks that exchange keys by stores to each other (R = 14, 15, 15) they take 87, 183 and 178
 * us. Even if the stores of the first two stay in the block, as if such an exchange cost no more than one
 * within a block (which does not sort), they take 56 and 74 us.
 */
#ifndef BITONIC_FEW_BARRIERS_CUH
#define BITONIC_FEW_BARRIERS_CUH

#include "bitonic/passes.h"
#include "harness/kernel.cuh"

#define HELD (1 << LOG_HELD)

/* Four keys, for one load or store. A key has 4 bytes, or 8: a key and, in the lower half, a value. */
template <class Key>
struct alignas(16) four_keys {
    Key of[4];
};

/* Returns all ones if bit number `bit` of the index is set, else 0. */
template <class Key>
static __device__ __forceinline__ Key ones_if(unsigned index, int bit)
{
    return 0 - (Key)((unsigned long long)index >> bit & 1);
}

template <int BITS>
static __device__ __forceinline__ unsigned sum_over_bits(unsigned number, const unsigned *of_bit)
{
    unsigned sum = 0;
    UNROLL(8)
    for (int b = 0; b < BITS; b++)
        sum += number >> b & 1 ? of_bit[b] : 0;
    return sum;
}

/* The number of local bits on which a phase has steps: in phase PHASE, `count` of the local bits are in
 * registers and had no step in an earlier phase. */
template <int R, int PHASE>
struct bits_of_phase {
    static constexpr int count = PHASE ? PHASE_LOW(R, PHASE - 1) - PHASE_LOW(R, PHASE) : LOG_HELD;
};

/* Sorts a tile of 2^R keys in shared memory with one block of 2^(R-4) threads. */
template <int R, class Key>
struct sort_tile {
    static constexpr unsigned THREADS = 1u << (R - LOG_HELD);
    static constexpr size_t SHARED_BYTES = sizeof(Key) * (sort_place((1u << R) - 1) + 1);

    /* Reads the thread's 16 keys for phase PHASE from shared memory; the first key is at place `own`. */
    template <int PHASE>
    static __device__ __forceinline__ void take(Key *v, unsigned own)
    {
        const Key *shared = dynamic_shared<Key>() + own;
        UNROLL(16)
        for (unsigned i = 0; i < HELD; i++)
            v[i] = shared[sort_place(i << PHASE_LOW(R, PHASE))];
    }
    template <int PHASE>
    static __device__ __forceinline__ void put(const Key *v, unsigned own)
    {
        Key *shared = dynamic_shared<Key>() + own;
        UNROLL(16)
        for (unsigned i = 0; i < HELD; i++)
            shared[sort_place(i << PHASE_LOW(R, PHASE))] = v[i];
    }

    /* Does the step that compares registers whose numbers differ in bit BIT. In registers whose numbers have
     * bit STAGE set, the order of the keys is descending. */
    template <int BIT, int STAGE = LOG_HELD>
    static __device__ __forceinline__ void compare(Key *v)
    {
        UNROLL(16)
        for (int i = 0; i < HELD; i++) {
            if (i & 1 << BIT)
                continue;
            int low = i, high = i | 1 << BIT;
            Key a = v[low], b = v[high];
            v[i & 1 << STAGE ? high : low] = a < b ? a : b;
            v[i & 1 << STAGE ? low : high] = a < b ? b : a;
        }
    }

    static __device__ __forceinline__ void complement(Key *v, Key by)
    {
        UNROLL(16)
        for (int i = 0; i < HELD; i++)
            v[i] ^= by;
    }

    /* ---- step 0 ---- */

    /* Sorts the thread's 16 keys in registers: does the network's stages 1 to STAGE, where stage s merges
     * runs into runs of 2^s keys. */
    template <int STAGE>
    static __device__ __forceinline__ void sort_held(Key *v, Key last_descends)
    {
        if constexpr (STAGE > 1)
            sort_held<STAGE - 1>(v, last_descends);
        if (STAGE == LOG_HELD)
            complement(v, last_descends);
        merge_held<STAGE, STAGE - 1>(v);
    }
    template <int STAGE, int BIT>
    static __device__ __forceinline__ void merge_held(Key *v)
    {
        compare<BIT, STAGE>(v);
        if constexpr (BIT > 0)
            merge_held<STAGE, BIT - 1>(v);
    }

    /* Does the steps of phase PHASE that belong to a merge of 2^stage keys, from the step on bit BIT down. */
    template <int PHASE, int BIT>
    static __device__ __forceinline__ void steps_of_stage(Key *v, int stage)
    {
        if (PHASE_LOW(R, PHASE) + BIT < stage)
            compare<BIT>(v);
        if constexpr (BIT > 0)
            steps_of_stage<PHASE, BIT - 1>(v, stage);
    }

    /* Does phase PHASE and the later phases of a merge of 2^stage keys. The last phase leaves the keys in
     * `v`. */
    template <int PHASE>
    static __device__ __forceinline__ void merge(Key *v, const sort_thread &mine, int stage)
    {
        if (PHASE_LOW(R, PHASE) < stage) {
            take<PHASE>(v, mine.place[PHASE]);
            steps_of_stage<PHASE, bits_of_phase<R, PHASE>::count - 1>(v, stage);
            if (PHASE + 1 < PHASES) {
                put<PHASE>(v, mine.place[PHASE]);
                __syncthreads();
            }
        }
        if constexpr (PHASE + 1 < PHASES)
            merge<PHASE + 1>(v, mine, stage);
    }

    /* Sorts the tile's keys into one run, as step 0 does; `index` is the index of the thread's first key. */
    static __device__ __forceinline__ void sort_run(Key *v, unsigned index, const sort_thread &mine)
    {
        sort_held<LOG_HELD>(v, ones_if<Key>(index, LOG_HELD));
        for (int stage = LOG_HELD + 1; stage <= R; stage++) {
            complement(v, ones_if<Key>(index ^ index << 1, stage));
            put<PHASES - 1>(v, mine.place[PHASES - 1]);
            __syncthreads();
            merge<0>(v, mine, stage);
        }
    }

    /* ---- a pass ---- */

    template <int PHASE, int BIT>
    static __device__ __forceinline__ void steps(Key *v, const sort_pass &pass, Key flip)
    {
        constexpr int local = PHASE_LOW(R, PHASE) + BIT;
        if (local == pass.change) {
            UNROLL(16)
            for (int i = 0; i < HELD; i++)
                v[i] ^= i & 1 << BIT ? ~flip : flip;
        }
        if (local < IDLE_FIRST || local >= IDLE_FIRST + IDLE_BITS || !pass.idle)
            compare<BIT>(v);
        if constexpr (BIT > 0)
            steps<PHASE, BIT - 1>(v, pass, flip);
    }

    template <int PHASE>
    static __device__ __forceinline__ void do_pass(Key *v, const sort_thread &mine, const sort_pass &pass,
                                                   Key flip)
    {
        steps<PHASE, bits_of_phase<R, PHASE>::count - 1>(v, pass, flip);
        if constexpr (PHASE + 1 < PHASES) {
            put<PHASE>(v, mine.place[PHASE]);
            __syncthreads();
            take<PHASE + 1>(v, mine.place[PHASE + 1]);
            do_pass<PHASE + 1>(v, mine, pass, flip);
        }
    }

    /* ---- loads and stores of keys in global memory, whose order bitonic/passes.h describes ---- */

    static __device__ __forceinline__ void load_run(Key *v, const Key *from)
    {
        UNROLL(4)
        for (int q = 0; q < HELD / 4; q++) {
            four_keys<Key> x = ((const four_keys<Key> *)from)[q];
            UNROLL(4)
            for (int i = 0; i < 4; i++)
                v[4 * q + i] = x.of[i];
        }
    }
    static __device__ __forceinline__ void load(Key *v, const Key *from)
    {
        UNROLL(16)
        for (int i = 0; i < HELD; i++)
            v[i] = from[i << LOG_LINE];
    }
    static __device__ __forceinline__ void store(const Key *v, Key *to)
    {
        UNROLL(16)
        for (int i = 0; i < HELD; i++)
            to[i << (LOG_LINE + LOG_HELD)] = v[i];
    }
    static __device__ __forceinline__ void store_run(const Key *v, Key *to, const sort_runs &runs)
    {
        UNROLL(16)
        for (unsigned i = 0; i < HELD; i++)
            to[sum_over_bits<LOG_HELD>(i, runs.store)] = v[i];
    }
    static __device__ __forceinline__ void store_last(const Key *v, Key *to)
    {
        UNROLL(4)
        for (int q = 0; q < HELD / 4; q++)
            ((four_keys<Key> *)to)[q] = {{v[4 * q], v[4 * q + 1], v[4 * q + 2], v[4 * q + 3]}};
    }
};

/* The few-barriers bitonic sort as a step loop (harness/step_loop.cuh). `plan` is in device memory. */
template <int R, class Key>
struct few_barriers_sort {
    typedef sort_tile<R, Key> tile_of_keys;
    static constexpr unsigned THREADS = tile_of_keys::THREADS;
    static constexpr size_t SHARED_BYTES = tile_of_keys::SHARED_BYTES;

    const Key *input;
    Key *keys, *scratch; /* the arrays that steps store to in turn; the last step stores to `keys` */
    const sort_plan *plan;
    int log_n, passes;
    sort_runs runs;
    sort_pass pass; /* the next step's pass, which look_ahead() loads from the plan */
    sort_thread mine;
    /* the amount that the number of the block's first tile adds to the places of keys in the next step: `low`
     * comes from the lower bits of the number, `high` from the upper bits */
    sort_base low, high;

    /* Loads the data of step s from the plan. It computes nothing with the loaded values, because it would
     * wait for the loads, while the block's leader has to poll the barrier. */
    __device__ void look_ahead(int s)
    {
        pass = plan->pass[s];
        mine = plan->thread[s][threadIdx.x];
        low = plan->low[s][blockIdx.x % (1 << TILE_TABLE)];
        high = plan->high[s][blockIdx.x >> TILE_TABLE];
    }

    __device__ void operator()(int s)
    {
        for (unsigned tile = blockIdx.x; tile < 1u << (log_n - R); tile += gridDim.x) {
            if (tile != blockIdx.x) {
                __syncthreads(); /* all threads wait here until all have finished with the previous tile in
                                  * shared memory */
                low = plan->low[s][tile % (1 << TILE_TABLE)];
                high = plan->high[s][tile >> TILE_TABLE];
            }
            if (s == 0)
                run_of(tile);
            else
                pass_of(s);
        }
    }

    __device__ Key *stored_by(int s) const { return (passes - s) & 1 ? scratch : keys; }

    __device__ __forceinline__ Key *place_of_store(int s) const
    {
        return stored_by(s) + (low.store + high.store + mine.store);
    }

    __device__ __forceinline__ void run_of(unsigned tile) const
    {
        unsigned index = (tile << R) + sum_over_bits<R - LOG_HELD>(threadIdx.x, runs.index);
        Key v[HELD];
        tile_of_keys::load_run(v, input + index);
        tile_of_keys::sort_run(v, index, mine);
        tile_of_keys::store_run(v, place_of_store(0), runs);
    }

    __device__ __forceinline__ void pass_of(int s) const
    {
        Key v[HELD], flip = ones_if<Key>(low.flip | high.flip, 0);
        tile_of_keys::load(v, stored_by(s - 1) + (low.load + high.load + mine.load));
        tile_of_keys::template do_pass<0>(v, mine, pass, flip);
        if (s == passes)
            tile_of_keys::store_last(v, place_of_store(s));
        else
            tile_of_keys::store(v, place_of_store(s));
    }
};

#endif
