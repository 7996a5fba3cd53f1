/*
 * A layer of micro-megakernel in tiles, one tile for each block. Tile (i, j) multiplies the rows of group i
 * by the columns of group j and leaves a partial sum of each of its rows. The sum of row number r is the
 * input for column number r of the next layer. So a tile needs the partial sums of all tiles of one row group
 * of the preceding layer (fan-in), and all tiles of several column groups of the next layer need a tile's
 * sums (fan-out). Each tile adds up the partial sums itself.
 */
#ifndef MICRO_TILES_CUH
#define MICRO_TILES_CUH

#include "harness/kernel.cuh"
#include "micro/hops/layers.h"
#include "sync/memory_order.cuh"
#include "sync/packed_word.cuh"

#include <string.h>

#define TILE_THREADS 256
#define TILE_WARPS (TILE_THREADS / 32)
#define WEIGHTS_OF_ITEM 8 /* number of weights in an item, the 16 bytes of a load; a weight is a bfloat16 */
/* number of items (16 bytes of weights) that a thread loads before it waits for the layer's input */
#define ITEMS_AHEAD 8
/* The number of layers whose partial sums are kept. A tile of layer l + 3 runs when all tiles of layer l + 1
 * have run, and so have read the sums of layer l. */
#define KEPT_LAYERS 3

struct tile_grid {
    unsigned n; /* number of results of a layer, which are the input of the next layer */
    /* number of row groups and of column groups, both powers of two; columns >= rows */
    unsigned rows, columns;
    unsigned height, width; /* height and width of a tile */
    unsigned log_lanes;     /* logarithm of the number of lanes that share a row */
    /* logarithm of the number of items (16 bytes of weights) that a lane has in a row */
    unsigned log_items_of_row;
    unsigned items; /* number of items (16 bytes of weights) that a thread has in all its rows */
};

#define MOST_LOG_LANES 2

/* Returns how a layer of n results is divided into `tiles` tiles, a power of two. n / columns must be at
 * least WEIGHTS_OF_ITEM. */
static inline tile_grid grid_of_tiles(unsigned n, unsigned tiles)
{
    tile_grid g = {n, 1, 1, 0, 0, 0, 0, 0};
    while (g.rows * g.columns < tiles)
        (g.columns > g.rows ? g.rows : g.columns) *= 2;
    g.height = n / g.rows;
    g.width = n / g.columns;
    for (unsigned items = g.width / WEIGHTS_OF_ITEM; items > 1; items /= 2)
        (g.log_lanes < MOST_LOG_LANES ? g.log_lanes : g.log_items_of_row)++;
    unsigned rows_at_once = TILE_THREADS >> g.log_lanes;
    g.items = (g.height + rows_at_once - 1) / rows_at_once << g.log_items_of_row;
    return g;
}

/* row_of_item returns the row of the tile to which a thread's item (16 bytes of weights) belongs.
 * column_of_item returns the first of the item's columns. */
static __device__ __forceinline__ unsigned row_of_item(const tile_grid &g, unsigned thread, unsigned item)
{
    return (item >> g.log_items_of_row) * (TILE_THREADS >> g.log_lanes) + (thread >> g.log_lanes);
}
static __device__ __forceinline__ unsigned column_of_item(const tile_grid &g, unsigned thread, unsigned item)
{
    unsigned in_row = item & ((1u << g.log_items_of_row) - 1), lane = thread & ((1u << g.log_lanes) - 1);
    return (in_row << g.log_lanes | lane) * WEIGHTS_OF_ITEM;
}

