/*
 * A barrier across all blocks of a grid, for your own kernel:
 *
 *     #include "sync/grid_barrier.cuh"
 *
 *     __global__ void solver(struct grid_barrier_memory memory, ...)
 *     {
 *         GridBarrier barrier;
 *         barrier.begin(memory);
 *         for (int step = 0; step < steps; step++) {
 *             ...
 *             barrier.wait();   // every thread of every block; orders all memory before it with all after it
 *         }
 *         barrier.end();
 *     }
 *
 * The host allocates grid_barrier_bytes(blocks) of device memory and sets it to zero once; launches may
 * follow each other on it without another reset, with any number of blocks up to that. All blocks of the grid
 * must be resident at once (cudaOccupancyMaxActiveBlocksPerMultiprocessor times the number of
 * multiprocessors), or the barrier never opens. Needs compute capability 7.0. One launch at a time may use
 * the memory.
 *
 * Every barrier of this directory has the same three functions; README.md says how they compare.
 */
#ifndef SYNC_GRID_BARRIER_CUH
#define SYNC_GRID_BARRIER_CUH

#include "sync/barrier_memory.cuh"
#include "sync/counter.cuh"

typedef Counter GridBarrier;

#endif
