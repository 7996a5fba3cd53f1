/*
 * Enumeration sort (Muller and Preparata 1975, "Bounds to Complexities of Networks for Sorting and for
 * Switching"), for few keys: a key's place is the number of keys that come before it, so no barrier is
 * needed. Each block finds the places of 32 keys, one for each lane; the warps of the block divide the keys
 * to compare with among themselves.
 */
#ifndef BITONIC_ENUMERATION_CUH
#define BITONIC_ENUMERATION_CUH

#include "harness/kernel.cuh"
#include "harness/block_sums.cuh"

/* The enumeration sort as a step loop with a single step (harness/step_loop.cuh). A key has 4 bytes, or 8: a
 * key and, in the lower half, a value. Equal keys keep their order. */
template <class Key>
struct enumeration_sort {
    static constexpr unsigned THREADS = 1024, BLOCKS_AT_ONCE = 1, WARPS = THREADS / 32;
    static constexpr size_t SHARED_BYTES = sizeof(Key[THREADS]) + sizeof(unsigned[32]);

    const Key *input;
    Key *keys;
    unsigned n; /* a multiple of 32 */

    __device__ void look_ahead(int) {}

    __device__ void operator()(int)
    {
        for (unsigned first = blockIdx.x * 32; first < n; first += gridDim.x * 32)
            place_from(first);
    }

  private:
    /* Returns the 32 keys, in shared memory, with which each lane of this warp compares its own key. */
    __device__ static Key *of_warp() { return dynamic_shared<Key>() + warp_of_block() * 32; }
    __device__ static unsigned *counts() { return (unsigned *)(dynamic_shared<Key>() + THREADS); }

    __device__ __forceinline__ void place_from(unsigned first) const
    {
        const Key mine = input[first + lane_of_warp()];
        if (threadIdx.x < 32)
            counts()[threadIdx.x] = 0;
        unsigned before = 0;
        for (unsigned at = warp_of_block() * 32; at < n; at += THREADS) {
            of_warp()[lane_of_warp()] = input[at + lane_of_warp()];
            __syncwarp();
            before += at < first ? before_of<true>(mine) : before_of<false>(mine);
            /* these 32 keys are the block's own: an equal key counts as smaller if its index is lower */
            if (at == first)
                before += equal_below(mine);
            __syncwarp();
        }
        __syncthreads();
        atomicAdd(&counts()[lane_of_warp()], before);
        __syncthreads();
        if (threadIdx.x < 32)
            keys[counts()[threadIdx.x]] = mine;
        __syncthreads();
    }

    /* Returns how many of the warp's 32 keys in shared memory are less than `mine`. OR_EQUAL also counts
     * equal keys, for keys that come before the block's own keys in the input. */
    template <bool OR_EQUAL>
    __device__ static __forceinline__ unsigned before_of(Key mine)
    {
        const Key *other = of_warp();
        unsigned before = 0;
        UNROLL(32)
        for (int i = 0; i < 32; i++)
            before += OR_EQUAL ? other[i] <= mine : other[i] < mine;
        return before;
    }
    __device__ static __forceinline__ unsigned equal_below(Key mine)
    {
        unsigned equal = 0;
        for (unsigned i = 0; i < lane_of_warp(); i++)
            equal += of_warp()[i] == mine;
        return equal;
    }
};

#endif