static __device__ __forceinline__ float float_of_bits(unsigned bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Partial sums as plain numbers; other code orders the accesses to them. */
struct PlainSums {
    int *sums; /* [KEPT_LAYERS][columns][n] */

    __device__ void put(unsigned at, int, int sum) { sums[at] = sum; }
    /* Returns the total of a row's partial sums from `count` column groups, which are `apart` words from each
     * other. */
    __device__ int add(unsigned at, unsigned count, unsigned apart, int) const
    {
        int sum = 0;
        UNROLL(16)
        for (unsigned i = 0; i < count; i++)
            sum += sums[at + i * apart];
        return sum;
    }
};

/* Partial sums that validate themselves: each contains the number of its layer. */
struct PackedSums {
    packed_word *sums;
    unsigned first_epoch; /* epoch of layer 0 in this launch */

    __device__ void put(unsigned at, int layer, int sum)
    {
        packed_word_publish(&sums[at], (unsigned)sum, first_epoch + (unsigned)layer);
    }
    __device__ int add(unsigned at, unsigned count, unsigned apart, int layer) const
    {
        const unsigned batch = 4;
        int sum = 0;
        for (unsigned first = 0; first < count; first += batch)
            sum += add_batch(at + first * apart, count - first < batch ? count - first : batch, apart,
                             first_epoch + (unsigned)layer);
        return sum;
    }
    __device__ int add_batch(unsigned at, unsigned count, unsigned apart, unsigned epoch) const
    {
        packed_word now[4];
        bool all;
        do {
            all = true;
            UNROLL(4)
            for (unsigned i = 0; i < 4; i++)
                now[i] = i < count ? packed_word_load(&sums[at + i * apart]) : packed(0, epoch);
            UNROLL(4)
            for (unsigned i = 0; i < 4; i++)
                all = all && packed_word_is(now[i], epoch);
        } while (!all);
        return (int)(packed_word_value(now[0]) + packed_word_value(now[1]) + packed_word_value(now[2]) +
                     packed_word_value(now[3]));
    }
};

/* One block's work on its tile: look_ahead(layer) loads weights, which no block writes; operator()(layer)
 * computes the tile's part of a layer. */
template <class Sums>
struct TileStep {
    tile_grid grid;
    const uint4 *weights; /* [layers][tiles][TILE_WARPS][items][32] */
    const int *input;
    Sums partial;
    uint4 ahead[ITEMS_AHEAD];

    __device__ unsigned row_group() const { return block_in_grid() / grid.columns; }
    __device__ unsigned column_group() const { return block_in_grid() % grid.columns; }
    /* Returns the row group whose rows are this tile's columns. */
    __device__ unsigned needed_row_group() const { return column_group() * grid.rows / grid.columns; }
    __device__ unsigned kept(int layer) const
    {
        return (unsigned)(layer % KEPT_LAYERS) * grid.columns * grid.n;
    }

    __device__ uint4 load(int layer, unsigned item) const
    {
        size_t tile = (size_t)layer * blocks_in_grid() + block_in_grid();
        unsigned warp = thread_in_block() / 32, lane = thread_in_block() % 32;
        return weights[((tile * TILE_WARPS + warp) * grid.items + item) * 32 + lane];
    }
    __device__ void load_batch(uint4 *batch, int layer, unsigned first) const
    {
        UNROLL(8)
        for (unsigned i = 0; i < ITEMS_AHEAD; i++)
            if (first + i < grid.items)
                batch[i] = load(layer, first + i);
    }
    __device__ void look_ahead(int layer) { load_batch(ahead, layer, 0); }

    __device__ void operator()(int layer)
    {
        float *x = dynamic_shared<float>(); /* [width] */
        gather(layer, x);
        __syncthreads();
        multiply(layer, x);
    }

    /* Gathers the layer's input for the tile's columns into x. If there are more threads than columns,
     * adjacent threads add up partial sums of the same number. */
    __device__ void gather(int layer, float *x)
    {
        unsigned parts = 1, thread = thread_in_block();
        while (parts < grid.columns && parts < 32 && 2 * parts * grid.width <= TILE_THREADS)
            parts *= 2;
        for (unsigned first = 0; first < grid.width; first += TILE_THREADS / parts) {
            unsigned i = first + thread / parts, part = thread % parts;
            int sum = i < grid.width ? sum_before(layer, column_group() * grid.width + i, part, parts) : 0;
            for (unsigned apart = parts / 2; apart > 0; apart /= 2)
                sum += __shfl_xor_sync(0xffffffffu, sum, (int)apart);
            if (i < grid.width && part == 0)
                x[i] = (float)layer_wrap(sum);
        }
    }
    /* Returns a part of the sum number `at` of the preceding layer: part number `part` of `parts` adds up the
     * partial sums of some of the column groups. */
    __device__ int sum_before(int layer, unsigned at, unsigned part, unsigned parts) const
    {
        if (layer == 0)
            return part == 0 ? input[at] : 0;
        return partial.add(kept(layer - 1) + part * grid.n + at, grid.columns / parts, parts * grid.n,
                           layer - 1);
    }

    /* Multiplies the tile's weights and the input x. It goes by batches: while one batch is used, the next
     * batch's loads are in flight. */
    __device__ void multiply(int layer, const float *x)
    {
        float sum = 0;
        for (unsigned first = 0; first < grid.items; first += ITEMS_AHEAD) {
            uint4 next[ITEMS_AHEAD] = {};
            load_batch(next, layer, first + ITEMS_AHEAD);
            UNROLL(8)
            for (unsigned i = 0; i < ITEMS_AHEAD; i++)
                if (first + i < grid.items)
                    sum = add_product(layer, first + i, ahead[i], x, sum);
            UNROLL(8)
            for (unsigned i = 0; i < ITEMS_AHEAD; i++)
                ahead[i] = next[i];
        }
    }
    /* Adds an item's products to the sum of its row. Returns this sum, or 0 after the row's last item, when
     * the sum is complete and stored. */
    __device__ float add_product(int layer, unsigned item, uint4 weights_of_item, const float *x, float sum)
    {
        sum += product(weights_of_item, x + column_of_item(grid, thread_in_block(), item));
        if (((item + 1) & ((1u << grid.log_items_of_row) - 1)) != 0)
            return sum;
        leave(layer, item, sum);
        return 0;
    }
    static __device__ float product(uint4 item, const float *x)
    {
        const unsigned words[4] = {item.x, item.y, item.z, item.w};
        float sum = 0;
        UNROLL(4)
        for (int i = 0; i < 4; i++)
            sum += float_of_bits(words[i] << 16) * x[2 * i] +
                   float_of_bits(words[i] & 0xffff0000u) * x[2 * i + 1];
        return sum;
    }
    __device__ void leave(int layer, unsigned item, float sum)
    {
        unsigned lanes = 1u << grid.log_lanes, row = row_of_item(grid, thread_in_block(), item);
        for (unsigned apart = lanes / 2; apart > 0; apart /= 2)
            sum += __shfl_xor_sync(0xffffffffu, sum, (int)apart);
        if (thread_in_block() % lanes == 0 && row < grid.height)
            partial.put(kept(layer) + column_group() * grid.n + row_group() * grid.height + row, layer,
                        (int)sum);
    }
};

#endif
