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
 * sync(): every thread of every block; what any of them wrote to global memory before it, all see
 * after it. arrive() and wait(), where a barrier has them, are the two halves: what was written
 * before arrive is seen after wait; between them a thread must neither read what others write in
 * this step nor write what they read.
 *
 * Contract, the same for every barrier of this directory:
 * - Blocks and grids of one, two or three dimensions.
 * - The host makes the memory (sync/grid_barrier.h). One launch at a time may use it.
 * - All blocks of the grid are resident at once (gpusync_most_resident_blocks; gpusync_launch
 *   refuses more), or the barrier never opens. Other kernels take multiprocessors, too:
 *   docs/barriers.md; wait_for() of Counter gives up.
 * - Compute capability 7.0, where the header says so; then it does not compile for less.
 * With -DGPUSYNC_CHECKED, begin() traps when the grid is larger than the memory's capacity or
 * another launch uses it.
 *
 * docs/barriers.md says how the barriers compare.
 */
#ifndef GPUSYNC_GRID_BARRIER_CUH
#define GPUSYNC_GRID_BARRIER_CUH

#include "counter.cuh"
#include "launch.cuh"

namespace gpusync
{
typedef Counter GridBarrier;
}

#endif
