/*
 * A sum in one pass and without a barrier: each block adds up its part; the block that comes last adds up the parts.
 *
 * How it differs from the algorithms of Nakano 2013: threads read 16 bytes at once and keep four of them under way, and no
 * block waits for another. "Last" is told by an atomic counter between a release and an acquire fence.
 */
#ifndef SUM_LAST_BLOCK_CUH
#define SUM_LAST_BLOCK_CUH

#include "harness/kernel.cuh"
#include "sync/memory_order.cuh"

#define LAST_THREADS 512
#define LAST_BATCH 4 /* loads of a thread under way at once */

template <class T>
struct alignas(16) sixteen_bytes {
    T of[16 / sizeof(T)];
};

/* The sum of the block's values, for thread 0. */
template <class T>
static __device__ T sum_of_block(T value)
{
    T *part = dynamic_shared<T>();
    part[threadIdx.x] = value;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    return part[0];
}

template <class T>
static __device__ T sum_of_part(const T *in, unsigned n)
{
    const unsigned each = 16 / sizeof(T), packs = n / each, threads = gridDim.x * blockDim.x;
    unsigned first = blockIdx.x * blockDim.x + threadIdx.x, i = first;
    T sum = 0;
    for (; i + (LAST_BATCH - 1) * threads < packs; i += LAST_BATCH * threads) {
        sixteen_bytes<T> x[LAST_BATCH];
        UNROLL(4)
        for (unsigned k = 0; k < LAST_BATCH; k++)
            x[k] = ((const sixteen_bytes<T> *)in)[i + k * threads];
        UNROLL(4)
        for (unsigned k = 0; k < LAST_BATCH; k++)
            UNROLL(4)
        for (unsigned j = 0; j < each; j++)
            sum += x[k].of[j];
    }
    for (; i < packs; i += threads) {
        sixteen_bytes<T> x = ((const sixteen_bytes<T> *)in)[i];
        UNROLL(4)
        for (unsigned j = 0; j < each; j++)
            sum += x.of[j];
    }
    if (packs * each + first < n)
        sum += in[packs * each + first];
    return sum;
}

/* `parts`: a number for each block; `arrived`: a word that is zero, and is left so. */
template <class T>
static __global__ void sum_by_last_block(const T *in, T *parts, T *out, unsigned n, unsigned *arrived)
{
    unsigned *last = (unsigned *)(dynamic_shared<T>() + blockDim.x);
    T sum = sum_of_block(sum_of_part(in, n));
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
    sum = sum_of_block(sum);
    if (threadIdx.x == 0) {
        *out = sum;
        *arrived = 0;
    }
}

#endif
