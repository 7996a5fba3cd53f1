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

#define COUNTER_WORDS 32 /* a line for each counter */

/* Two numbers of 16 bits. */
static __device__ __forceinline__ unsigned pair_of(int first, int second)
{
    return ((unsigned)first & 0xffffu) | (unsigned)second << 16;
}
static __device__ __forceinline__ int first_of(unsigned pair)
{
    return (int)(short)(pair & 0xffffu);
}
static __device__ __forceinline__ int second_of(unsigned pair)
{
    return (int)pair >> 16;
}
/* The four results of two pairs, 8 bits each. */
static __device__ __forceinline__ unsigned bytes_of(uint2 pairs)
{
    return __byte_perm(pairs.x, pairs.y, 0x6420);
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
    static __device__ void add(const board &b, size_t at, unsigned, int part)
    {
        atomicAdd((int *)b.sums + at, part);
    }
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
    static __device__ void add(const board &b, size_t at, unsigned parts, int sum)
    {
        atomicAdd((counted_sum *)b.sums + at, ((counted_sum)parts << 32) + (counted_sum)(long long)sum);
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
