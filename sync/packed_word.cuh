/* SPDX-License-Identifier: MIT */
/*
 * A channel of one 64-bit word: a value and its epoch, stored and loaded together. A store publishes and a
 * load tests, so no fence and no lock is needed. As the epoch rises, no reset is needed either. On today's
 * GPUs this replaces the load-and-test of the tiny-lock (Li 2015). Any number of threads may wait for a word.
 * The words must not contain the first epoch at the beginning; zero is right for epochs from 1.
 */
#ifndef GPUSYNC_PACKED_WORD_CUH
#define GPUSYNC_PACKED_WORD_CUH

#include "vector_access.cuh"

namespace gpusync
{

typedef unsigned long long packed_word;

static __device__ __forceinline__ packed_word packed(unsigned value, unsigned epoch)
{
    return (packed_word)epoch << 32 | value;
}

/* Publishes a value. The word is in shared or global memory; a volatile access is relaxed and bypasses the L1
 * cache. */
static __device__ __forceinline__ void packed_word_publish(packed_word *word, unsigned value, unsigned epoch)
{
    *(volatile packed_word *)word = packed(value, epoch);
}

/* packed_word_load returns the present content of a word; a program may load it long before it needs the
 * value. packed_word_is tests the content's epoch, and packed_word_value returns its value. */
static __device__ __forceinline__ packed_word packed_word_load(const packed_word *word)
{
    return *(const volatile packed_word *)word;
}
static __device__ __forceinline__ bool packed_word_is(packed_word word, unsigned epoch)
{
    return (unsigned)(word >> 32) == epoch;
}
static __device__ __forceinline__ unsigned packed_word_value(packed_word word)
{
    return (unsigned)word;
}

/* Tries once: returns whether the word has this epoch, and stores its value. */
static __device__ __forceinline__ bool packed_word_test(const packed_word *word, unsigned epoch,
                                                        unsigned *value)
{
    packed_word now = packed_word_load(word);
    *value = packed_word_value(now);
    return packed_word_is(now, epoch);
}

/* Waits until the word has this epoch, and returns its value. */
static __device__ __forceinline__ unsigned packed_word_await(const packed_word *word, unsigned epoch)
{
    unsigned value;
    while (!packed_word_test(word, epoch, &value)) {
    }
    return value;
}

/* Two adjacent words, stored and loaded by one instruction. Each has its own epoch, since either word may
 * become visible before the other. */
struct alignas(16) packed_word_pair {
    packed_word first, second;
};

static __device__ __forceinline__ void packed_word_publish(packed_word_pair *pair, packed_word_pair value)
{
    store_two_words(&pair->first, value.first, value.second);
}
static __device__ __forceinline__ packed_word_pair packed_word_load(const packed_word_pair *pair)
{
    packed_word_pair now;
    load_two_words(&pair->first, &now.first, &now.second);
    return now;
}

} // namespace gpusync

#endif
