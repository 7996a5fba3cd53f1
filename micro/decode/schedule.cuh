/*
 * Divides the work of a step of micro-decode among blocks and warps. Work is cut into units: two results,
 * which form one word, or a chunk of the cache. The units are divided over the blocks, beginning with another
 * block in every step, and a block's units over its warps, beginning with another warp. So a block or warp
 * that has one unit more in this step has one less in another. A unit consists of items, which arrive through
 * the warp's ring one by one.
 *
 * If several members (GPUs) decode together, QKV, ATTENTION and GATE_UP are divided by their results, and
 * PROJECTION and DOWN by their columns: a member multiplies the columns that belong to its own results of the
 * preceding step. So members wait for each other in only two of a layer's five steps. In these two steps each
 * member has a part of each result, and the parts are added up (Shoeybi et al. 2019, "Megatron-LM", section
 * 3: two all-reduces for each layer).
 */
#ifndef MICRO_DECODE_SCHEDULE_CUH
#define MICRO_DECODE_SCHEDULE_CUH

#include "harness/kernel.cuh"
#include "micro/decode/model.h"

#define WORKERS 8 /* number of warps of a block that multiply */
#define WORKER_THREADS (WORKERS * 32)
/* bytes of the largest item: part of a weight row, or a chunk of the cache of keys and values */
#define ITEM_BYTES 4096
#define ITEM_COLUMNS (ITEM_BYTES / 2)
#define CHUNK_VECTORS (CHUNK_NUMBERS / WEIGHTS_OF_VECTOR)
#define BLOCKS_PER_TURN 29

/* A step's shape, equal in every layer. The host computes the quotients once: a division takes a fifth of a
 * hop's time. */
struct step_shape {
    /* number of units that a member (GPU) has in a step; a unit is two results, or a chunk of keys and
     * values */
    unsigned units;
    /* number of weight rows of a unit, and number of segments into which a row is divided */
    unsigned rows, segments;
    /* number of units that a block has in a step; the step's first `more` blocks have one unit more */
    unsigned each, more;
    unsigned item_vectors; /* number of 16-byte vectors of one segment of a row */
    /* number of rows with a segment in each item: 2 if a slot has room for two, otherwise 1 */
    unsigned rows_of_item;
    unsigned row_vectors;    /* number of 16-byte vectors of a row, in all its segments */
    unsigned vectors_before; /* number of vectors that a member reads in the earlier steps of the layer */
    unsigned columns;        /* how many numbers a member needs as the input of the step */
    /* distance between the first units, and between the first columns, of two successive members */
    unsigned units_apart, columns_apart;
    unsigned parts;        /* number of members that each leave a part of every result */
    unsigned pairs_before; /* number of pairs of results that the earlier steps of the layer have */
};

struct schedule {
    step_shape shapes[STEPS_OF_LAYER];
    unsigned layers, layer_pairs;
    unsigned layer_vectors; /* number of 16-byte vectors that a member reads in a layer */
    /* distance from the block with the first unit of a step to the block with the first unit of the next
     * step */
    unsigned turn;
    /* factor that converts the number of a chunk into the number of its group of heads */
    float group_of_chunk;
    unsigned blocks;       /* number of blocks of a member */
    unsigned first_member; /* number of the grid's first member */
};

static __device__ __forceinline__ unsigned member_of_block(const schedule &s)
{
    return s.first_member + block_in_grid() / s.blocks;
}

/* Returns whether the step is PROJECTION or DOWN, whose work the members divide by columns. */
static inline bool is_divided_by_columns(unsigned kind)
{
    return kind == PROJECTION || kind == DOWN;
}

static inline step_shape shape_of_matrix(const struct decoder *d, unsigned kind, unsigned members)
{
    step_shape shape = {};
    const bool by_columns = is_divided_by_columns(kind);
    const unsigned units = results_of(d, kind) / 2;
    shape.units = by_columns ? units : units / members;
    shape.columns = by_columns ? columns_of(d, kind) / members : columns_of(d, kind);
    shape.parts = by_columns ? members : 1;
    shape.rows = kind == GATE_UP ? 4 : 2;
    shape.row_vectors = shape.columns / WEIGHTS_OF_VECTOR;
    unsigned segment = shape.columns;
    while (segment > ITEM_COLUMNS)
        segment /= 2;
    shape.segments = shape.columns / segment;
    shape.item_vectors = segment / WEIGHTS_OF_VECTOR;
    shape.rows_of_item = 2 * segment <= ITEM_COLUMNS ? 2 : 1;
    shape.units_apart = by_columns ? 0 : shape.units;
    shape.columns_apart = by_columns ? shape.columns : 0;
    return shape;
}

