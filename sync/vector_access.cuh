/* SPDX-License-Identifier: MIT */
/*
 * Volatile loads and stores of several words by one instruction. They are relaxed and bypass the L1 cache,
 * and their words become visible in any order (PTX ISA, "Vector Data-types"). Addresses are 16-byte aligned.
 * The memory machine has no vector accesses and performs one access for each word.
 */
#ifndef GPUSYNC_VECTOR_ACCESS_CUH
#define GPUSYNC_VECTOR_ACCESS_CUH

#include "device.cuh"

namespace gpusync
{

/* Store or load four words of global memory. */
static __device__ __forceinline__ void store_four_words(uint4 *place, uint4 v)
{
    asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};"
                 :
                 : "l"(place), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                 : "memory");
}
static __device__ __forceinline__ uint4 load_four_words(const uint4 *place)
{
    uint4 v;
    asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(place)
                 : "memory");
    return v;
}

/* Store or load two words of 64 bits of shared or global memory. */
static __device__ __forceinline__ void store_two_words(unsigned long long *pair, unsigned long long first,
                                                       unsigned long long second)
{
    asm volatile("st.volatile.v2.u64 [%0], {%1, %2};" : : "l"(pair), "l"(first), "l"(second));
}
static __device__ __forceinline__ void load_two_words(const unsigned long long *pair,
                                                      unsigned long long *first, unsigned long long *second)
{
    asm volatile("ld.volatile.v2.u64 {%0, %1}, [%2];" : "=l"(*first), "=l"(*second) : "l"(pair));
}

} // namespace gpusync

#endif
