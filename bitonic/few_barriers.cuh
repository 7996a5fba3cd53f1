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

#define LOG_HELD 4 /* log2 of the keys in a thread's registers */
#define HELD (1 << LOG_HELD)

struct alignas(16) four_keys {
    unsigned of[4];
};

/* A tile of 2^R keys in shared memory, by one block of 2^(R-4) threads. */
template <int R>
struct sort_tile {
    static constexpr unsigned THREADS = 1u << (R - LOG_HELD);
    static constexpr size_t SHARED_BYTES = sizeof(unsigned) << R;

    /* Where a key lies, so that threads that differ in any bits find different banks; linear over exclusive or. */
    static __device__ __forceinline__ unsigned place(unsigned key)
    {
        unsigned high = key >> 5;
        return key ^ (high & 31) ^ ((high & 12) << 1);
    }

    /* The first key of a thread that holds local bits LOW to LOW + 3. */
    template <int LOW>
    static __device__ __forceinline__ unsigned first_key()
    {
        unsigned t = threadIdx.x;
        return place((t & ((1u << LOW) - 1)) | (t >> LOW) << (LOW + LOG_HELD));
    }

    template <int LOW>
    static __device__ __forceinline__ void take(unsigned *v)
    {
        unsigned *shared = dynamic_shared<unsigned>(), first = first_key<LOW>();
        UNROLL(16)
        for (unsigned i = 0; i < HELD; i++)
            v[i] = shared[first ^ place(i << LOW)];
    }
    template <int LOW>
    static __device__ __forceinline__ void put(const unsigned *v)
    {
        unsigned *shared = dynamic_shared<unsigned>(), first = first_key<LOW>();
        UNROLL(16)
        for (unsigned i = 0; i < HELD; i++)
            shared[first ^ place(i << LOW)] = v[i];
    }

    /* The step between registers whose numbers differ in this bit. */
    template <int BIT>
    static __device__ __forceinline__ void compare(unsigned *v)
    {
        UNROLL(16)
        for (int i = 0; i < HELD; i++) {
            if (i & 1 << BIT)
                continue;
            unsigned a = v[i], b = v[i | 1 << BIT];
            v[i] = a < b ? a : b;
            v[i | 1 << BIT] = a < b ? b : a;
        }
    }

    /* The steps on local bits from `high` - 1 down to `low`, as far as they are LOW + BIT down to LOW; at `change` the
     * keys' direction changes. */
    template <int LOW, int BIT>
    static __device__ __forceinline__ void steps(unsigned *v, int high, int low, int change, unsigned flip)
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

    /* All steps from local bit `high` - 1 down to `low` of the tile in shared memory; TOP: local bits that are done. */
    template <int TOP>
    static __device__ __forceinline__ void merge(int high, int low, int change, unsigned flip)
    {
        constexpr int LOW = TOP > LOG_HELD ? TOP - LOG_HELD : 0;
        if (LOW < high && TOP > low) {
            unsigned v[HELD];
            take<LOW>(v);
            steps<LOW, TOP - LOW - 1>(v, high, low, change, flip);
            put<LOW>(v);
            __syncthreads();
        }
        if constexpr (LOW > 0)
            merge<LOW>(high, low, change, flip);
    }

    /* ---- step 0 ---- */

    static __device__ __forceinline__ void complement(unsigned *v, unsigned by)
    {
        UNROLL(16)
        for (int i = 0; i < HELD; i++)
            v[i] ^= by;
    }

    /* The stages of 2, 4, 8 and 16 keys, all in registers; runs descend where bit STAGE of the index is set. */
    template <int STAGE>
    static __device__ __forceinline__ void sort_held(unsigned *v, unsigned index)
    {
        if constexpr (STAGE > 1)
            sort_held<STAGE - 1>(v, index);
        UNROLL(16)
        for (int i = 0; i < HELD; i++)
            v[i] ^= 0 - ((index + (unsigned)i) >> STAGE & 1);
        steps<0, STAGE - 1>(v, STAGE, 0, -1, 0);
        UNROLL(16)
        for (int i = 0; i < HELD; i++)
            v[i] ^= 0 - ((index + (unsigned)i) >> STAGE & 1);
    }

