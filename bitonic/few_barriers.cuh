/*
 * Bitonic sort with few barriers: in place of a step of the network between two barriers, as many as a block can do
 * with the 2^R keys whose indices differ in any R bits: R steps for one barrier, 11 passes in place of 210 steps for
 * 2^20 keys.
 *
 *     step 0: blocks sort runs of 2^R keys that lie together
 *     step 1, 2, ...: a pass (bitonic/passes.h): blocks take tiles, do the pass's steps, put the keys where the next
 *     pass's tiles lie in whole sectors
 *
 * How it differs from the paper's sort (bitonic/bitonic.cu): the same network and the same order of its steps, but a
 * thread keeps 16 keys in registers, straight from and to memory, and threads exchange keys through shared memory,
 * twice a pass. Where a run is descending the keys are complemented, in memory too, so that every comparison is a
 * minimum and a maximum.
 */
#ifndef BITONIC_FEW_BARRIERS_CUH
#define BITONIC_FEW_BARRIERS_CUH

#include "bitonic/passes.h"
#include "harness/kernel.cuh"

#define HELD (1 << LOG_HELD)

/* Keys of 4 bytes, or of 8: a key and behind it a value, in one. They move by fours. */
template <class Key>
struct alignas(16) four_keys {
    Key of[4];
};

/* All ones where this bit of the index is set. */
template <class Key>
static __device__ __forceinline__ Key ones_if(unsigned index, int bit)
{
    return 0 - (Key)((unsigned long long)index >> bit & 1);
}

/* The register bits that a phase has steps on: what is left for it of the local bits. */
template <int R, int PHASE>
struct bits_of_phase {
    static constexpr int count = PHASE ? PHASE_LOW(R, PHASE - 1) - PHASE_LOW(R, PHASE) : LOG_HELD;
};

/* A tile of 2^R keys in shared memory, by one block of 2^(R-4) threads. */
template <int R, class Key>
struct sort_tile {
    static constexpr unsigned THREADS = 1u << (R - LOG_HELD);
    static constexpr size_t SHARED_BYTES = sizeof(Key) * ((1u << R) + (1u << (R - 5)) + (1u << (R - 10)));

    /* `own`: where the thread's first key lies. */
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

    /* The step between registers whose numbers differ in this bit; descending where bit STAGE is set. */
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

    /* The stages of 2, 4, 8 and 16 keys, all in registers. */
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

    /* Those steps of a phase that a merge of 2^stage keys has. */
    template <int PHASE, int BIT>
    static __device__ __forceinline__ void steps_of_stage(Key *v, int stage)
    {
        if (PHASE_LOW(R, PHASE) + BIT < stage)
            compare<BIT>(v);
        if constexpr (BIT > 0)
            steps_of_stage<PHASE, BIT - 1>(v, stage);
    }

    /* The last phase leaves the keys in `v`. */
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

    static __device__ __forceinline__ void sort_run(const Key *from, unsigned index, const sort_thread &mine,
                                                    Key *v)
    {
        UNROLL(4)
        for (int q = 0; q < HELD / 4; q++) {
            four_keys<Key> x = ((const four_keys<Key> *)from)[q];
            UNROLL(4)
            for (int i = 0; i < 4; i++)
                v[4 * q + i] = x.of[i];
        }
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

    /* ---- memory: the order of bitonic/passes.h ---- */

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
    static __device__ __forceinline__ void store_run(const Key *v, Key *to, sort_words by_bit)
    {
        UNROLL(16)
        for (unsigned i = 0; i < HELD; i++) {
            unsigned place = 0;
            UNROLL(4)
            for (int b = 0; b < LOG_HELD; b++)
                place += i >> b & 1 ? by_bit.of[b] : 0;
            to[place] = v[i];
        }
    }
    static __device__ __forceinline__ void store_last(const Key *v, Key *to)
    {
        UNROLL(4)
        for (int q = 0; q < HELD / 4; q++)
            ((four_keys<Key> *)to)[q] = {{v[4 * q], v[4 * q + 1], v[4 * q + 2], v[4 * q + 3]}};
    }
};

/* The step of harness/step_loop.cuh. `plan`: on the device. */
template <int R, class Key>
struct few_barriers_sort {
    typedef sort_tile<R, Key> tile_of_keys;

    const Key *input;
    Key *keys, *scratch; /* the last step stores in `keys` */
    const sort_plan *plan;
    int log_n, passes;
    sort_pass pass; /* of the step that comes, as what follows */
    sort_thread mine;
    struct place {
        const Key *from;
        Key *to, flip;
    } first; /* of the block's tiles */

    __device__ Key *stored_by(int s) const { return (passes - s) & 1 ? scratch : keys; }

    __device__ place place_of(int s, unsigned tile) const
    {
        sort_base a = plan->low[s][tile % (1 << TILE_TABLE)], b = plan->high[s][tile >> TILE_TABLE];
        const Key *from = s ? stored_by(s - 1) : input;
        return {from + (a.load + b.load + mine.load), stored_by(s) + (a.store + b.store + mine.store),
                ones_if<Key>(a.flip | b.flip, 0)};
    }

    __device__ void look_ahead(int s)
    {
        pass = plan->pass[s];
        mine = plan->thread[s][threadIdx.x];
        first = place_of(s, blockIdx.x);
    }

    __device__ void operator()(int s) const
    {
        place at = first;
        for (unsigned tile = blockIdx.x; tile < 1u << (log_n - R); tile += gridDim.x) {
            if (tile != blockIdx.x) {
                __syncthreads(); /* the tile before is done with the shared memory */
                at = place_of(s, tile);
            }
            Key v[HELD];
            if (s == 0) {
                sort_words by_bit = plan->run_store; /* not behind the sort, where it is waited for */
                tile_of_keys::sort_run(at.from, (tile << R) + mine.load, mine, v);
                tile_of_keys::store_run(v, at.to, by_bit);
                continue;
            }
            tile_of_keys::load(v, at.from);
            tile_of_keys::template do_pass<0>(v, mine, pass, at.flip);
            if (s == passes)
                tile_of_keys::store_last(v, at.to);
            else
                tile_of_keys::store(v, at.to);
        }
    }
};

#endif
