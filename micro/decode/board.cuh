/*
 * Where the steps of micro-decode leave their results for other blocks. Each token, layer and step has places of
 * its own, so that all of them can be compared afterwards. Two results share a word. Blocks add their parts of
 * an attention to one place, which is 0 at first.
 */
#ifndef MICRO_DECODE_BOARD_CUH
#define MICRO_DECODE_BOARD_CUH

#include "harness/kernel.cuh"
#include "micro/decode/model.h"
#include "sync/memory_order.cuh"
#include "sync/packed_word.cuh"

#include <string.h>

#define COUNTER_WORDS 32 /* a line for each counter */

/* Two numbers as bfloat16: of one that is a small integer, the lower half of a float's bits is 0. */
static __device__ __forceinline__ unsigned bits_of_float(float value)
{
    unsigned bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
static __device__ __forceinline__ float float_of_bits(unsigned bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
static __device__ __forceinline__ unsigned pair_of(int first, int second)
{
    return bits_of_float((float)first) >> 16 | (bits_of_float((float)second) & 0xffff0000u);
}
static __device__ __forceinline__ float first_of(unsigned pair)
{
    return float_of_bits(pair << 16);
}
static __device__ __forceinline__ float second_of(unsigned pair)
{
    return float_of_bits(pair & 0xffff0000u);
}

/* A step's results, as others find them. */
struct place {
    unsigned token, layer, kind;
};

struct board {
    void *pairs;        /* [token][layer][results / 2], unsigned, or packed_word */
    void *sums;         /* [token][layer][width], int, or what counts its parts, too */
    unsigned *counters; /* [token][layer][step][group], each on a line of its own */
    unsigned epoch;     /* of the words of this run */
};

static __device__ __forceinline__ size_t pairs_at(const struct decoder &d, place p)
{
    return ((size_t)(p.token * d.layers + p.layer) * results_before(&d, STEPS_OF_LAYER) +
            results_before(&d, p.kind)) /
           2;
}
static __device__ __forceinline__ size_t sums_at(const struct decoder &d, place p)
{
    return (size_t)(p.token * d.layers + p.layer) * d.width;
}

/* ---- results without flags: something else says when they are there ---- */

struct PlainBoard {
    typedef unsigned word;
    typedef int sum;

    static __device__ void put(const board &b, size_t at, unsigned pair) { ((unsigned *)b.pairs)[at] = pair; }
    static __device__ void add(const board &b, size_t at, int part) { atomicAdd((int *)b.sums + at, part); }
    /* Two pairs. Always there. */
    static __device__ bool get(const board &b, size_t at, uint2 *pairs)
    {
        *pairs = *(const uint2 *)((const unsigned *)b.pairs + at);
        return true;
    }
    static __device__ unsigned get_one(const board &b, size_t at) { return ((const unsigned *)b.pairs)[at]; }
    static __device__ bool get_sums(const board &b, size_t at, unsigned, int *sums)
    {
        uint2 two = *(const uint2 *)((const int *)b.sums + at);
        sums[0] = (int)two.x;
        sums[1] = (int)two.y;
        return true;
    }
};

/*
 * ---- results that say themselves that they are there ----
 *
 * A word is a pair and the run's number. The parts of a sum are added to the lower half of a word, and how many
 * have been added, to its upper half.
 */

typedef unsigned long long counted_sum;

struct WordBoard {
    typedef packed_word word;
    typedef counted_sum sum;

    static __device__ void put(const board &b, size_t at, unsigned pair)
    {
        packed_word_publish((packed_word *)b.pairs + at, pair, b.epoch);
    }
    static __device__ void add(const board &b, size_t at, int part)
    {
        atomicAdd((counted_sum *)b.sums + at, (1ull << 32) + (counted_sum)(long long)part);
    }
    static __device__ bool get(const board &b, size_t at, uint2 *pairs)
    {
        packed_word_pair now =
            packed_word_load((const packed_word_pair *)((const packed_word *)b.pairs + at));
        *pairs = make_uint2(packed_word_value(now.first), packed_word_value(now.second));
        return packed_word_is(now.first, b.epoch) && packed_word_is(now.second, b.epoch);
    }
    static __device__ unsigned get_one(const board &b, size_t at)
    {
        return packed_word_await((const packed_word *)b.pairs + at, b.epoch);
    }
    static __device__ bool is_complete(counted_sum now, unsigned parts, int *sum)
    {
        *sum = (int)(unsigned)now;
        return (unsigned)((now - (counted_sum)(long long)*sum) >> 32) == parts;
    }
    static __device__ bool get_sums(const board &b, size_t at, unsigned parts, int *sums)
    {
        packed_word_pair now = packed_word_load((const packed_word_pair *)((const counted_sum *)b.sums + at));
        bool first = is_complete(now.first, parts, &sums[0]);
        return is_complete(now.second, parts, &sums[1]) && first;
    }
};

#endif
