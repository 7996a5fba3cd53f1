/*
 * A radix sort from the highest digit on (MSD radix sort), for very many keys, in three steps:
 *
 *     step 0: each block counts the keys of its share by their highest bits
 *     step 1: each block stores them into buckets, one for each value of these bits, in no order
 *     step 2: each block sorts buckets in shared memory: by the next bits into piles of a few keys, in no
 *             order either; a key's place in its pile is the number of keys there that come before it
 *     step 3 on: nothing, unless a bucket did not fit into shared memory, or a pile was high: then the radix
 *             sort from the lowest digit on (bitonic/radix.cuh) sorts the input again; its barriers are
 *             executed in any case
 *
 * A sort from the lowest digit on must keep the order of equal digits in each pass: it has four passes of two
 * steps each, and in shared memory four scattered accesses for the rank of a key. Here any order will do, so
 * a rank is the value that one atomic addition returns, and keys pass through memory twice. The price is that
 * keys must be spread evenly over their highest bits, as random ones are; keys that are not take the time of
 * both sorts.
 */
#ifndef BITONIC_MSD_RADIX_CUH
#define BITONIC_MSD_RADIX_CUH

#include "bitonic/radix.cuh"

/* The MSD radix sort as a step loop (harness/step_loop.cuh). A key has 4 bytes, or 8: a key and, in the lower
 * half, a value. */
template <class Key>
struct msd_radix_sort {
    typedef radix_sort<Key, 1024> lsd_sort;
    static constexpr unsigned THREADS = lsd_sort::THREADS, BLOCKS_AT_ONCE = lsd_sort::BLOCKS_AT_ONCE;
    static constexpr int KEY_BITS = 8 * sizeof(Key), MOST_BUCKET_BITS = 11, MOST_PILE_BITS = 13;
    static constexpr unsigned MOST_BUCKETS = 1u << MOST_BUCKET_BITS, MOST_PILES = 1u << MOST_PILE_BITS,
                              MOST_OF_PILE = 64;
    static constexpr int HELD_OF_TILE = 16; /* number of a tile's keys that a thread holds in registers */
    static constexpr unsigned ROOM = 147456 / sizeof(Key), TILE = THREADS * HELD_OF_TILE,
                              FIT = 131072 / sizeof(Key), MOST_KEYS = FIT << MOST_BUCKET_BITS;

    struct shared_memory {
        Key keys[ROOM]; /* the keys of a tile (step 1) or of a bucket (step 2) */
        /* number of keys of each bucket; in step 2, number of keys of each pile of a bucket */
        unsigned counts[MOST_PILES + 1];
        /* index in memory of each bucket's first key; in step 1, index at which the block stores its next key
         * of the bucket */
        unsigned begin[MOST_BUCKETS + 1];
        unsigned of_warp[THREADS / 32];
    };
    static constexpr size_t SHARED_BYTES = sizeof(shared_memory);
    static_assert(ROOM >= TILE && SHARED_BYTES >= lsd_sort::SHARED_BYTES,
                  "the memory is for each of the steps");
    static constexpr int ALL_STEPS = 3 + lsd_sort::ALL_STEPS;

    /* the sort from the lowest digit on, which sorts the input again if a bucket or pile was too large; it
     * also has the pointers to the keys */
    lsd_sort lsd;
    unsigned *counts; /* number of keys of each bucket in each block's share; one row for each block */
    /* for each bucket, its number of keys, later the number of its keys already placed; zero between
     * launches */
    unsigned *totals;
    unsigned *uneven; /* a word that becomes nonzero if a bucket or a pile is too large */
    int bucket_bits, pile_bits;

    /* Chooses the numbers of buckets and piles. For up to MOST_KEYS keys the average bucket fits into shared
     * memory, with so much room to spare that a bucket of random keys is too large only at more than ten
     * standard deviations. For few keys there are at most as many buckets as blocks. Each key has its own
     * pile if there is room for the counters. */
    void divide(unsigned blocks)
    {
        bucket_bits = 1;
        while (bucket_bits < MOST_BUCKET_BITS && (2u << bucket_bits <= blocks || lsd.n >> bucket_bits > FIT))
            bucket_bits++;
        pile_bits = 0;
        while (pile_bits < MOST_PILE_BITS && lsd.n >> bucket_bits >> pile_bits > 1)
            pile_bits++;
    }

    __device__ void look_ahead(int) {}

    __device__ void operator()(int s)
    {
        if (s == 0)
            count();
        else if (s == 1)
            split();
        else if (s == 2)
            sort_buckets();
        else
            sort_again(s - 3);
    }

  protected: /* also used by the sort with two splits (bitonic/msd_twice.cuh) */
    __device__ static shared_memory &shared() { return *dynamic_shared<shared_memory>(); }
    __device__ unsigned buckets() const { return 1u << bucket_bits; }
    __device__ unsigned *taken() const { return totals + MOST_BUCKETS; }
    __device__ unsigned bucket_of(Key key) const { return (unsigned)(key >> (KEY_BITS - bucket_bits)); }
    __device__ unsigned pile_of(Key key) const
    {
        return (unsigned)(key >> (KEY_BITS - bucket_bits - pile_bits)) & ((1u << pile_bits) - 1);
    }

