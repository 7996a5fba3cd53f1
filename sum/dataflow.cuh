/*
 * Sums and prefix sums in one pass, without barriers and without fences: blocks pass their parts on in
 * self-validating words (sync/packed_word.cuh), and a block that needs a part waits only for that part.
 *
 * How it differs from the algorithms of Nakano 2013: numbers are read once and written once; Hybrid passes
 * over them three times with barriers between. The prefix sums are a chained scan with look-back (Merrill and
 * Garland 2016, "Single-pass Parallel Prefix Scan with Decoupled Look-back"): a tile publishes its own sum at
 * once, and the sum of all numbers up to its end as soon as it knows it; a later tile adds up the tiles' own
 * sums backwards until it reaches a tile that has published the sum of all numbers up to its end.
 *
 * A word's tag is its launch's epoch and its state, so nothing is cleared between launches. The epoch is in
 * memory, as a graph's node gets the same arguments each time: blocks read it at the beginning, and the block
 * to which all others have published increments it at the end.
 */
#ifndef SUM_DATAFLOW_CUH
#define SUM_DATAFLOW_CUH

#include "sum/block.cuh"
#include "sync/memory_order.cuh"
#include "sync/packed_word.cuh"

#include <stdint.h>

enum part_state { NOT_THERE, SUM_OF_TILE, SUM_UP_TO_TILE };

/* A number of 4 or 8 bytes; both halves of an 8-byte number have the tag. */
template <class T>
struct published {
    packed_word halves[sizeof(T) / 4];
};

template <class T>
union bits_of {
    T value;
    unsigned halves[sizeof(T) / 4];
};

template <class T>
static __device__ __forceinline__ void publish(published<T> *to, T value, unsigned epoch, part_state state)
{
    bits_of<T> bits;
    bits.value = value;
    for (unsigned h = 0; h < sizeof(T) / 4; h++)
        packed_word_publish(&to->halves[h], bits.halves[h], epoch << 1 | (state == SUM_UP_TO_TILE));
}

/* One try. If the halves have different tags, the number is not complete yet. */
template <class T>
static __device__ __forceinline__ part_state look_at(const published<T> *from, unsigned epoch, T *value)
{
    bits_of<T> bits;
    unsigned tag = epoch << 1, all_of_tile = 1, all_up_to = 1;
    for (unsigned h = 0; h < sizeof(T) / 4; h++) {
        packed_word now = *(const volatile packed_word *)&from->halves[h];
        bits.halves[h] = (unsigned)now;
        all_of_tile &= (unsigned)(now >> 32) == tag;
        all_up_to &= (unsigned)(now >> 32) == (tag | 1);
    }
    *value = bits.value;
    return all_up_to ? SUM_UP_TO_TILE : all_of_tile ? SUM_OF_TILE : NOT_THERE;
}

/* ---- sum ---- */

/* The last block waits for the others, which wait for nothing, so all of them can run. `parts`:
 * one for each block. */
template <class T>
static __global__ void sum_by_dataflow(const T *in, published<T> *parts, T *out, unsigned n,
                                       unsigned *launches)
{
    T *totals = dynamic_shared<T>();
    begin_early();
    unsigned epoch = load_relaxed(launches) + 1;
    T sum = sum_of_block(sum_of_share(in, n, blockIdx.x, gridDim.x), totals);
    if (gridDim.x > 1) {
        if (threadIdx.x == 0)
            publish(&parts[blockIdx.x], sum, epoch, SUM_OF_TILE);
        if (blockIdx.x != gridDim.x - 1)
            return;
        sum = 0;
        for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x) {
            T part;
            while (look_at(&parts[b], epoch, &part) == NOT_THERE) {
            }
            sum += part;
        }
        __syncthreads(); /* the first warp has read the totals of its own part */
        sum = sum_of_block(sum, totals);
    }
    if (threadIdx.x == 0) {
        *out = sum;
        *launches = epoch;
    }
}

/* ---- prefix sums ---- */

/* The larger a tile, the fewer words are passed on for a byte; few threads with many packs each are best,
 * since a tile's warps synchronize twice. */
#define SCAN_THREADS 128
#define SCAN_PACKS 16 /* of 16 bytes, of a thread in a tile */

template <class T>
struct scan_tile {
    enum {
        each = 16 / sizeof(T),
        packs_of_warp = SCAN_PACKS * 32,
        warps = SCAN_THREADS / 32,
        items = warps * packs_of_warp * each
    };

    sixteen_bytes<T> x[SCAN_PACKS]; /* this lane's packs: one of each 32 side by side */

    /* The index of the first number of this lane's pack k. */
    __device__ static unsigned at(unsigned tile, unsigned k)
    {
        return tile * items + ((warp_of_block() * SCAN_PACKS + k) * 32 + lane_of_warp()) * each;
    }

    __device__ static bool is_whole(unsigned tile, unsigned n) { return (tile + 1) * items <= n; }

