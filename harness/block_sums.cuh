/* Functions that the one-pass sums share: wide loads, and sums over a warp and over a block. Warps have 32
 * lanes. */
#ifndef HARNESS_BLOCK_SUMS_CUH
#define HARNESS_BLOCK_SUMS_CUH

#include "harness/warp.cuh"

#define SUM_THREADS 512 /* number of threads in a block of the one-pass sums */

template <class T>
struct alignas(16) sixteen_bytes {
    T of[16 / sizeof(T)];
};

static __device__ __forceinline__ unsigned lane_of_warp()
{
    return threadIdx.x % 32;
}
static __device__ __forceinline__ unsigned warp_of_block()
{
    return threadIdx.x / 32;
}

/* Returns the prefix sum of the warp's values: the sum of the values of this lane and of all lanes with lower
 * numbers. */
template <class T>
static __device__ __forceinline__ T scan_of_warp(T value)
{
    UNROLL(5)
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        T below = __shfl_up_sync(ALL_LANES, value, distance);
        value += lane_of_warp() >= distance ? below : T(0);
    }
    return value;
}

template <class T>
static __device__ __forceinline__ T sum_of_pack(const sixteen_bytes<T> &x)
{
    T sum = x.of[0];
    UNROLL(4)
    for (unsigned j = 1; j < 16 / sizeof(T); j++)
        sum += x.of[j];
    return sum;
}

/* Returns to all lanes of a warp the sum of the first `warps` values of the array `of_warp` in shared memory,
 * which has a value for each warp of the block. */
template <class T>
static __device__ __forceinline__ T sum_of_warps(const T *of_warp, unsigned warps)
{
    return sum_of_warp(lane_of_warp() < warps ? of_warp[lane_of_warp()] : T(0));
}

/* Returns the sum of the values of all the block's threads. Only the first warp gets it; a thread of another
 * warp gets the sum of its own warp. `totals` is shared memory for one number per warp. */
template <class T>
static __device__ T sum_of_block(T value, T *totals)
{
    value = sum_of_warp(value);
    if (lane_of_warp() == 0)
        totals[warp_of_block()] = value;
    __syncthreads();
    return warp_of_block() == 0 ? sum_of_warps(totals, blockDim.x / 32) : value;
}

#define BATCH_OF_LOADS 4 /* number of 16-byte loads that a thread has in flight at once */

/* Returns the sum of this thread's share of the n numbers at `in`, which is aligned to 16 bytes. The
 * thread is in block number `block` of `blocks`. Shares differ in size only if the threads cannot divide n
 * evenly. */
template <class T>
static __device__ T sum_of_share(const T *in, unsigned n, unsigned block, unsigned blocks)
{
    const sixteen_bytes<T> *packed = (const sixteen_bytes<T> *)in;
    const unsigned each = 16 / sizeof(T), packs = n / each, threads = blocks * blockDim.x;
    unsigned first = block * blockDim.x + threadIdx.x, i = first;
    T sum = 0;
    for (; i + (BATCH_OF_LOADS - 1) * threads < packs; i += BATCH_OF_LOADS * threads) {
        sixteen_bytes<T> x[BATCH_OF_LOADS];
        UNROLL(4)
        for (unsigned k = 0; k < BATCH_OF_LOADS; k++)
            x[k] = packed[i + k * threads];
        UNROLL(4)
        for (unsigned k = 0; k < BATCH_OF_LOADS; k++)
            sum += sum_of_pack(x[k]);
    }
    if (i < packs) { /* loads the last, incomplete batch, with all its loads in flight at once, too */
        sixteen_bytes<T> x[BATCH_OF_LOADS - 1] = {};
        UNROLL(3)
        for (unsigned k = 0; k < BATCH_OF_LOADS - 1; k++)
            if (i + k * threads < packs)
                x[k] = packed[i + k * threads];
        UNROLL(3)
        for (unsigned k = 0; k < BATCH_OF_LOADS - 1; k++)
            sum += sum_of_pack(x[k]);
    }
    if (packs * each + first < n)
        sum += in[packs * each + first];
    return sum;
}

#endif