    static __device__ __noinline__ void sort_run(const unsigned *from, unsigned *to, unsigned tile)
    {
        unsigned v[HELD], index = (tile << R) + threadIdx.x * HELD;
        UNROLL(4)
        for (int q = 0; q < HELD / 4; q++) {
            four_keys x = ((const four_keys *)(from + index))[q];
            UNROLL(4)
            for (int i = 0; i < 4; i++)
                v[4 * q + i] = x.of[i];
        }
        sort_held<LOG_HELD>(v, index);
        for (int stage = LOG_HELD + 1; stage <= R; stage++) {
            unsigned descending = 0 - (index >> stage & 1);
            complement(v, descending);
            put<0>(v);
            __syncthreads();
            merge<R>(stage, 0, -1, 0);
            take<0>(v);
            complement(v, descending);
            __syncthreads(); /* before the next stage's keys are put there */
        }
        UNROLL(4)
        for (int q = 0; q < HELD / 4; q++)
            ((four_keys *)(to + index))[q] = {{v[4 * q], v[4 * q + 1], v[4 * q + 2], v[4 * q + 3]}};
    }

    /* ---- a pass ---- */

    /* The bits of `number` at the places of the ones in `mask`, from the lowest on. */
    static __device__ __forceinline__ unsigned spread(unsigned number, unsigned mask)
    {
        unsigned spread_out = 0;
        for (; number; number >>= 1, mask &= mask - 1)
            if (number & 1)
                spread_out |= mask & (0 - mask);
        return spread_out;
    }

    /* A key's number in the tile, by rising index, as its index and as its place in shared memory. */
    static __device__ __forceinline__ unsigned index_of(const sort_pass &p, unsigned number)
    {
        unsigned index = 0;
        UNROLL(12)
        for (int i = 0; i < R; i++)
            index |= (number >> i & 1) << p.local_bit[p.ascending[i]];
        return index;
    }
    static __device__ __forceinline__ unsigned place_of(const sort_pass &p, unsigned number)
    {
        unsigned key = 0;
        UNROLL(12)
        for (int i = 0; i < R; i++)
            key |= (number >> i & 1) << p.ascending[i];
        return place(key);
    }

    static __device__ __noinline__ void do_pass(unsigned *keys, sort_pass p, int log_n, unsigned tile)
    {
        unsigned *shared = dynamic_shared<unsigned>();
        unsigned base = spread(tile, ~p.in_tile & (unsigned)((1ull << log_n) - 1));
        unsigned flip = 0 - (unsigned)((unsigned long long)base >> p.to & 1);
        unsigned mine = base | index_of(p, 4 * threadIdx.x), at = place_of(p, 4 * threadIdx.x),
                 index[HELD / 4], first[HELD / 4];
        four_keys x[HELD / 4];
        UNROLL(4)
        for (unsigned q = 0; q < HELD / 4; q++) {
            index[q] = mine | index_of(p, 4 * THREADS * q);
            first[q] = at ^ place_of(p, 4 * THREADS * q);
            x[q] = *(const four_keys *)(keys + index[q]);
        }
        UNROLL(4)
        for (unsigned q = 0; q < HELD / 4; q++)
            UNROLL(4)
        for (unsigned i = 0; i < 4; i++)
            shared[first[q] ^ place_of(p, i)] =
                x[q].of[i] ^ (0 - (unsigned)((unsigned long long)index[q] >> p.from & 1));
        __syncthreads();
        merge<R>(R, p.lowest, p.change, flip);
        UNROLL(4)
        for (unsigned q = 0; q < HELD / 4; q++) {
            UNROLL(4)
            for (unsigned i = 0; i < 4; i++)
                x[q].of[i] = shared[first[q] ^ place_of(p, i)] ^ flip;
            *(four_keys *)(keys + index[q]) = x[q];
        }
    }
};

/* The step of harness/step_loop.cuh. */
template <int R>
struct few_barriers_sort {
    const unsigned *input;
    unsigned *keys;
    sort_plan plan;

    __device__ void operator()(int s) const
    {
        for (unsigned tile = blockIdx.x; tile < 1u << (plan.log_n - R); tile += gridDim.x) {
            if (tile != blockIdx.x)
                __syncthreads(); /* the tile before is done with the shared memory */
            if (s == 0)
                sort_tile<R>::sort_run(input, keys, tile);
            else
                sort_tile<R>::do_pass(keys, plan.pass[s - 1], plan.log_n, tile);
        }
    }
};

#endif
