/* The sum of few numbers by one block. The kernel is so short that each instruction shows in its time. So the
 * shape and the number of loads are constants, and only the addresses of the loads are computed before the
 * loads. */
#ifndef SUM_FEW_CUH
#define SUM_FEW_CUH

#include "harness/block_sums.cuh"

#define FEW_PACKS 2 /* number of loads of 16 bytes that each thread does */

/* Returns the greatest n for which sum_of_few can sum n numbers. */
template <class T>
static constexpr unsigned few_numbers()
{
    return SUM_THREADS * FEW_PACKS * 16 / sizeof(T);
}

/* Sums n <= few_numbers() numbers with one block of SUM_THREADS threads. One lane reads the sums of the
 * warps, 16 bytes at once, which takes less time than a second sum over lanes. */
template <class T>
static __global__ void __launch_bounds__(SUM_THREADS) sum_of_few(const T *in, T *out, unsigned n)
{
    T *totals = dynamic_shared<T>();
    const sixteen_bytes<T> *packed = (const sixteen_bytes<T> *)in;
    const unsigned each = 16 / sizeof(T), packs = n / each;
    begin_early();
    sixteen_bytes<T> x[FEW_PACKS] = {};
    UNROLL(2)
    for (unsigned k = 0; k < FEW_PACKS; k++)
        if (k * SUM_THREADS + threadIdx.x < packs)
            x[k] = packed[k * SUM_THREADS + threadIdx.x];
    T sum = packs * each + threadIdx.x < n ? in[packs * each + threadIdx.x] : T(0);
    UNROLL(2)
    for (unsigned k = 0; k < FEW_PACKS; k++)
        sum += sum_of_pack(x[k]);
    sum = sum_of_warp(sum);
    if (lane_of_warp() == 0)
        totals[warp_of_block()] = sum;
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    sum = 0;
    UNROLL(8)
    for (unsigned w = 0; w < SUM_THREADS / 32 / each; w++)
        sum += sum_of_pack(((const sixteen_bytes<T> *)totals)[w]);
    *out = sum;
}

#endif
