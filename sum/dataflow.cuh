/*
 * Sums in one pass, without barriers and without fences: each block publishes its partial sum in
 * self-validating words (sync/packed_word.cuh), and a block that needs a partial sum waits only for that one.
 * sum/prefix.cuh computes prefix sums in the same way.
 *
 * The tag of a word is the epoch of its launch, so that nothing has to be cleared between launches. The epoch
 * is in memory, because a graph's node gets the same arguments each time: blocks read it at the beginning,
 * and the block to which all others have published increments it at the end.
 */
#ifndef SUM_DATAFLOW_CUH
#define SUM_DATAFLOW_CUH

#include "harness/block_sums.cuh"
#include "sync/memory_order.cuh"
#include "sync/packed_word.cuh"

/* A published number of 4 or 8 bytes; each 4-byte half has the epoch as its tag. */
template <class T>
struct published {
    packed_word halves[sizeof(T) / 4];
};

template <class T>
union bits_of {
    T value;
    unsigned halves[sizeof(T) / 4];
};

template <class T>
static __device__ __forceinline__ void publish(published<T> *to, T value, unsigned epoch)
{
    bits_of<T> bits;
    bits.value = value;
    for (unsigned h = 0; h < sizeof(T) / 4; h++)
        packed_word_publish(&to->halves[h], bits.halves[h], epoch);
}

template <class T>
static __device__ __forceinline__ T await_part(const published<T> *from, unsigned epoch)
{
    bits_of<T> bits;
    for (unsigned h = 0; h < sizeof(T) / 4; h++)
        bits.halves[h] = packed_word_await(&from->halves[h], epoch);
    return bits.value;
}

/* Waits for the partial sums parts[first..end - 1] that fall to this thread, and returns the sum of these. */
template <class T>
static __device__ __forceinline__ T sum_of_parts(const published<T> *parts, unsigned first, unsigned end,
                                                 unsigned epoch)
{
    T sum = 0;
    for (unsigned i = first + threadIdx.x; i < end; i += blockDim.x)
        sum += await_part(&parts[i], epoch);
    return sum;
}

/* Sums n numbers in one launch: the block with the highest number waits for the partial sums of all others.
 * The others wait for nothing, so the blocks need not all be resident. `parts` has a partial sum for each
 * block. */
template <class T>
static __global__ void __launch_bounds__(SUM_THREADS)
    sum_by_dataflow(const T *in, published<T> *parts, T *out, unsigned n, unsigned *launches)
{
    T *totals = dynamic_shared<T>();
    begin_early();
    unsigned epoch = load_relaxed(launches) + 1;
    T sum = sum_of_block(sum_of_share(in, n, blockIdx.x, gridDim.x), totals);
    if (gridDim.x > 1) {
        if (threadIdx.x == 0)
            publish(&parts[blockIdx.x], sum, epoch);
        if (blockIdx.x != gridDim.x - 1)
            return;
        sum = sum_of_parts(parts, 0, gridDim.x, epoch);
        __syncthreads(); /* waits until the first warp has read `totals`, which the next sum overwrites */
        sum = sum_of_block(sum, totals);
    }
    if (threadIdx.x == 0) {
        *out = sum;
        *launches = epoch;
    }
}

#endif
