/*
 * Prefix sums in one pass, without barriers and without fences: numbers are read once and written once, and
 * blocks publish the sums of their tiles in self-validating words (sum/dataflow.cuh).
 *
 * In contrast, Hybrid of Nakano 2013 passes over the numbers three times with barriers between. In contrast
 * to a chained scan with look-back (Merrill and Garland 2016, "Single-pass Parallel Prefix Scan with
 * Decoupled Look-back"), which CUB has, no block waits for a chain of other blocks: a tile's sum is published
 * as soon as its numbers are loaded, before they are scanned. The grid's blocks get the tiles in turn. So
 * between two successive tiles of a block lies one tile of every other block: the sum of all numbers before
 * the second tile is the sum before the first one, plus the first tile's sum, plus these tiles' sums, which
 * the block's threads read all at once.
 */
#ifndef SUM_PREFIX_CUH
#define SUM_PREFIX_CUH

#include "harness/async.cuh"
#include "sum/dataflow.cuh"

#define SCAN_PACKS 4 /* number of packs of 16 bytes that each thread has of a tile */

/* This thread's numbers of a tile: pack number `lane` of each of SCAN_PACKS rows of 32 consecutive packs. */
template <class T>
struct scan_share {
    enum { each = 16 / sizeof(T) };
    sixteen_bytes<T> x[SCAN_PACKS];

    /* Returns the index in the input of the first number of pack k. */
    __device__ static unsigned at(unsigned tile, unsigned k)
    {
        return (tile * SCAN_PACKS * blockDim.x + (warp_of_block() * SCAN_PACKS + k) * 32 + lane_of_warp()) *
               each;
    }

    /* Loads the pack at index `from`, within which the input may end; zeros follow the last number. */
    __device__ static sixteen_bytes<T> ragged(const T *in, unsigned n, unsigned from)
    {
        sixteen_bytes<T> pack = {};
        UNROLL(4)
        for (unsigned j = 0; j < each; j++)
            if (from + j < n)
                pack.of[j] = in[from + j];
        return pack;
    }

    __device__ void load(const T *in, unsigned n, unsigned tile)
    {
        UNROLL(4)
        for (unsigned k = 0; k < SCAN_PACKS; k++) {
            unsigned from = at(tile, k);
            x[k] = from + each <= n ? *(const sixteen_bytes<T> *)(in + from) : ragged(in, n, from);
        }
    }

    __device__ T sum() const
    {
        T sum = 0;
        UNROLL(4)
        for (unsigned k = 0; k < SCAN_PACKS; k++)
            sum += sum_of_pack(x[k]);
        return sum;
    }

    /* Replaces this thread's numbers by their prefix sums over the numbers of the warp. */
    __device__ void scan()
    {
        T up_to[SCAN_PACKS], all = 0;
        UNROLL(4)
        for (unsigned k = 0; k < SCAN_PACKS; k++) {
            UNROLL(4)
            for (unsigned j = 1; j < each; j++)
                x[k].of[j] += x[k].of[j - 1];
            up_to[k] = scan_of_warp(x[k].of[each - 1]);
        }
        UNROLL(4)
        for (unsigned k = 0; k < SCAN_PACKS; k++) {
            T up_to_lane_below = __shfl_up_sync(ALL_LANES, up_to[k], 1);
            T of_32 = __shfl_sync(ALL_LANES, up_to[k], 31);
            T before = all + (lane_of_warp() ? up_to_lane_below : T(0));
            UNROLL(4)
            for (unsigned j = 0; j < each; j++)
                x[k].of[j] += before;
            all += of_32;
        }
    }

