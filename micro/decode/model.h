/*
 * The model of micro-decode: a decoder whose numbers are small integers, so that every sum is exact, in any
 * order. A layer has five steps, each of which needs the preceding step:
 *
 *     QKV        queries, keys and values: W x; the rows of a group of heads lie together: its queries, its
 *                key, its value
 *     ATTENTION  for each head: the sum of score * value over the cache and this token, where a score is
 *                query * key
 *     PROJECTION W a + x
 *     GATE_UP    rows of gate and of up alternate and are combined pair by pair
 *     DOWN       W h + the result of PROJECTION
 *
 * Each result is wrapped into 8 bits; an exponential function would not be exact. A weight or a cached number
 * has 16 bits, lies between -8 and 7, and is determined by its position.
 */
#ifndef MICRO_DECODE_MODEL_H
#define MICRO_DECODE_MODEL_H

#ifdef __CUDACC__
#define MODEL_EVERYWHERE static inline __host__ __device__
#else
#define MODEL_EVERYWHERE static inline
#endif

#define HEAD_NUMBERS 64
#define MOST_HEADS_OF_GROUP 4
/* number of tokens in a chunk of the cache of keys and values; a chunk has the tokens' keys, then their
 * values */
#define CHUNK_TOKENS 8
#define CHUNK_NUMBERS (2 * CHUNK_TOKENS * HEAD_NUMBERS)
/* With at most this many columns, the results of a step fit into shared memory. */
#define MOST_COLUMNS 16384
#define WEIGHTS_OF_VECTOR 8 /* number of weights, of 16 bits each, in a vector of 16 bytes */

enum step_kind { QKV, ATTENTION, PROJECTION, GATE_UP, DOWN, STEPS_OF_LAYER };

struct decoder {
    /* `width` is how many numbers pass from layer to layer, `hidden` how many pass from GATE_UP to DOWN */
    unsigned width, hidden;
    /* number of groups of heads that share keys and values, and number of heads in a group */
    unsigned groups, heads;
    unsigned cache; /* number of tokens in the cache of keys and values */
    unsigned layers, seed;
};

/* ---- Sizes ---- */

MODEL_EVERYWHERE unsigned numbers_of_group(const struct decoder *d)
{
    return (d->heads + 2) * HEAD_NUMBERS;
}

/* Returns the number of results of a step. */
MODEL_EVERYWHERE unsigned results_of(const struct decoder *d, unsigned kind)
{
    return kind == QKV ? d->groups * numbers_of_group(d) : kind == GATE_UP ? d->hidden : d->width;
}
/* Returns the number of results of the steps of a layer that precede step `kind`; for STEPS_OF_LAYER, of all
 * steps. */
MODEL_EVERYWHERE unsigned results_before(const struct decoder *d, unsigned kind)
{
    unsigned before = 0;
    for (unsigned k = 0; k < kind; k++)
        before += results_of(d, k);
    return before;
}

MODEL_EVERYWHERE unsigned columns_of(const struct decoder *d, unsigned kind)
{
    return kind == DOWN ? d->hidden : d->width;
}
MODEL_EVERYWHERE unsigned rows_of(const struct decoder *d, unsigned kind)
{
    return kind == GATE_UP ? 2 * d->hidden : results_of(d, kind);
}

MODEL_EVERYWHERE unsigned chunks_of_group(const struct decoder *d)
{
    return d->cache / CHUNK_TOKENS;
}

/* Returns the number of 16-byte vectors that a step reads: vectors of the cache for ATTENTION, of weights for
 * the other steps. */
MODEL_EVERYWHERE unsigned vectors_of(const struct decoder *d, unsigned kind)
{
    return kind == ATTENTION ? d->groups * chunks_of_group(d) * (CHUNK_NUMBERS / WEIGHTS_OF_VECTOR)
                             : rows_of(d, kind) * (columns_of(d, kind) / WEIGHTS_OF_VECTOR);
}
MODEL_EVERYWHERE unsigned vectors_before(const struct decoder *d, unsigned kind)
{
    unsigned before = 0;
    for (unsigned k = 0; k < kind; k++)
        before += vectors_of(d, k);
    return before;
}

/* ---- Numbers ---- */

MODEL_EVERYWHERE unsigned model_mix(unsigned a, unsigned b)
{
    unsigned mixed = (a * 0x9e3779b1u) ^ (b * 0x85ebca77u);
    mixed = (mixed ^ mixed >> 15) * 0x2c1b3c6du;
    mixed = (mixed ^ mixed >> 12) * 0x297a2d39u;
    return mixed ^ mixed >> 15;
}

/* weights_of returns the eight weights of a vector of a layer's step, four bits each; weight_of returns one
 * of them. */
MODEL_EVERYWHERE unsigned weights_of(const struct decoder *d, unsigned layer, unsigned kind, unsigned vector)
{
    return model_mix((d->seed * 4096 + layer) * STEPS_OF_LAYER + kind, vector);
}
MODEL_EVERYWHERE int weight_of(unsigned weights, unsigned number)
{
    return (int)(weights >> 4 * number & 15) - 8;
}

MODEL_EVERYWHERE int model_wrap(int sum)
{
    return ((sum + 128) & 255) - 128;
}

/* Returns the number that is added to result `number` of the preceding token (0 before the first token) to
 * form the token's input. */
MODEL_EVERYWHERE int embedding(const struct decoder *d, unsigned token, unsigned number)
{
    return (int)(model_mix(~d->seed * 4096 - token, number) >> 24) - 128;
}

/* Returns a result of GATE_UP, computed from the sums of a row of gate and a row of up. Every change of gate
 * and nearly every change of up changes it. */
MODEL_EVERYWHERE int gated(int gate, int up)
{
    return model_wrap(model_wrap(gate) * (model_wrap(up) | 1) + up);
}

/* ---- Reference ---- */

#ifdef __cplusplus
extern "C" {
#endif

/* Computes all results of a number of tokens, [token][layer][results of a layer]. */
void decode_sequential(const struct decoder *decoder, unsigned tokens, signed char *results);

#ifdef __cplusplus
}
#endif

#endif
