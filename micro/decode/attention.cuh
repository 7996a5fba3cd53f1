/*
 * A warp's part of an attention: the eight tokens of a chunk of the cache, with all heads of the chunk's
 * group. At first, every eight lanes share a token's key, and each lane computes one of the 32 scores. Then
 * all lanes read all scores from the warp's room in shared memory, and each lane owns two numbers of every
 * token's value, so that no lane's sum needs another lane's.
 */
#ifndef MICRO_DECODE_ATTENTION_CUH
#define MICRO_DECODE_ATTENTION_CUH

#include "harness/warp.cuh"
#include "micro/decode/numbers.cuh"

/* number of bytes of a warp's scores, [head][token] */
#define SCORE_BYTES (MOST_HEADS_OF_GROUP * CHUNK_TOKENS)

/* For each head, a lane's two sums of score * value, for elements 2 * lane and 2 * lane + 1 of the value
 * vectors. */
struct head_sums {
    int of[MOST_HEADS_OF_GROUP][2];
};

/* Adds up `values` of every two lanes whose numbers differ in bit `apart`. The lane with the bit keeps the
 * sums of the values with odd indices, the other lane the sums with even indices. */
template <unsigned COUNT>
static __device__ __forceinline__ void sum_halves(int *values, unsigned lane, unsigned apart)
{
    UNROLL(4)
    for (unsigned i = 0; i < COUNT / 2; i++) {
        int own = lane & apart ? values[2 * i + 1] : values[2 * i];
        int others = lane & apart ? values[2 * i] : values[2 * i + 1];
        values[i] = own + __shfl_xor_sync(ALL_LANES, others, (int)apart);
    }
}

/* Returns the score that this lane computes: of head lane % 4 and token 4 * (lane / 4 % 2) + lane / 8. `keys`
 * are the lane's eight numbers of the keys of two tokens, `queries` its eight numbers of the query of each
 * head. If the group has fewer heads, its first head is repeated. */
static __device__ __forceinline__ int score_of_lane(const uint4 *keys, const uint2 *queries, unsigned heads,
                                                    unsigned lane)
{
    int scores[2 * MOST_HEADS_OF_GROUP];
    UNROLL(4)
    for (unsigned head = 0; head < MOST_HEADS_OF_GROUP; head++) {
        uint2 query = queries[head < heads ? head * (HEAD_NUMBERS / 8) : 0];
        scores[head] = add_products(keys[0], query, 0);
        scores[MOST_HEADS_OF_GROUP + head] = add_products(keys[1], query, 0);
    }
    sum_halves<8>(scores, lane, 1);
    sum_halves<4>(scores, lane, 2);
    sum_halves<2>(scores, lane, 4);
    return model_wrap(scores[0]);
}

/* Returns the lane's sums of score * value over the tokens of a chunk. `values` holds two numbers of each
 * token's value in a word. `room` is the warp's memory for all scores. All lanes of the warp call this
 * function. */
static __device__ __forceinline__ head_sums sums_of_chunk(int score, const uint4 *values, unsigned char *room,
                                                          unsigned lane)
{
    room[lane % 4 * CHUNK_TOKENS + lane / 4 % 2 * 4 + lane / 8] = (unsigned char)score;
    __syncwarp();
    head_sums sums = {};
    UNROLL(2)
    for (unsigned i = 0; i < 2; i++) { /* four tokens in each iteration */
        const unsigned first[2] = {__byte_perm(values[i].x, values[i].y, 0x5410),
                                   __byte_perm(values[i].z, values[i].w, 0x5410)};
        const unsigned second[2] = {__byte_perm(values[i].x, values[i].y, 0x7632),
                                    __byte_perm(values[i].z, values[i].w, 0x7632)};
        UNROLL(4)
        for (unsigned head = 0; head < MOST_HEADS_OF_GROUP; head++) {
            int four = ((const int *)room)[2 * head + i];
            int *of = sums.of[head];
            of[0] = __dp2a_hi((int)first[1], four, __dp2a_lo((int)first[0], four, of[0]));
            of[1] = __dp2a_hi((int)second[1], four, __dp2a_lo((int)second[0], four, of[1]));
        }
    }
    __syncwarp(); /* after this point, all lanes have read the scores in `room` */
    return sums;
}

/* Adds the current token's own score * value to the sums; it follows the cached tokens. Its key and value
 * follow the group's queries in `of_group`, as bytes. All lanes of the warp call this function. */
static __device__ __forceinline__ void add_own_token(head_sums *sums, const unsigned char *of_group,
                                                     unsigned heads, unsigned lane)
{
    const unsigned char *key = of_group + heads * HEAD_NUMBERS + 2 * lane, *value = key + HEAD_NUMBERS;
    UNROLL(4)
    for (unsigned head = 0; head < MOST_HEADS_OF_GROUP; head++) {
        const unsigned char *query = of_group + (head < heads ? head * HEAD_NUMBERS : 0) + 2 * lane;
        int products =
            (signed char)query[0] * (signed char)key[0] + (signed char)query[1] * (signed char)key[1];
        int score = model_wrap(sum_of_warp(products));
        sums->of[head][0] += score * (signed char)value[0];
        sums->of[head][1] += score * (signed char)value[1];
    }
}

#endif
