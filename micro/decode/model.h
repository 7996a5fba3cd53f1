/*
 * The model of micro-decode: a decoder whose numbers are small integers, so that every sum is exact, in any
 * order. A layer has five steps, each of which needs the one before:
 *
 *     QKV        queries, keys and values: W x; the rows of a group of heads lie together: its queries, its
 *                key, its value
 *     ATTENTION  of each head: the sum of score * value over the cache and this token, where a score is
 *                query * key
 *     PROJECTION W a + x
 *     GATE_UP    rows in turn of gate and of up, combined pair by pair
 *     DOWN       W h + what PROJECTION gave
 *
 * Each result is wrapped into 8 bits, which no exponential function would leave exact. A weight or a cached
 * number has 16 bits, and is from -8 to 7, determined by its place.
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
#define CHUNK_TOKENS 8 /* of the cache; their keys, then their values */
#define CHUNK_NUMBERS (2 * CHUNK_TOKENS * HEAD_NUMBERS)
/* So that the results of a step fit into shared memory. */
#define MOST_COLUMNS 16384
#define WEIGHTS_OF_VECTOR 8 /* in 16 bytes */

enum step_kind { QKV, ATTENTION, PROJECTION, GATE_UP, DOWN, STEPS_OF_LAYER };

struct decoder {
    unsigned width, hidden; /* numbers of the state, and between GATE_UP and DOWN */
    unsigned groups, heads; /* groups of heads that share keys and values; heads of a group */
    unsigned cache;         /* tokens */
    unsigned layers, seed;
};

/* ---- sizes ---- */

MODEL_EVERYWHERE unsigned numbers_of_group(const struct decoder *d)
{
    return (d->heads + 2) * HEAD_NUMBERS;
}

/* Results of a step. */
MODEL_EVERYWHERE unsigned results_of(const struct decoder *d, unsigned kind)
{
    return kind == QKV ? d->groups * numbers_of_group(d) : kind == GATE_UP ? d->hidden : d->width;
}
/* Where they begin among all results of a layer; STEPS_OF_LAYER: how many these are. */
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

/* Vectors of 16 bytes that a step reads: weights, or the cache. */
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

/* ---- numbers ---- */

MODEL_EVERYWHERE unsigned model_mix(unsigned a, unsigned b)
{
    unsigned mixed = (a * 0x9e3779b1u) ^ (b * 0x85ebca77u);
    mixed = (mixed ^ mixed >> 15) * 0x2c1b3c6du;
    mixed = (mixed ^ mixed >> 12) * 0x297a2d39u;
    return mixed ^ mixed >> 15;
}

/* The eight weights of a vector of a layer's step, four bits each, and one of them. */
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

/* What is added to the last result of the token before (0 before the first) to be the input of a token. */
MODEL_EVERYWHERE int embedding(const struct decoder *d, unsigned token, unsigned number)
{
    return (int)(model_mix(~d->seed * 4096 - token, number) >> 24) - 128;
}

/* What GATE_UP gives: every gate and nearly every up makes a difference. */
MODEL_EVERYWHERE int gated(int gate, int up)
{
    return model_wrap(model_wrap(gate) * (model_wrap(up) | 1) + up);
}

/* ---- reference ---- */

#ifdef __cplusplus
extern "C" {
#endif

/* All results of a number of tokens, [token][layer][results of a layer]. */
void decode_sequential(const struct decoder *decoder, unsigned tokens, signed char *results);

#ifdef __cplusplus
}
#endif

#endif
