/* Products of 16-bit numbers (weights, cached keys) with 8-bit numbers (a step's input, queries), and a sum
 * of bytes */
#ifndef MICRO_DECODE_NUMBERS_CUH
#define MICRO_DECODE_NUMBERS_CUH

#include "harness/kernel.cuh"
#include "micro/decode/model.h"

/* Returns `sum` plus the products of eight numbers of 16 bits and eight numbers of 8 bits. */
static __device__ __forceinline__ int add_products(uint4 vector, uint2 numbers, int sum)
{
    sum = __dp2a_lo((int)vector.x, (int)numbers.x, sum);
    sum = __dp2a_hi((int)vector.y, (int)numbers.x, sum);
    sum = __dp2a_lo((int)vector.z, (int)numbers.y, sum);
    return __dp2a_hi((int)vector.w, (int)numbers.y, sum);
}

/* Adds the four bytes of a to the four bytes of b, each modulo 256. */
static __device__ __forceinline__ unsigned add_bytes(unsigned a, unsigned b)
{
    const unsigned tops = 0x80808080u;
    return ((a & ~tops) + (b & ~tops)) ^ ((a ^ b) & tops);
}

#endif
