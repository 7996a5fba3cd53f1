/* SPDX-License-Identifier: MIT */
/*
 * A barrier across all blocks of a grid, for your own kernel:
 *
 *     #include "sync/grid_barrier.cuh"
 *
 *     __global__ void solver(struct gpusync_grid_barrier memory, ...)
 *     {
 *         gpusync::GridBarrier barrier;
 *         barrier.begin(memory);
 *         for (int step = 0; step < steps; step++) {
 *             ...
 *             barrier.sync();
 *         }
 *         barrier.end();
 *     }
 *
 * All threads of all blocks call sync(). All of them see after it what any of them wrote to global memory
 * before it. Some barriers also have arrive() and wait(), the two halves of sync(): all threads see after
 * wait() what any thread wrote before arrive(). Between the two a thread must neither read data that others
 * write in this step nor write data that they read.
 *
 * Contract of every barrier of this directory:
 * - Blocks and grids have one, two or three dimensions.
 * - The host creates the memory (sync/grid_barrier.h). One launch at a time may use it.
 * - All blocks of the grid are resident at once (gpusync_most_resident_blocks says how many fit;
 *   gpusync_launch refuses more). Otherwise the barrier never opens. Other kernels occupy multiprocessors,
 *   too (docs/barriers.md); wait_for() of Counter waits with a time-out.
 * - A header that needs compute capability 7.0 says so, and does not compile for less.
 *
 * With -DGPUSYNC_CHECKED, begin() traps if the grid is larger than the memory's capacity or if another launch
 * uses the memory.
 *
 * docs/barriers.md compares the barriers.
 */
#ifndef GPUSYNC_GRID_BARRIER_CUH
#define GPUSYNC_GRID_BARRIER_CUH

#include "counter.cuh"
#include "grid_barrier.h"
#include "launch.cuh"

namespace gpusync
{
typedef Counter GridBarrier;
}

#endif
