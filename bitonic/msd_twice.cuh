/*
 * A radix sort from the highest digit on for so many keys that a single split would need too many buckets
 * (bitonic/msd_radix.cuh): a tile would have only a few keys for each, and memory moves whole sectors. Here
 * keys are split twice, and nothing is counted before:
 *
 *     step 0: each block splits tiles of its share by the highest bits into regions of memory, one for each
 *             value of these bits; a tile claims room in each region by one atomic addition
 *     step 1: blocks take tiles of the regions in turn and split each region by the next bits into rooms,
 *             each as large as a block can sort in shared memory
 *     step 2: each block sorts the keys of a room, as msd-radix does
 *     step 3 on: nothing, unless keys were so uneven that a region or a room was too small: then the radix
 *             sort from the lowest digit on sorts the input again
 *
 * Keys pass through memory three times; with CUB's DeviceRadixSort they pass four and a half times.
 */
#ifndef BITONIC_MSD_TWICE_CUH
#define BITONIC_MSD_TWICE_CUH

#include "bitonic/msd_radix.cuh"
#include "harness/check.h"
#include "harness/device.h"

/* The sort as a step loop (harness/step_loop.cuh). The base class's members `bucket_bits` and
 * `pile_bits` describe the rooms: the bits of both splits together give the number of a key's room. */
template <class Key>
struct msd_twice_sort : msd_radix_sort<Key> {
    typedef msd_radix_sort<Key> once;
    typedef typename once::lsd_sort lsd_sort;
    using once::bucket_bits;
    using once::lsd;
    using once::pile_bits;
    using once::uneven;
    static constexpr unsigned THREADS = once::THREADS, TILE = once::TILE, ROOM = once::ROOM;
    static constexpr int HELD_OF_TILE = once::HELD_OF_TILE, KEY_BITS = once::KEY_BITS, MOST_SPLIT_BITS = 7;
    static constexpr unsigned MOST_OF_SPLIT = 1u << MOST_SPLIT_BITS,
                              MOST_ROOMS = MOST_OF_SPLIT * MOST_OF_SPLIT;
    static constexpr size_t MOST_KEYS = (size_t)once::FIT << 2 * MOST_SPLIT_BITS;
    struct shared_memory {
        typename once::shared_memory of_once;
        unsigned tiles[MOST_OF_SPLIT + 1]; /* number of tiles of all regions before a region */
    };
    static constexpr size_t SHARED_BYTES = sizeof(shared_memory);
    static constexpr int ALL_STEPS = once::ALL_STEPS;

    int first_bits;  /* number of bits of the first split; the second split has the rest of bucket_bits */
    unsigned region; /* number of keys for which a region has memory */
    Key *regions, *rooms;
    /* number of keys of each region and of each room, including keys that did not fit; zero between
     * launches */
    unsigned *in_region, *in_room;

    /* Chooses how many regions and how many rooms there are. There are so many rooms that the keys of an
     * average room fit into shared memory. */
    void divide_twice()
    {
        bucket_bits = 2;
        while (bucket_bits < 2 * MOST_SPLIT_BITS && lsd.n >> bucket_bits > once::FIT)
            bucket_bits++;
        first_bits = bucket_bits / 2;
        pile_bits = 0;
        while (pile_bits < once::MOST_PILE_BITS && lsd.n >> bucket_bits >> pile_bits > 1)
            pile_bits++;
        unsigned average = lsd.n >> first_bits;
        region = average + average / 16 + TILE;
    }
    size_t keys_in_regions() const { return (size_t)region << first_bits; }
    size_t keys_in_rooms() const { return (size_t)ROOM << bucket_bits; }

    __device__ void operator()(int s)
    {
        if (s == 0)
            split_input();
        else if (s == 1)
            split_regions();
        else if (s == 2)
            sort_rooms();
        else
            sort_again(s - 3);
    }

  private:
    __device__ static shared_memory &shared() { return *dynamic_shared<shared_memory>(); }
    __device__ int second_bits() const { return bucket_bits - first_bits; }
    __device__ unsigned region_of(Key key) const { return (unsigned)(key >> (KEY_BITS - first_bits)); }
    __device__ unsigned room_of(Key key) const
    {
        return (unsigned)(key >> (KEY_BITS - bucket_bits)) & ((1u << second_bits()) - 1);
    }
    __device__ unsigned length_of_region(unsigned r) const
    {
        unsigned length = in_region[r];
        return length < region ? length : region;
    }

    /* Stores the ordered tile: claims places after the keys that each bucket has. `to` has memory for `most`
     * keys of each bucket. */
    template <class Which>
    __device__ static __forceinline__ void store_claimed(Key *to, unsigned most, unsigned *taken,
                                                         unsigned buckets, unsigned length, Which which)
    {
        unsigned *in_tile = shared().of_once.counts, *begin = shared().of_once.begin;
        for (unsigned b = threadIdx.x; b < buckets; b += THREADS) {
            unsigned count = in_tile[b + 1] - in_tile[b];
            begin[b] = (count ? atomicAdd(&taken[b], count) : 0) - in_tile[b];
        }
        __syncthreads();
        UNROLL(4)
        for (int i = 0; i < HELD_OF_TILE; i++) {
            if (!once::is_there(i, length))
                continue;
            unsigned at = threadIdx.x + i * THREADS;
            Key key = shared().of_once.keys[at];
            unsigned bucket = which(key), place = begin[bucket] + at;
            if (place < most)
                to[(size_t)bucket * most + place] = key;
        }
        __syncthreads();
    }

