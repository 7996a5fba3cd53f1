/* SPDX-License-Identifier: MIT */
/*
 * Words that tell by themselves whether they are full, as memory with full and empty bits did (Smith 1981, the Denelcor
 * HEP): all ones is empty, any other value is there. One thread fills a word; one other thread loads it until it is
 * full, and leaves it empty for the next launch. Neither fence nor flag: a word is stored and loaded whole, and orders
 * nothing but itself. Words must be empty in the beginning.
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

/* `value`: not all ones. Volatile accesses are relaxed ones and pass the L1 cache. */
static __device__ __forceinline__ void full_empty_fill(full_empty_word *word, full_empty_word value)
{
    *(volatile full_empty_word *)word = value;
}

/* As it is now; a thread may have loads of many words on their way. */
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
