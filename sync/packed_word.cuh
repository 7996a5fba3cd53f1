/* SPDX-License-Identifier: MIT */
/*
 * A channel of one 64-bit word: a value and the epoch it belongs to, stored and loaded together. A
 * store publishes and a load tests, so neither fence nor lock is needed, and an epoch that rises
 * needs no reset either: what the tiny-lock's load-and-test is on today's GPUs. Any number of
 * threads may wait for a word. The words must not hold the first epoch in the beginning; zero does
 * for epochs from 1.
 */
#ifndef GPUSYNC_PACKED_WORD_CUH
#define GPUSYNC_PACKED_WORD_CUH

#include "device.cuh"

namespace gpusync
{

typedef unsigned long long packed_word;

static __device__ __forceinline__ packed_word packed(unsigned value, unsigned epoch)
{
    return (packed_word)epoch << 32 | value;
}

/* In shared memory, or in global memory: volatile accesses are relaxed ones and pass the L1 cache. */
static __device__ __forceinline__ void packed_word_publish(packed_word *word, unsigned value, unsigned epoch)
{
    *(volatile packed_word *)word = packed(value, epoch);
}

/* A word as it is now, loaded long before it is asked for; is it of this epoch, and its value. */
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

/* One try: true, and the value, if the word is of this epoch. */
static __device__ __forceinline__ bool packed_word_test(const packed_word *word, unsigned epoch,
                                                        unsigned *value)
{
    packed_word now = packed_word_load(word);
    *value = packed_word_value(now);
    return packed_word_is(now, epoch);
}

/* Waits for the epoch; returns its value. */
static __device__ __forceinline__ unsigned packed_word_await(const packed_word *word, unsigned epoch)
{
    unsigned value;
    while (!packed_word_test(word, epoch, &value)) {
    }
    return value;
}

/* Two words side by side, stored and loaded by one instruction; each has its own epoch, since they
 * may come one before the other. */
struct alignas(16) packed_word_pair {
    packed_word first, second;
};

#ifndef GPUSYNC_MACHINE

static __device__ __forceinline__ void packed_word_publish(packed_word_pair *pair, packed_word_pair value)
{
    asm volatile("st.volatile.v2.u64 [%0], {%1, %2};" : : "l"(pair), "l"(value.first), "l"(value.second));
}
static __device__ __forceinline__ packed_word_pair packed_word_load(const packed_word_pair *pair)
{
    packed_word_pair now;
    asm volatile("ld.volatile.v2.u64 {%0, %1}, [%2];" : "=l"(now.first), "=l"(now.second) : "l"(pair));
    return now;
}

#else /* which has no vectors */

static __device__ __forceinline__ void packed_word_publish(packed_word_pair *pair, packed_word_pair value)
{
    *(volatile packed_word *)&pair->first = value.first;
    *(volatile packed_word *)&pair->second = value.second;
}
static __device__ __forceinline__ packed_word_pair packed_word_load(const packed_word_pair *pair)
{
    return {packed_word_load(&pair->first), packed_word_load(&pair->second)};
}

#endif

} // namespace gpusync

#endif
