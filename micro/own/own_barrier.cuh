/*
 * A barrier of the user's own becomes one more method, the row OWN of harness/methods.def.
 * scripts/gpusync-bench includes this header before the first line of the files that depend on it.
 * GPUSYNC_BENCH_HEADER is the path of the user's header, in quotes, and GPUSYNC_BENCH_BARRIER is the name of
 * its type.
 */
#ifndef MICRO_OWN_BARRIER_CUH
#define MICRO_OWN_BARRIER_CUH

#ifdef GPUSYNC_BENCH_BARRIER
#include "harness/kernel.cuh"
#include "sync/barrier_contract.cuh"

#include GPUSYNC_BENCH_HEADER

GPUSYNC_REQUIRE_BARRIER(GPUSYNC_BENCH_BARRIER);
using OwnBarrier = GPUSYNC_BENCH_BARRIER;
#endif

#endif
