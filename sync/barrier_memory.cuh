/* The device memory that a grid barrier works in. */
#ifndef SYNC_BARRIER_MEMORY_CUH
#define SYNC_BARRIER_MEMORY_CUH

#include "sync/device.cuh"

#define BARRIER_LINE_WORDS                                                                                   \
    32 /* a cache line of 128 bytes: words that different blocks poll do not share one */
#define BARRIER_TREE_GROUPS 128

/* Zeroed once by the host; its content is a barrier's own from then on. */
struct grid_barrier_memory {
    unsigned *words;
    unsigned capacity; /* the most blocks that it serves */
};

/* Bytes that a grid of up to `blocks` blocks needs, for any of the barriers. */
static inline size_t grid_barrier_bytes(unsigned blocks)
{
    return sizeof(unsigned) * ((2 + BARRIER_TREE_GROUPS) * (size_t)BARRIER_LINE_WORDS + 2 * (size_t)blocks);
}

/* The one counter of lock-based, release-acquire, counter and grid-sync; the root of tree. */
static __device__ __forceinline__ unsigned *barrier_counter(grid_barrier_memory m)
{
    return m.words;
}

/* What the goals of this launch count from: where the launch before it ended. */
static __device__ __forceinline__ unsigned *barrier_base(grid_barrier_memory m)
{
    return m.words + BARRIER_LINE_WORDS;
}

static __device__ __forceinline__ unsigned *barrier_group(grid_barrier_memory m, unsigned group)
{
    return m.words + (2 + group) * BARRIER_LINE_WORDS;
}

/* Arrayin and Arrayout of Xiao and Feng 2010, Figure 6. */
static __device__ __forceinline__ unsigned *barrier_in(grid_barrier_memory m)
{
    return barrier_group(m, BARRIER_TREE_GROUPS);
}
static __device__ __forceinline__ unsigned *barrier_out(grid_barrier_memory m)
{
    return barrier_in(m) + m.capacity;
}

/*
 * For barriers whose goals are numbers that grow. Every block reads the base before its first arrival, and
 * the base changes only after the last barrier of the launch, when all blocks have arrived everywhere: so all
 * read the same.
 */
static __device__ __forceinline__ unsigned barrier_read_base(grid_barrier_memory m)
{
    return *(volatile unsigned *)barrier_base(m);
}
static __device__ __forceinline__ void barrier_write_base(grid_barrier_memory m, unsigned goal)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *barrier_base(m) = goal;
}

/* With or without the paper's fence, as a template argument decides. */
template <bool fence>
static __device__ __forceinline__ void threadfence_if()
{
    if (fence)
        __threadfence();
}

#endif
