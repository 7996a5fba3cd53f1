/* SPDX-License-Identifier: MIT */
/*
 * A counter whose top bit is the phase: one arriver of each round adds 2^31 - (arrivers - 1), the others add
 * 1. The sum is 2^31, so the last arrival flips the top bit and leaves the lower bits at zero. The counter
 * therefore needs no reset and no goal, survives wrap-around, and may later serve another number of arrivers.
 */
#ifndef GPUSYNC_PHASE_BIT_CUH
#define GPUSYNC_PHASE_BIT_CUH

#include "device.cuh"

namespace gpusync
{

static const unsigned PHASE_BIT = 0x80000000u;

/* Returns the number that this arriver adds; `first` is true in exactly one of the `arrivers` arrivers. */
static __device__ __forceinline__ unsigned phase_increment(bool first, unsigned arrivers)
{
    return first ? PHASE_BIT - (arrivers - 1) : 1u;
}

static __device__ __forceinline__ bool phase_differs(unsigned a, unsigned b)
{
    return ((a ^ b) & PHASE_BIT) != 0;
}

} // namespace gpusync

#endif
