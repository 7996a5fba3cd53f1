/*
 * Bitonic sort with few barriers: in place of a step of the network between two barriers, as many as a block can do
 * with the 2^R keys whose indices differ in any R bits. R + 4 steps or so for one barrier: 12 of them in place of 171
 * for 2^18 keys.
 *
 *     step 0: blocks sort runs of 2^R keys that lie together
 *     step 1, 2, ...: a pass (bitonic/passes.h): blocks gather tiles, do the pass's steps, put the keys back
 *
 * How it differs from the paper's sort (bitonic/bitonic.cu): the same network and the same order of its steps, but a
 * thread keeps 16 keys in registers, and threads exchange keys through shared memory. Where a run is descending the
 * keys are complemented, so that every comparison is a minimum and a maximum.
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

/* A tile of 2^R keys in shared memory, by one block of 2^(R-4) threads. */
template <int R, class Key>
struct sort_tile {
    static constexpr unsigned THREADS = 1u << (R - LOG_HELD);
    static constexpr size_t SHARED_BYTES = sizeof(Key) << R;

    /* The first key of a thread that holds local bits LOW to LOW + 3. */
    template <int LOW>
    static __device__ __forceinline__ unsigned first_key()
    {
        unsigned t = threadIdx.x;
        return sort_place((t & ((1u << LOW) - 1)) | (t >> LOW) << (LOW + LOG_HELD));
    }

    template <int LOW>
    static __device__ __forceinline__ void take(Key *v)
    {
        Key *shared = dynamic_shared<Key>(), first = first_key<LOW>();
        UNROLL(16)
        for (unsigned i = 0; i < HELD; i++)
            v[i] = shared[first ^ sort_place(i << LOW)];
    }
    template <int LOW>
    static __device__ __forceinline__ void put(const Key *v)
    {
        Key *shared = dynamic_shared<Key>(), first = first_key<LOW>();
        UNROLL(16)
        for (unsigned i = 0; i < HELD; i++)
            shared[first ^ sort_place(i << LOW)] = v[i];
    }

    /* The step between registers whose numbers differ in this bit. */
    template <int BIT>
    static __device__ __forceinline__ void compare(Key *v)
    {
        UNROLL(16)
        for (int i = 0; i < HELD; i++) {
            if (i & 1 << BIT)
                continue;
            Key a = v[i], b = v[i | 1 << BIT];
            v[i] = a < b ? a : b;
            v[i | 1 << BIT] = a < b ? b : a;
        }
    }

    /* The steps on local bits from `high` - 1 down to `low`, as far as they are LOW + BIT down to LOW; at `change` the
     * keys' direction changes. */
    template <int LOW, int BIT>
    static __device__ __forceinline__ void steps(Key *v, int high, int low, int change, Key flip)
    {
        constexpr int local = LOW + BIT;
        if (local < high && local >= low) {
            if (local == change) {
                UNROLL(16)
                for (int i = 0; i < HELD; i++)
                    v[i] ^= i & 1 << BIT ? ~flip : flip;
            }
            compare<BIT>(v);
        }
        if constexpr (BIT > 0)
            steps<LOW, BIT - 1>(v, high, low, change, flip);
    }

    /* The same without a direction's change, of all those bits: straight code, which most are. */
    template <int BIT>
    static __device__ __forceinline__ void all_steps(Key *v)
    {
        compare<BIT>(v);
        if constexpr (BIT > 0)
            all_steps<BIT - 1>(v);
    }

    /* The threads that exchange keys before the next phase: those that hold local bits 5 and lower keep within their
     * warp. After the last phase the caller meets. */
    template <int LOW>
    static __device__ __forceinline__ void meet()
    {
        if (LOW > 5)
            __syncthreads();
        else if (LOW > 0)
            __syncwarp();
    }

    /*
     * All steps from local bit `high` - 1 down to `low` of the tile in shared memory; TOP: local bits that are done.
     * With KEEP the last keys, of local bits 0 to 3, stay in `v` alone.
     */
    template <int TOP, bool KEEP>
    static __device__ __forceinline__ void merge(Key *v, int high, int low, int change, Key flip)
    {
        constexpr int LOW = TOP > LOG_HELD ? TOP - LOG_HELD : 0;
        if (LOW < high && (TOP > low || (KEEP && LOW == 0))) {
            take<LOW>(v);
            if (low <= LOW && high >= TOP && (change < LOW || change >= TOP))
                all_steps<TOP - LOW - 1>(v);
            else
                steps<LOW, TOP - LOW - 1>(v, high, low, change, flip);
            if (!KEEP || LOW > 0) {
                put<LOW>(v);
                meet<LOW>();
            }
        }
        if constexpr (LOW > 0)
            merge<LOW, KEEP>(v, high, low, change, flip);
    }

    /* ---- step 0 ---- */

    static __device__ __forceinline__ void complement(Key *v, Key by)
    {
        UNROLL(16)
        for (int i = 0; i < HELD; i++)
            v[i] ^= by;
    }

