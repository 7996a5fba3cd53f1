/* SPDX-License-Identifier: MIT */
/*
 * Self-validating words, like memory with full and empty bits (Smith 1981, the Denelcor HEP): all ones means
 * empty, any other value means full. One thread fills a word. One other thread loads it until it is full, and
 * then empties it for the next launch. No fence and no separate flag is needed: a word is stored and loaded
 * as a whole, and orders no other data. All words must be empty at first.
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

/* Fills the word; `value` is not all ones. A volatile access is relaxed and bypasses the L1 cache. */
static __device__ __forceinline__ void full_empty_fill(full_empty_word *word, full_empty_word value)
{
    *(volatile full_empty_word *)word = value;
}

/* Returns the word's present content; a thread may have loads of many words in flight. */
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
