/*
 * A warp's part of an attention: the eight tokens of a chunk of the cache, under all heads of its group. First eight
 * lanes share a token's key, and each lane ends with one score of the 32; then, through the warp's room in shared
 * memory, all lanes have all scores, and each lane has two numbers of every token's value, so that no lane's sum needs
 * another's.
 */
#ifndef MICRO_DECODE_ATTENTION_CUH
#define MICRO_DECODE_ATTENTION_CUH

#include "harness/warp.cuh"
#include "micro/decode/numbers.cuh"

#define SCORE_BYTES (MOST_HEADS_OF_GROUP * CHUNK_TOKENS) /* of a warp: [head][token] */

/* Of each head, the sums of the lane's two numbers: its lane's number times two, and the next. */
struct head_sums {
    int of[MOST_HEADS_OF_GROUP][2];
};

/* Half of the values are summed, by each of two lanes whose numbers differ in bit `apart`: those with an odd number in
 * the lane that has the bit. */
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

/* The lane's score: of head lane % 4 and token 4 * (lane / 4 % 2) + lane / 8. It has eight numbers of two tokens' keys;
 * queries: its eight numbers of each head's. Heads that the group has not are the first one again. */
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

/* Called by the whole warp. values: two numbers of each token, in a word. */
static __device__ __forceinline__ head_sums sums_of_chunk(int score, const uint4 *values, unsigned char *room,
                                                          unsigned lane)
{
    room[lane % 4 * CHUNK_TOKENS + lane / 4 % 2 * 4 + lane / 8] = (unsigned char)score;
    __syncwarp();
    head_sums sums = {};
    UNROLL(2)
    for (unsigned i = 0; i < 2; i++) { /* four tokens */
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
    __syncwarp(); /* all have read the room */
    return sums;
}

/* Behind the cache's tokens comes the token itself, with a key and a value behind the group's queries; called by the
 * whole warp. of_group: bytes. */
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