    __device__ static void clear(unsigned *counts, unsigned number)
    {
        for (unsigned i = threadIdx.x; i < number; i += THREADS)
            counts[i] = 0;
        __syncthreads();
    }

    /* Replaces each count by the sum of the counts before it, and appends the sum of all counts. The block
     * synchronizes at the start and at the end. A warp has at most ROWS times 32 counts. */
    template <int ROWS>
    __device__ static __forceinline__ void sum_up(unsigned *counts, unsigned number)
    {
        const unsigned rows = (number + THREADS - 1) / THREADS,
                       first = warp_of_block() * rows * 32 + lane_of_warp();
        unsigned sum[ROWS], all = 0;
        __syncthreads();
        UNROLL(16)
        for (int r = 0; r < ROWS; r++) {
            unsigned at = first + (unsigned)r * 32, count = r < (int)rows && at < number ? counts[at] : 0;
            unsigned up_to = scan_of_warp(count);
            sum[r] = all + up_to - count;
            all += __shfl_sync(ALL_LANES, up_to, 31);
        }
        if (lane_of_warp() == 0)
            shared().of_warp[warp_of_block()] = all;
        __syncthreads();
        unsigned before = 0;
        for (unsigned w = 0; w < warp_of_block(); w++)
            before += shared().of_warp[w];
        UNROLL(16)
        for (int r = 0; r < ROWS; r++)
            if (r < (int)rows && first + (unsigned)r * 32 < number)
                counts[first + (unsigned)r * 32] = before + sum[r];
        if (threadIdx.x == THREADS - 1)
            counts[number] = before + all;
        __syncthreads();
    }

    /* Computes, in shared().begin, the index in memory at which each bucket begins. */
    __device__ void find_buckets() const
    {
        for (unsigned b = threadIdx.x; b < buckets(); b += THREADS)
            shared().begin[b] = totals[b];
        sum_up<MOST_BUCKETS / THREADS>(shared().begin, buckets());
    }

    /* ---- the steps ---- */

    __device__ void count() const
    {
        unsigned *of_bucket = shared().counts;
        const unsigned end = lsd.share_of(blockIdx.x + 1);
        if (blockIdx.x == 0 && threadIdx.x == 0)
            *uneven = 0;
        clear(of_bucket, buckets());
        for (unsigned at = lsd.share_of(blockIdx.x); at < end; at += TILE)
            each_of_tile(lsd.input + at, end - at,
                         [&](Key key) { atomicAdd(&of_bucket[bucket_of(key)], 1u); });
        __syncthreads();
        for (unsigned b = threadIdx.x; b < buckets(); b += THREADS) {
            counts[blockIdx.x * MOST_BUCKETS + b] = of_bucket[b];
            if (of_bucket[b])
                atomicAdd(&totals[b], of_bucket[b]);
        }
    }

    /* Returns whether key number i of this thread is within a tile of `length` keys. */
    __device__ static __forceinline__ bool is_there(int i, unsigned length)
    {
        return threadIdx.x + i * THREADS < length;
    }
    __device__ static __forceinline__ void load(Key (&v)[HELD_OF_TILE], const Key *from, unsigned length)
    {
        UNROLL(16)
        for (int i = 0; i < HELD_OF_TILE; i++)
            v[i] = is_there(i, length) ? from[threadIdx.x + i * THREADS] : 0;
    }
    /* Calls act(key) for each key of a tile. All loads of a tile are in flight at once. */
    template <class Act>
    __device__ static __forceinline__ void each_of_tile(const Key *from, unsigned length, Act act)
    {
        Key v[HELD_OF_TILE];
        load(v, from, length);
        UNROLL(16)
        for (int i = 0; i < HELD_OF_TILE; i++)
            if (is_there(i, length))
                act(v[i]);
    }