    __device__ void load(const T *in, unsigned n, unsigned tile)
    {
        UNROLL(16)
        for (unsigned k = 0; k < SCAN_PACKS; k++) {
            unsigned from = at(tile, k);
            if (is_whole(tile, n)) {
                x[k] = *(const sixteen_bytes<T> *)(in + from);
                continue;
            }
            UNROLL(4)
            for (unsigned j = 0; j < each; j++)
                x[k].of[j] = from + j < n ? in[from + j] : T(0);
        }
    }

    /* Prefix sums within the warp; returns the warp's sum. */
    __device__ T scan()
    {
        T before[SCAN_PACKS], all = 0;
        UNROLL(16)
        for (unsigned k = 0; k < SCAN_PACKS; k++) {
            UNROLL(4)
            for (unsigned j = 1; j < each; j++)
                x[k].of[j] += x[k].of[j - 1];
            before[k] = scan_of_warp(x[k].of[each - 1]);
        }
        UNROLL(16)
        for (unsigned k = 0; k < SCAN_PACKS; k++) {
            T up_to_lane_below = __shfl_up_sync(ALL_LANES, before[k], 1);
            T of_32 = __shfl_sync(ALL_LANES, before[k], 31);
            T more = all + (lane_of_warp() ? up_to_lane_below : T(0));
            UNROLL(4)
            for (unsigned j = 0; j < each; j++)
                x[k].of[j] += more;
            all += of_32;
        }
        return all;
    }

    __device__ void add_and_store(T before, T *out, unsigned n, unsigned tile)
    {
        UNROLL(16)
        for (unsigned k = 0; k < SCAN_PACKS; k++) {
            unsigned to = at(tile, k);
            UNROLL(4)
            for (unsigned j = 0; j < each; j++)
                x[k].of[j] += before;
            if (is_whole(tile, n)) {
                *(sixteen_bytes<T> *)(out + to) = x[k];
                continue;
            }
            UNROLL(4)
            for (unsigned j = 0; j < each; j++)
                if (to + j < n)
                    out[to + j] = x[k].of[j];
        }
    }
};

/* Called by a warp: the sum of all tiles before this one. Each lane reads one tile, the
 * first lane the nearest. */
template <class T>
static __device__ T sum_before(const published<T> *tiles, unsigned tile, unsigned epoch)
{
    T sum = 0;
    for (unsigned end = tile;; end -= 32) {
        bool is_one = lane_of_warp() < end;
        T value = 0;
        unsigned there, up_to, nearest;
        do { /* until each tile from the nearest sum of all on is there */
            part_state state =
                is_one ? look_at(&tiles[end - 1 - lane_of_warp()], epoch, &value) : SUM_UP_TO_TILE;
            there = __ballot_sync(ALL_LANES, state != NOT_THERE);
            up_to = __ballot_sync(ALL_LANES, state == SUM_UP_TO_TILE);
            nearest = up_to & (0u - up_to);
        } while (~there & (nearest - 1)); /* no nearest: all 32 */
        bool counts = is_one && (!up_to || 1u << lane_of_warp() <= nearest);
        sum += sum_of_warp(counts ? value : T(0));
        if (up_to)
            return sum;
    }
}

/* The data that a block shares. */
template <class T>
struct scan_shared {
    T of_warp[scan_tile<T>::warps];
    T before_tile;
};

template <class T>
static __device__ void scan_one_tile(const T *in, published<T> *tiles, T *out, unsigned n, unsigned tile,
                                     unsigned epoch, scan_shared<T> *shared)
{
    scan_tile<T> t;
    t.load(in, n, tile);
    T of_warp = t.scan(), before_warp = 0, of_tile = 0;
    if (lane_of_warp() == 0)
        shared->of_warp[warp_of_block()] = of_warp;
    __syncthreads();
    UNROLL(8)
    for (unsigned w = 0; w < scan_tile<T>::warps; w++) {
        T of_this = shared->of_warp[w];
        before_warp += w < warp_of_block() ? of_this : T(0);
        of_tile += of_this;
    }
    if (warp_of_block() == 0) {
        if (tile && lane_of_warp() == 0)
            publish(&tiles[tile], of_tile, epoch, SUM_OF_TILE);
        T before = tile ? sum_before(tiles, tile, epoch) : T(0);
        if (lane_of_warp() == 0) {
            publish(&tiles[tile], before + of_tile, epoch, SUM_UP_TO_TILE);
            shared->before_tile = before;
        }
    }
    __syncthreads();
    t.add_and_store(shared->before_tile + before_warp, out, n, tile);
}

/* All blocks are resident: a tile waits for those of other blocks. `tiles`: one for each tile. */
template <class T>
static __global__ void __launch_bounds__(SCAN_THREADS)
    prefix_by_dataflow(const T *in, published<T> *tiles, T *out, unsigned n, unsigned *launches)
{
    scan_shared<T> *shared = dynamic_shared<scan_shared<T>>();
    const unsigned count = (n + scan_tile<T>::items - 1) / scan_tile<T>::items;
    begin_early();
    unsigned epoch = load_relaxed(launches) + 1;
    for (unsigned tile = blockIdx.x; tile < count; tile += gridDim.x)
        scan_one_tile(in, tiles, out, n, tile, epoch, shared);
    if ((count - 1) % gridDim.x == blockIdx.x && threadIdx.x == 0)
        *launches = epoch;
}

#endif