    __device__ void add_and_store(T before, T *out, unsigned n, unsigned tile)
    {
        UNROLL(4)
        for (unsigned k = 0; k < SCAN_PACKS; k++) {
            unsigned to = at(tile, k);
            UNROLL(4)
            for (unsigned j = 0; j < each; j++)
                x[k].of[j] += before;
            if (to + each <= n) {
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

template <class T>
static __host__ __device__ __forceinline__ unsigned scan_tiles(unsigned n, unsigned threads)
{
    unsigned items = threads * SCAN_PACKS * (16 / sizeof(T));
    return (n + items - 1) / items;
}

/* Two sums for each warp of a block: of_share is the sum of the warp's numbers of a tile, of_parts the sum of
 * the partial sums that the warp has read. */
template <class T>
struct scan_totals {
    T of_share[32], of_parts[32];
};

/* Publishes the sum of a tile, which it computes from the sums of the block's warps; all threads must call
 * it. */
template <class T>
static __device__ __forceinline__ void publish_tile(const scan_totals<T> *totals, published<T> *to,
                                                    unsigned epoch)
{
    if (warp_of_block() != 0)
        return;
    T sum = sum_of_warps(totals->of_share, blockDim.x / 32);
    if (lane_of_warp() == 0)
        publish(to, sum, epoch);
}

/* ---- prefix sums of few numbers: one tile for each block ---- */

/* Computes the prefix sums of n numbers, one tile for each block. All blocks must be resident, because they
 * wait for each other. `parts` has an element for the sum of each tile. */
template <class T>
static __global__ void __launch_bounds__(256)
    prefix_of_a_tile_each(const T *in, published<T> *parts, T *out, unsigned n, unsigned *launches)
{
    scan_totals<T> *totals = dynamic_shared<scan_totals<T>>();
    begin_early();
    unsigned epoch = load_relaxed(launches) + 1;
    scan_share<T> share;
    share.load(in, n, blockIdx.x);
    T of_share = sum_of_warp(share.sum());
    if (lane_of_warp() == 0)
        totals->of_share[warp_of_block()] = of_share;
    __syncthreads();
    if (gridDim.x > 1)
        publish_tile(totals, &parts[blockIdx.x], epoch);
    share.scan();
    T before = sum_of_warps(totals->of_share, warp_of_block());
    if (gridDim.x > 1) {
        T of_parts = sum_of_warp(sum_of_parts(parts, 0, blockIdx.x, epoch));
        if (lane_of_warp() == 0)
            totals->of_parts[warp_of_block()] = of_parts;
        __syncthreads();
        before += sum_of_warps(totals->of_parts, blockDim.x / 32);
    }
    share.add_and_store(before, out, n, blockIdx.x);
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
        *launches = epoch;
}

/* ---- prefix sums of many numbers: each block takes several tiles in turn ---- */

/* Each thread's numbers of two tiles, in shared memory after the totals: the numbers of one tile are scanned
 * while the numbers of the other are summed or loaded. Each thread accesses only its own numbers. */
template <class T>
struct scan_slots {
    __device__ static sixteen_bytes<T> *at(unsigned slot, unsigned k)
    {
        sixteen_bytes<T> *first = (sixteen_bytes<T> *)(dynamic_shared<scan_totals<T>>() + 2);
        return first + (slot * SCAN_PACKS + k) * blockDim.x + threadIdx.x;
    }

    __device__ static void fetch(unsigned slot, const T *in, unsigned n, unsigned tile)
    {
        UNROLL(4)
        for (unsigned k = 0; k < SCAN_PACKS; k++) {
            unsigned from = scan_share<T>::at(tile, k);
            if (from + scan_share<T>::each <= n)
                small_copy_16(at(slot, k), in + from);
            else
                *at(slot, k) = scan_share<T>::ragged(in, n, from);
        }
        small_copies_commit();
    }

    __device__ static scan_share<T> take(unsigned slot)
    {
        scan_share<T> share;
        UNROLL(4)
        for (unsigned k = 0; k < SCAN_PACKS; k++)
            share.x[k] = *at(slot, k);
        return share;
    }
};

/* Returns the number of bytes of shared memory of a block of prefix_of_tiles_in_turn. */
template <class T>
static size_t shared_bytes_of_turns(unsigned threads)
{
    return 2 * sizeof(scan_totals<T>) + 2 * sizeof(scan_share<T>) * threads;
}

/* Computes the prefix sums of n numbers in any number of tiles. A block sums its next tile before it scans a
 * tile: so the sums of other blocks are published by the time that it needs them, and memory is never
 * idle. */
template <class T>
static __global__ void __launch_bounds__(1024)
    prefix_of_tiles_in_turn(const T *in, published<T> *parts, T *out, unsigned n, unsigned *launches)
{
    typedef scan_slots<T> slots;
    const unsigned count = scan_tiles<T>(n, blockDim.x), blocks = gridDim.x;
    begin_early();
    unsigned epoch = load_relaxed(launches) + 1;
    slots::fetch(0, in, n, blockIdx.x);
    if (blockIdx.x + blocks < count)
        slots::fetch(1, in, n, blockIdx.x + blocks);
    T before_tile = 0, before_warp = 0;
    for (unsigned round = 0;; round++) {
        unsigned next = blockIdx.x + round * blocks, tile = next - blocks, slot = round % 2;
        scan_totals<T> *totals = dynamic_shared<scan_totals<T>>() + slot;
        if (next < count) {
            small_copies_wait();
            T of_share = sum_of_warp(slots::take(slot).sum());
            if (lane_of_warp() == 0)
                totals->of_share[warp_of_block()] = of_share;
        }
        if (round > 0) {
            T of_parts = sum_of_warp(sum_of_parts(parts, tile < blocks ? 0 : tile - blocks, tile, epoch));
            if (lane_of_warp() == 0)
                totals->of_parts[warp_of_block()] = of_parts;
        }
        __syncthreads();
        if (next < count)
            publish_tile(totals, &parts[next], epoch);
        if (round > 0) {
            before_tile += sum_of_warps(totals->of_parts, blockDim.x / 32);
            scan_share<T> share = slots::take(1 - slot);
            if (next + blocks < count)
                slots::fetch(1 - slot, in, n, next + blocks);
            share.scan();
            share.add_and_store(before_tile + before_warp, out, n, tile);
        }
        if (next >= count)
            break;
        before_warp = sum_of_warps(totals->of_share, warp_of_block());
    }
    if ((count - 1) % blocks == blockIdx.x && threadIdx.x == 0)
        *launches = epoch;
}

#endif
