/* SPDX-License-Identifier: MIT */
/*
 * The tiny-lock: locks and channels that use the lock bits of Fermi's shared memory, without a mutex. Li
 * 2015, Listings 4, 6, 8 and 9. No GPU since Maxwell has such bits and no CUDA compiler ever offered them, so
 * this header is for the memory machine only, with a machine description that has lock bits. Words of shared
 * memory that are lock_bits words apart share a bit (section 4.4.2).
 */
#ifndef GPUSYNC_TINY_LOCK_CUH
#define GPUSYNC_TINY_LOCK_CUH

#include "convergence.cuh"

#ifdef GPUSYNC_MACHINE

namespace gpusync
{

#ifdef GPUSYNC_MACHINE /* the memory machine executes nvcc's PTX; pragmas name instructions of its own */
static __device__ __forceinline__ unsigned machine_lock_load(const void *word, int *acquired)
{
    unsigned value;
    asm volatile("{ .reg .pred p; .pragma \"gpusync.lock.load.u32 %0|p, [%2];\"; selp.s32 %1, 1, 0, p; }"
                 : "=r"(value), "=r"(*acquired)
                 : "l"(word)
                 : "memory");
    return value;
}
static __device__ __forceinline__ void machine_store_unlock(void *word, unsigned value)
{
    asm volatile(".pragma \"gpusync.store.unlock.u32 [%0], %1;\";" ::"l"(word), "r"(value) : "memory");
}
static __device__ __forceinline__ unsigned machine_lane()
{
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
#endif

/* Takes the word's lock bit, which the caller knows to be free (Lock in Listing 4 of Li 2015). */
static __device__ __forceinline__ void tiny_lock(const unsigned *word)
{
    int acquired;
    machine_lock_load(word, &acquired);
}

/* Waits until the word's lock bit is free, takes the bit and returns the word (the consumer's wait in Listing
 * 6 of Li 2015). */
static __device__ __forceinline__ unsigned tiny_wait_lock(const unsigned *word)
{
    unsigned value;
    int acquired;
    convergence_set();
    do {
        value = machine_lock_load(word, &acquired);
        dependent_instructions(1); /* BRA */
    } while (!acquired);
    convergence_wait();
    return value;
}

/* Stores the value and frees the lock bit: a producer publishes the value, or a consumer puts it back. */
static __device__ __forceinline__ void tiny_unlock(unsigned *word, unsigned value)
{
    machine_store_unlock(word, value);
}

/* Sets word = body(word) once while the lock bit is held (Li 2015, Listing 8). Threads of one warp may want
 * the same bit. */
template <class Body>
static __device__ __forceinline__ void tiny_critical_section(unsigned *word, Body body)
{
    convergence_set();
    for (int acquired = 0; !acquired;) {
        convergence_set();
        unsigned value = machine_lock_load(word, &acquired);
        if (acquired)
            tiny_unlock(word, body(value));
        convergence_wait();
    }
    convergence_wait();
}

/* Lets the whole warp wait until one of its threads has taken the lock bit (Waitlock in Listing 9 of Li
 * 2015). */
static __device__ __forceinline__ void warp_vote_wait_lock(const unsigned *word)
{
    int acquired, any;
    do {
        machine_lock_load(word, &acquired);
        any = __any_sync(0xffffffffu, acquired);
        dependent_instructions(1); /* BRA */
    } while (!any);
}

/* Frees the lock bit in thread 0 of the warp (Unlock in Listing 9 of Li 2015). */
static __device__ __forceinline__ void warp_vote_unlock(unsigned *word)
{
    __syncwarp();
    dependent_instructions(2); /* S2R, ISETP */
    if (machine_lane() == 0)
        tiny_unlock(word, 0);
}

} // namespace gpusync

#endif

#endif
