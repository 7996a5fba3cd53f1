/*
 * A sum in one pass and without a barrier: each block sums its share of the numbers, and the last block to
 * finish adds up the blocks' sums.
 *
 * In contrast to the algorithms of Nakano 2013, threads read 16 bytes at once and keep four loads in flight,
 * and no block waits for another. An atomic counter between a release fence and an acquire fence tells which
 * block is the last.
 */
#ifndef SUM_LAST_BLOCK_CUH
#define SUM_LAST_BLOCK_CUH

#include "harness/block_sums.cuh"
#include "sync/memory_order.cuh"

/* Sums n numbers in one launch. `parts` has a partial sum for each block; `arrived` counts the blocks that
 * have finished, and is zero before and after the launch. */
template <class T>
static __global__ void __launch_bounds__(SUM_THREADS)
    sum_by_last_block(const T *in, T *parts, T *out, unsigned n, unsigned *arrived)
{
    T *totals = dynamic_shared<T>();
    unsigned *last = (unsigned *)(totals + 32);
    begin_early();
    T sum = sum_of_block(sum_of_share(in, n, blockIdx.x, gridDim.x), totals);
    if (gridDim.x > 1) {
        if (threadIdx.x == 0) {
            parts[blockIdx.x] = sum;
            fence_release();
            *last = add_relaxed(arrived, 1) == gridDim.x - 1;
            fence_acquire();
        }
        __syncthreads();
        if (!*last)
            return;
        sum = 0;
        for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x)
            sum += parts[b];
        sum = sum_of_block(sum, totals);
        if (threadIdx.x == 0)
            *arrived = 0;
    }
    if (threadIdx.x == 0)
        *out = sum;
}

#endif
