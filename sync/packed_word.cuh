/*
 * A channel of one 64-bit word: a value and the epoch it belongs to, stored and loaded together. A
 * store publishes and a load tests, so neither fence nor lock is needed, and an epoch that rises
 * needs no reset either: what the tiny-lock's load-and-test is on today's GPUs. Any number of
 * threads may wait for a word. The words must not hold the first epoch in the beginning; zero does
 * for epochs from 1.
 */
#ifndef GPUSYNC_PACKED_WORD_CUH
#define GPUSYNC_PACKED_WORD_CUH

#include "sync/device.cuh"

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

/* One try: true, and the value, if the word is of this epoch. */
static __device__ __forceinline__ bool packed_word_test(const packed_word *word, unsigned epoch,
                                                        unsigned *value)
{
    packed_word now = *(const volatile packed_word *)word;
    *value = (unsigned)now;
    return (unsigned)(now >> 32) == epoch;
}

/* Waits for the epoch; returns its value. */
static __device__ __forceinline__ unsigned packed_word_await(const packed_word *word, unsigned epoch)
{
    unsigned value;
    while (!packed_word_test(word, epoch, &value)) {
    }
    return value;
}

} // namespace gpusync

#endif
