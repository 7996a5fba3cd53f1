/*
 * Which block does what of a step of micro-decode, and which warp: work is cut into units (two results, so that they
 * make one word; a chunk of the cache), which are divided over the blocks, from another block on in every step,
 * and a block's units over its warps, from another warp on: so whoever has one more in this step has one less in
 * another. A unit is a number of items, which come through the warp's ring one by one.
 */
#ifndef MICRO_DECODE_SCHEDULE_CUH
#define MICRO_DECODE_SCHEDULE_CUH

#include "harness/kernel.cuh"
#include "micro/decode/model.h"

#define WORKERS 8 /* warps of a block that multiply */
#define WORKER_THREADS (WORKERS * 32)
#define ITEM_BYTES 4096 /* at most: a part of a row, a chunk of the cache */
#define ITEM_COLUMNS (ITEM_BYTES / 2)
#define CHUNK_VECTORS (CHUNK_NUMBERS / WEIGHTS_OF_VECTOR)
#define BLOCKS_PER_TURN 29

/* Of a step in every layer. Quotients are made once, by the host: a division takes as long as a fifth of a hop. */
struct step_shape {
    unsigned units, items;   /* items of a unit: its rows, one after the other */
    unsigned rows, segments; /* of a unit; items of a row */
    unsigned each, more;     /* units of a block; the first `more` blocks of a step have one more */
    unsigned item_vectors;   /* 16 bytes each */
    unsigned vectors_before;
    unsigned columns;      /* numbers that it needs */
    unsigned pairs_before; /* of the layer's results */
};

struct schedule {
    step_shape shapes[STEPS_OF_LAYER];
    unsigned layers, layer_vectors, layer_pairs;
    unsigned turn;        /* by how much the first block of a step is further than that of the step before */
    float group_of_chunk; /* a chunk's group of heads, over its number */
    unsigned blocks, first_block; /* of all GPUs; the number of the grid's first one among them */
};

static inline schedule schedule_of(const struct decoder *d, unsigned blocks)
{
    schedule s = {};
    s.blocks = blocks;
    s.turn = BLOCKS_PER_TURN % blocks;
    s.group_of_chunk = 1.0f / (float)chunks_of_group(d);
    unsigned segment = d->width < ITEM_COLUMNS ? d->width : ITEM_COLUMNS;
    s.layers = d->layers;
    s.layer_vectors = vectors_before(d, STEPS_OF_LAYER);
    s.layer_pairs = results_before(d, STEPS_OF_LAYER) / 2;
    for (unsigned kind = 0; kind < STEPS_OF_LAYER; kind++) {
        step_shape *shape = &s.shapes[kind];
        bool is_matrix = kind != ATTENTION;
        shape->units = is_matrix ? results_of(d, kind) / 2 : d->groups * chunks_of_group(d);
        shape->segments = is_matrix ? columns_of(d, kind) / segment : 1;
        shape->items = is_matrix ? 2 * shape->segments * (kind == GATE_UP ? 2 : 1) : 1;
        shape->rows = shape->items / shape->segments;
        shape->each = shape->units / blocks;
        shape->more = shape->units % blocks;
        shape->item_vectors = (is_matrix ? segment : CHUNK_NUMBERS) / WEIGHTS_OF_VECTOR;
        shape->vectors_before = vectors_before(d, kind);
        shape->columns = columns_of(d, kind);
        shape->pairs_before = results_before(d, kind) / 2;
    }
    return s;
}

/* A step's results, as others find them: the first one's place among all pairs, or among all sums of attentions. */
struct place {
    unsigned token, layer, kind;
};
static __device__ __forceinline__ size_t pairs_at(const schedule &s, place p)
{
    return (size_t)(p.token * s.layers + p.layer) * s.layer_pairs + s.shapes[p.kind].pairs_before;
}
static __device__ __forceinline__ size_t sums_at(const schedule &s, place p)
{
    return (size_t)(p.token * s.layers + p.layer) * s.shapes[QKV].columns;
}

/* The most units that a block gets of a step. */
static inline unsigned most_units(const schedule &s, unsigned kind)
{
    return s.shapes[kind].each + (s.shapes[kind].more > 0);
}

/* A block's share of a step, and a warp's place in it. */
struct Cursor {
    unsigned layer, kind, turn;
    unsigned first_unit, units; /* of the block */
    unsigned worker;            /* a warp */
    unsigned next;              /* unit of the warp, counted in the block; from `units` on: none */
    unsigned next_worker;       /* who takes the first unit of the step after this */
    const uint4 *from;          /* the block's first item */

    /* Before the step with this number, which is the first. */
    __device__ void begin(const schedule &s, unsigned step, unsigned of_worker)
    {
        worker = of_worker;
        kind = step % STEPS_OF_LAYER;
        layer = step / STEPS_OF_LAYER % s.layers;
        turn = step * BLOCKS_PER_TURN % s.blocks;
        next_worker = 0;
    }

    __device__ void enter(const schedule &s, const uint4 *weights)
    {
        const step_shape &shape = s.shapes[kind];
        unsigned number = s.first_block + block_in_grid() + turn;
        number -= number >= s.blocks ? s.blocks : 0;
        first_unit = shape.each * number + (number < shape.more ? number : shape.more);
        units = shape.each + (number < shape.more);
        next = (worker - next_worker) % WORKERS;
        next_worker += units;
        from = weights + (size_t)layer * s.layer_vectors + shape.vectors_before +
               (size_t)(first_unit * shape.items) * shape.item_vectors;
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