    /* The stages of 2, 4, 8 and 16 keys, all in registers; runs descend where bit STAGE of the index is set. */
    template <int STAGE>
    static __device__ __forceinline__ void sort_held(Key *v, unsigned index)
    {
        if constexpr (STAGE > 1)
            sort_held<STAGE - 1>(v, index);
        UNROLL(16)
        for (int i = 0; i < HELD; i++)
            v[i] ^= ones_if<Key>(index + (unsigned)i, STAGE);
        steps<0, STAGE - 1>(v, STAGE, 0, -1, 0);
        UNROLL(16)
        for (int i = 0; i < HELD; i++)
            v[i] ^= ones_if<Key>(index + (unsigned)i, STAGE);
    }

    static __device__ __noinline__ void sort_run(const Key *from, Key *to, unsigned tile)
    {
        Key v[HELD];
        unsigned index = (tile << R) + threadIdx.x * HELD;
        UNROLL(4)
        for (int q = 0; q < HELD / 4; q++) {
            four_keys<Key> x = ((const four_keys<Key> *)(from + index))[q];
            UNROLL(4)
            for (int i = 0; i < 4; i++)
                v[4 * q + i] = x.of[i];
        }
        sort_held<LOG_HELD>(v, index);
        for (int stage = LOG_HELD + 1; stage <= R; stage++) {
            Key descending = ones_if<Key>(index, stage);
            complement(v, descending);
            put<0>(v);
            __syncthreads();
            merge<R, true>(v, stage, 0, -1, 0);
            complement(v, descending); /* each thread puts its keys where it took them from */
        }
        UNROLL(4)
        for (int q = 0; q < HELD / 4; q++)
            ((four_keys<Key> *)(to + index))[q] = {{v[4 * q], v[4 * q + 1], v[4 * q + 2], v[4 * q + 3]}};
    }

    /* ---- a pass ---- */

    /* This thread's place in a pass: of its packs' first keys, and from there to the others of a pack. */
    struct place_in_pass {
        unsigned base; /* of the block's first tile */
        sort_words index, first, next;
        int lowest, change, from, to;
    };

    static __device__ __forceinline__ unsigned base_of(const sort_pass *p, unsigned tile)
    {
        sort_words mask = p->tile_mask, shift = p->tile_shift;
        unsigned base = 0;
        UNROLL(4)
        for (int run = 0; run < 4; run++)
            base |= (tile & mask.of[run]) << shift.of[run];
        return base;
    }

    static __device__ __forceinline__ void find_place(const sort_pass *p, const sort_thread *threads,
                                                      place_in_pass *out)
    {
        sort_thread mine = threads[threadIdx.x];
        out->index = p->index_of_pack;
        out->first = p->place_of_pack;
        out->next = p->place_of_key;
        out->lowest = p->lowest;
        out->change = p->change;
        out->from = p->from;
        out->to = p->to;
        out->base = base_of(p, blockIdx.x);
        UNROLL(4)
        for (unsigned q = 0; q < PACKS; q++) {
            out->index.of[q] |= mine.index;
            out->first.of[q] ^= mine.place;
        }
    }

    static __device__ __forceinline__ void do_pass(Key *keys, const place_in_pass &p, unsigned base)
    {
        Key *shared = dynamic_shared<Key>(), v[HELD];
        Key flip = ones_if<Key>(base, p.to);
        four_keys<Key> x[PACKS];
        UNROLL(4)
        for (unsigned q = 0; q < PACKS; q++)
            x[q] = *(const four_keys<Key> *)(keys + (base | p.index.of[q]));
        UNROLL(4)
        for (unsigned q = 0; q < PACKS; q++) {
            Key descending = ones_if<Key>(base | p.index.of[q], p.from);
            UNROLL(4)
            for (unsigned i = 0; i < 4; i++)
                shared[p.first.of[q] ^ p.next.of[i]] = x[q].of[i] ^ descending;
        }
        __syncthreads();
        merge<R, false>(v, R, p.lowest, p.change, flip);
        __syncthreads();
        UNROLL(4)
        for (unsigned q = 0; q < PACKS; q++) {
            UNROLL(4)
            for (unsigned i = 0; i < 4; i++)
                x[q].of[i] = shared[p.first.of[q] ^ p.next.of[i]] ^ flip;
            *(four_keys<Key> *)(keys + (base | p.index.of[q])) = x[q];
        }
    }
};

/* The step of harness/step_loop.cuh. `plan`: on the device. */
template <int R, class Key>
struct few_barriers_sort {
    const Key *input;
    Key *keys;
    const sort_plan *plan;
    int log_n;
    typename sort_tile<R, Key>::place_in_pass place; /* of the step that comes */

    __device__ void look_ahead(int s)
    {
        if (s > 0)
            sort_tile<R, Key>::find_place(&plan->pass[s - 1], plan->thread[s - 1], &place);
    }

    __device__ void operator()(int s) const
    {
        unsigned base = place.base;
        for (unsigned tile = blockIdx.x; tile < 1u << (log_n - R); tile += gridDim.x) {
            if (tile != blockIdx.x) {
                __syncthreads(); /* the tile before is done with the shared memory */
                base = s ? sort_tile<R, Key>::base_of(&plan->pass[s - 1], tile) : 0;
            }
            if (s == 0)
                sort_tile<R, Key>::sort_run(input, keys, tile);
            else
                sort_tile<R, Key>::do_pass(keys, place, base);
        }
    }
};

#endif