    __device__ void split() const
    {
        const unsigned end = lsd.share_of(blockIdx.x + 1);
        find_buckets();
        for (unsigned b = threadIdx.x; b < buckets(); b += THREADS) {
            unsigned count = counts[blockIdx.x * MOST_BUCKETS + b];
            shared().begin[b] += count ? atomicAdd(&taken()[b], count) : 0;
        }
        Key v[HELD_OF_TILE];
        unsigned at = lsd.share_of(blockIdx.x);
        load(v, lsd.input + at, end - at);
        for (; at < end; at += TILE) {
            order_tile(v, end - at, buckets(), [this](Key key) { return bucket_of(key); });
            if (at + TILE < end)
                /* the next tile's loads are in flight while this tile is stored */
                load(v, lsd.input + at + TILE, end - at - TILE);
            store_tile(end - at);
        }
    }
    /* Puts the keys of a tile into shared memory in the order of their buckets. which(key) returns the number
     * of the key's bucket. */
    template <class Which>
    __device__ static __forceinline__ void order_tile(const Key (&v)[HELD_OF_TILE], unsigned length,
                                                      unsigned buckets, Which which)
    {
        /* each word of `ranks` holds two ranks of 16 bits */
        unsigned ranks[HELD_OF_TILE / 2] = {}, *in_tile = shared().counts;
        clear(in_tile, buckets);
        UNROLL(16)
        for (int i = 0; i < HELD_OF_TILE; i++)
            if (is_there(i, length))
                ranks[i / 2] |= atomicAdd(&in_tile[which(v[i])], 1u) << i % 2 * 16;
        sum_up<MOST_BUCKETS / THREADS>(in_tile, buckets);
        UNROLL(16)
        for (int i = 0; i < HELD_OF_TILE; i++)
            if (is_there(i, length))
                shared().keys[in_tile[which(v[i])] + (ranks[i / 2] >> i % 2 * 16 & 0xffff)] = v[i];
        __syncthreads();
    }
    __device__ __forceinline__ void store_tile(unsigned length) const
    {
        unsigned *in_tile = shared().counts, *begin = shared().begin;
        UNROLL(4)
        for (int i = 0; i < HELD_OF_TILE; i++) {
            if (!is_there(i, length))
                continue;
            unsigned at = threadIdx.x + i * THREADS;
            Key key = shared().keys[at];
            unsigned bucket = bucket_of(key), place = begin[bucket] + at - in_tile[bucket];
            /* without the barrier's fences, counts may be wrong and `place` outside the array */
            if (place < lsd.n)
                lsd.scratch[place] = key;
        }
        __syncthreads();
        for (unsigned b = threadIdx.x; b < buckets(); b += THREADS)
            begin[b] += in_tile[b + 1] - in_tile[b];
        __syncthreads();
    }

    __device__ void sort_buckets() const
    {
        find_buckets();
        for (unsigned b = blockIdx.x; b < buckets(); b += gridDim.x) {
            unsigned first = shared().begin[b], length = shared().begin[b + 1] - first;
            if (length > ROOM || first > lsd.n || length > lsd.n - first)
                atomicMax(uneven, 1u);
            else
                sort_bucket(lsd.scratch + first, lsd.keys + first, length);
        }
    }
    /* Sorts a bucket by piles. A key gets its place from a counter of its pile, which starts at the place
     * where the pile begins; when all keys are placed, it has reached the place where the pile ends. */
    __device__ __forceinline__ void sort_bucket(const Key *from, Key *to, unsigned length) const
    {
        unsigned *piles = shared().counts;
        clear(piles, 1u << pile_bits);
        for (unsigned at = 0; at < length; at += TILE)
            each_of_tile(from + at, length - at, [&](Key key) { atomicAdd(&piles[pile_of(key)], 1u); });
        sum_up<MOST_PILES / THREADS>(piles, 1u << pile_bits);
        for (unsigned at = 0; at < length; at += TILE)
            each_of_tile(from + at, length - at, [&](Key key) {
                unsigned place = atomicAdd(&piles[pile_of(key)], 1u);
                /* without the barrier's fences, keys may have changed since they were counted */
                if (place < length)
                    shared().keys[place] = key;
            });
        __syncthreads();
        for (unsigned at = threadIdx.x; at < length; at += THREADS)
            store_in_order(to, at, length);
        __syncthreads();
    }
    __device__ __forceinline__ void store_in_order(Key *to, unsigned at, unsigned length) const
    {
        const Key key = shared().keys[at];
        const unsigned pile = pile_of(key), begin = pile ? shared().counts[pile - 1] : 0,
                       end = shared().counts[pile];
        unsigned place = begin;
        if (end - begin > MOST_OF_PILE) {
            atomicMax(uneven, 1u);
            return;
        }
        for (unsigned i = begin; i < end; i++) {
            Key other = shared().keys[i];
            place += other < key || (other == key && i < at);
        }
        if (place < length)
            to[place] = key;
    }

    __device__ void sort_again(int s)
    {
        if (s == 0)
            for (unsigned b = blockIdx.x * THREADS + threadIdx.x; b < 2 * MOST_BUCKETS;
                 b += gridDim.x * THREADS)
                totals[b] = 0;
        sort_if_uneven(s);
    }
    __device__ __forceinline__ void sort_if_uneven(int s)
    {
        /* one thread reads *uneven, so that all threads of the block decide alike */
        if (!all_of_block(threadIdx.x > 0 || !*uneven))
            sort_from_lowest(lsd, s);
    }
    /* Sorts the input again from the lowest digit on. It is not inlined, so that it takes no registers from
     * the other steps. */
    __device__ static __noinline__ void sort_from_lowest(lsd_sort sort, int s) { sort(s); }
};

#endif