static inline step_shape shape_of_attention(const struct decoder *d, unsigned members)
{
    step_shape shape = {};
    shape.units = shape.units_apart = d->groups / members * chunks_of_group(d);
    shape.rows = shape.rows_of_item = shape.segments = shape.parts = 1;
    shape.item_vectors = shape.row_vectors = CHUNK_VECTORS;
    shape.columns = columns_of(d, ATTENTION);
    return shape;
}

/* Returns the schedule for this number of members, which must divide the number of groups of heads. `blocks`
 * is the number of blocks of each member. */
static inline schedule schedule_of(const struct decoder *d, unsigned blocks, unsigned members)
{
    schedule s = {};
    s.blocks = blocks;
    s.turn = BLOCKS_PER_TURN % blocks;
    s.group_of_chunk = 1.0f / (float)chunks_of_group(d);
    s.layers = d->layers;
    s.layer_vectors = vectors_before(d, STEPS_OF_LAYER) / members;
    s.layer_pairs = results_before(d, STEPS_OF_LAYER) / 2;
    for (unsigned kind = 0; kind < STEPS_OF_LAYER; kind++) {
        step_shape *shape = &s.shapes[kind];
        *shape = kind == ATTENTION ? shape_of_attention(d, members) : shape_of_matrix(d, kind, members);
        shape->each = shape->units / blocks;
        shape->more = shape->units % blocks;
        shape->vectors_before = vectors_before(d, kind) / members;
        shape->pairs_before = results_before(d, kind) / 2;
    }
    return s;
}

/* Returns the position, in the whole matrix or cache, of vector `own` of a member's share of the step. A
 * member's weights are [layer][step][its rows][its columns]. */
MODEL_EVERYWHERE unsigned vector_of_all(const step_shape &shape, unsigned member, unsigned own)
{
    if (shape.parts == 1)
        return member * shape.units * shape.rows * shape.row_vectors + own;
    unsigned row = own / shape.row_vectors, whole_row = shape.parts * shape.row_vectors;
    return row * whole_row + member * shape.row_vectors + own % shape.row_vectors;
}

/* Returns the largest number of units that a block gets in a step. */
static inline unsigned most_units(const schedule &s, unsigned kind)
{
    return s.shapes[kind].each + (s.shapes[kind].more > 0);
}

/* A block's share of a step, and a warp's position in it */
struct Cursor {
    /* the number of the block's member (a GPU), and the block's number among that member's blocks */
    unsigned member, block;
    unsigned layer, kind, turn;
    /* number of the block's first unit in the step, and the block's number of units */
    unsigned first_unit, units;
    unsigned worker; /* number of this warp among the workers */
    /* number of the warp's next unit among the block's units; if it is `units` or more, none is left */
    unsigned next;
    unsigned next_worker; /* number of the worker warp that takes the block's first unit of the next step */
    const uint4 *from;    /* address of the block's first item in the step */

    /* Prepares the cursor for its first step, which has the number `step`. */
    __device__ void begin(const schedule &s, unsigned of_member, unsigned step, unsigned of_worker)
    {
        member = of_member;
        block = block_in_grid() - (member - s.first_member) * s.blocks;
        worker = of_worker;
        kind = step % STEPS_OF_LAYER;
        layer = step / STEPS_OF_LAYER % s.layers;
        turn = step * BLOCKS_PER_TURN % s.blocks;
        next_worker = 0;
    }

    __device__ void enter(const schedule &s, const uint4 *weights)
    {
        const step_shape &shape = s.shapes[kind];
        unsigned number = block + turn;
        number -= number >= s.blocks ? s.blocks : 0;
        const unsigned first = shape.each * number + (number < shape.more ? number : shape.more);
        first_unit = member * shape.units_apart + first;
        units = shape.each + (number < shape.more);
        next = (worker - next_worker) % WORKERS;
        next_worker += units;
        from = weights + (size_t)((member - s.first_member) * s.layers + layer) * s.layer_vectors +
               shape.vectors_before + (size_t)(first * shape.rows) * shape.row_vectors;
    }

    __device__ void leave(const schedule &s)
    {
        turn += s.turn;
        turn -= turn >= s.blocks ? s.blocks : 0;
        if (++kind < STEPS_OF_LAYER)
            return;
        kind = 0;
        if (++layer == s.layers)
            layer = 0;
    }
};

#endif