    __device__ void split_input() const
    {
        const unsigned end = lsd.share_of(blockIdx.x + 1);
        auto which = [this](Key key) { return region_of(key); };
        Key v[HELD_OF_TILE];
        unsigned at = lsd.share_of(blockIdx.x);
        if (blockIdx.x == 0 && threadIdx.x == 0)
            *uneven = 0;
        once::load(v, lsd.input + at, end - at);
        for (; at < end; at += TILE) {
            once::order_tile(v, end - at, 1u << first_bits, which);
            if (at + TILE < end)
                /* the next tile's loads are in flight while this tile is stored */
                once::load(v, lsd.input + at + TILE, end - at - TILE);
            store_claimed(regions, region, in_region, 1u << first_bits, end - at, which);
        }
    }

    /* Computes the number of tiles before each region. */
    __device__ void find_tiles() const
    {
        unsigned *tiles = shared().tiles;
        for (unsigned r = threadIdx.x; r < 1u << first_bits; r += THREADS)
            tiles[r] = (length_of_region(r) + TILE - 1) / TILE;
        once::template sum_up<1>(tiles, 1u << first_bits);
    }
    /* A tile of a region: `length` keys from `from` on; none if there is no such tile. */
    struct tile_of_region {
        unsigned region, length;
        const Key *from;
    };
    __device__ __forceinline__ tile_of_region find_tile(unsigned tile) const
    {
        const unsigned *tiles = shared().tiles;
        if (tile >= tiles[1u << first_bits])
            return {0, 0, regions};
        unsigned r = 0;
        for (unsigned half = 1u << first_bits >> 1; half; half >>= 1)
            r += tiles[r + half] <= tile ? half : 0;
        unsigned first = (tile - tiles[r]) * TILE;
        return {r, length_of_region(r) - first, regions + (size_t)r * region + first};
    }
    __device__ void split_regions() const
    {
        auto which = [this](Key key) { return room_of(key); };
        Key v[HELD_OF_TILE];
        find_tiles();
        unsigned tile = blockIdx.x;
        tile_of_region now = find_tile(tile);
        once::load(v, now.from, now.length);
        while (now.length) {
            once::order_tile(v, now.length, 1u << second_bits(), which);
            tile_of_region next = find_tile(tile += gridDim.x);
            if (next.length)
                once::load(v, next.from, next.length);
            unsigned first = now.region << second_bits();
            store_claimed(rooms + (size_t)first * ROOM, ROOM, in_room + first, 1u << second_bits(),
                          now.length, which);
            now = next;
        }
    }

    /* Returns the number of keys before the room, which all threads of the block compute together. */
    __device__ __forceinline__ unsigned keys_before(unsigned room) const
    {
        const unsigned r = room >> second_bits(), first = r << second_bits(), t = threadIdx.x % MOST_OF_SPLIT;
        unsigned *of_warp = shared().of_once.of_warp, count = 0;
        if (threadIdx.x < MOST_OF_SPLIT)
            count = t < r ? in_region[t] : 0;
        else if (threadIdx.x < 2 * MOST_OF_SPLIT)
            count = first + t < room ? in_room[first + t] : 0;
        count = sum_of_warp(count);
        if (lane_of_warp() == 0)
            of_warp[warp_of_block()] = count;
        __syncthreads();
        count = 0;
        for (unsigned w = 0; w < 2 * MOST_OF_SPLIT / 32; w++)
            count += of_warp[w];
        __syncthreads();
        return count;
    }
    __device__ void sort_rooms() const
    {
        for (unsigned b = blockIdx.x; b < 1u << bucket_bits; b += gridDim.x) {
            const unsigned first = keys_before(b), length = in_room[b];
            if (in_region[b >> second_bits()] > region || length > ROOM || first > lsd.n ||
                length > lsd.n - first)
                atomicMax(uneven, 1u);
            else
                once::sort_bucket(rooms + (size_t)b * ROOM, lsd.keys + first, length);
        }
    }

    __device__ void sort_again(int s)
    {
        if (s == 0)
            for (unsigned b = blockIdx.x * THREADS + threadIdx.x; b < MOST_OF_SPLIT + MOST_ROOMS;
                 b += gridDim.x * THREADS)
                in_region[b] = 0; /* the counts of the rooms follow the counts of the regions */
        once::sort_if_uneven(s);
    }
};

/* Returns whether a multiprocessor has the shared memory for the sorts from the highest digit on. */
static bool msd_radix_fits(void)
{
    int device, bytes;
    if (device_is_machine())
        return true;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
    return msd_twice_sort<unsigned long long>::SHARED_BYTES + 1024 <= (size_t)bytes;
}

#endif
