/* SPDX-License-Identifier: MIT */
/*
 * Self-validating words, like memory with full and empty bits (Smith 1981, the Denelcor HEP): all ones means
 * empty, any other value is full. One thread fills a word; one other thread loads it until it is full, and
 * leaves it empty for the next launch. No fence and no separate flag is needed: a word is stored and loaded
 * as a whole, and orders nothing but itself. All words must be empty at first.
 */
#ifndef GPUSYNC_FULL_EMPTY_CUH
#define GPUSYNC_FULL_EMPTY_CUH

#include "device.cuh"

namespace gpusync
{

typedef unsigned long long full_empty_word;

static __device__ __forceinline__ bool full_empty_is_full(full_empty_word value)
{
    return value != ~0ull;
}

/* `value` is not all ones. Volatile accesses are relaxed and bypass the L1 cache. */
static __device__ __forceinline__ void full_empty_fill(full_empty_word *word, full_empty_word value)
{
    *(volatile full_empty_word *)word = value;
}

/* The present content of the word; a thread may have loads of many words in flight. */
static __device__ __forceinline__ full_empty_word full_empty_load(const full_empty_word *word)
{
    return *(const volatile full_empty_word *)word;
}

static __device__ __forceinline__ void full_empty_leave_empty(full_empty_word *word)
{
    *word = ~0ull;
}

} // namespace gpusync

#endif
