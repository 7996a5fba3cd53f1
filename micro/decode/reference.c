#include "base/memory.h"
#include "base/parallel.h"
#include "micro/decode/model.h"

#include <stdlib.h>

#define ROWS_AT_ONCE 32 /* number of rows that a processor computes at once */

/* The step that the threads of the reference compute together */
static struct {
    const struct decoder *decoder;
    unsigned layer, kind;
    const int *x;
    int *sums;
} matrix;

static int row_sum(unsigned row)
{
    const struct decoder *d = matrix.decoder;
    unsigned vectors = columns_of(d, matrix.kind) / WEIGHTS_OF_VECTOR;
    int sum = 0;
    for (unsigned v = 0; v < vectors; v++) {
        unsigned weights = weights_of(d, matrix.layer, matrix.kind, row * vectors + v);
        for (unsigned i = 0; i < WEIGHTS_OF_VECTOR; i++)
            sum += weight_of(weights, i) * matrix.x[v * WEIGHTS_OF_VECTOR + i];
    }
    return sum;
}

static void rows_from(size_t number)
{
    unsigned rows = rows_of(matrix.decoder, matrix.kind), first = (unsigned)number * ROWS_AT_ONCE;
    for (unsigned row = first; row < rows && row < first + ROWS_AT_ONCE; row++)
        matrix.sums[row] = row_sum(row);
}

static void multiply(const struct decoder *d, unsigned layer, unsigned kind, const int *x, int *sums)
{
    matrix.decoder = d;
    matrix.layer = layer;
    matrix.kind = kind;
    matrix.x = x;
    matrix.sums = sums;
    parallel_for((rows_of(d, kind) + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE, rows_from);
}

/* The attention of a layer, whose groups of heads the threads of the reference compute together */
static struct {
    const struct decoder *decoder;
    unsigned layer;
    const signed char *x; /* the results of QKV */
    int *sums;
} attention;

/* Returns a number of a key or of a value (`of_value`) of a cached token. */
static int cached(unsigned group, unsigned token, int of_value, unsigned number)
{
    const struct decoder *d = attention.decoder;
    unsigned chunk = group * chunks_of_group(d) + token / CHUNK_TOKENS;
    unsigned at = chunk * CHUNK_NUMBERS + (of_value ? CHUNK_TOKENS * HEAD_NUMBERS : 0) +
                  token % CHUNK_TOKENS * HEAD_NUMBERS + number;
    return weight_of(weights_of(d, attention.layer, ATTENTION, at / WEIGHTS_OF_VECTOR),
                     at % WEIGHTS_OF_VECTOR);
}

static void attend(size_t group)
{
    const struct decoder *d = attention.decoder;
    const signed char *of_group = attention.x + group * numbers_of_group(d);
    int *sums = attention.sums + group * d->heads * HEAD_NUMBERS;
    const signed char *own_key = of_group + d->heads * HEAD_NUMBERS, *own_value = own_key + HEAD_NUMBERS;
    int key[HEAD_NUMBERS], value[HEAD_NUMBERS];
    for (unsigned token = 0; token <= d->cache; token++) {
        for (unsigned i = 0; i < HEAD_NUMBERS; i++) {
            key[i] = token < d->cache ? cached((unsigned)group, token, 0, i) : own_key[i];
            value[i] = token < d->cache ? cached((unsigned)group, token, 1, i) : own_value[i];
        }
        for (unsigned head = 0; head < d->heads; head++) {
            int score = 0;
            for (unsigned i = 0; i < HEAD_NUMBERS; i++)
                score += of_group[head * HEAD_NUMBERS + i] * key[i];
            for (unsigned i = 0; i < HEAD_NUMBERS; i++)
                sums[head * HEAD_NUMBERS + i] += model_wrap(score) * value[i];
        }
    }
}

/* Stores the results of a step, which it computes from the step's sums. */
static void leave(const struct decoder *d, unsigned kind, const int *sums, const int *residual,
                  signed char *results)
{
    for (unsigned i = 0; i < results_of(d, kind); i++)
        results[i] = (signed char)(kind == GATE_UP ? gated(sums[2 * i], sums[2 * i + 1])
                                                   : model_wrap(sums[i] + (residual ? residual[i] : 0)));
}

static void widen(int *x, const signed char *results, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        x[i] = results[i];
}

/* Computes a layer. `x` is the layer's input before the call and its result after it. */
static void layer_sequential(const struct decoder *d, unsigned layer, int *x, int *hidden, int *sums,
                             signed char *results)
{
    signed char *of[STEPS_OF_LAYER];
    for (unsigned kind = 0; kind < STEPS_OF_LAYER; kind++)
        of[kind] = results + results_before(d, kind);
    multiply(d, layer, QKV, x, sums);
    leave(d, QKV, sums, NULL, of[QKV]);
    for (unsigned i = 0; i < d->width; i++)
        sums[i] = 0;
    attention.decoder = d;
    attention.layer = layer;
    attention.x = of[QKV];
    attention.sums = sums;
    parallel_for(d->groups, attend);
    leave(d, ATTENTION, sums, NULL, of[ATTENTION]);
    widen(hidden, of[ATTENTION], d->width);
    multiply(d, layer, PROJECTION, hidden, sums);
    leave(d, PROJECTION, sums, x, of[PROJECTION]);
    widen(x, of[PROJECTION], d->width);
    multiply(d, layer, GATE_UP, x, sums);
    leave(d, GATE_UP, sums, NULL, of[GATE_UP]);
    widen(hidden, of[GATE_UP], d->hidden);
    multiply(d, layer, DOWN, hidden, sums);
    leave(d, DOWN, sums, x, of[DOWN]);
    widen(x, of[DOWN], d->width);
}

void decode_sequential(const struct decoder *d, unsigned tokens, signed char *results)
{
    size_t of_layer = results_before(d, STEPS_OF_LAYER);
    unsigned most = d->width > d->hidden ? d->width : d->hidden;
    int *x = allocate(d->width * sizeof *x), *hidden = allocate(most * sizeof *hidden);
    int *sums = allocate((2 * d->hidden + results_of(d, QKV)) * sizeof *sums);
    for (unsigned i = 0; i < d->width; i++)
        x[i] = 0;
    for (unsigned token = 0; token < tokens; token++) {
        for (unsigned i = 0; i < d->width; i++)
            x[i] = model_wrap(x[i] + embedding(d, token, i));
        for (unsigned layer = 0; layer < d->layers; layer++)
            layer_sequential(d, layer, x, hidden, sums, results + (token * d->layers + layer) * of_layer);
    }
    free(x);
    free(hidden);
    free(sums);
}
