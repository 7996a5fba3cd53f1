/* SPDX-License-Identifier: MIT */
/*
 * Chooses memory for a grid barrier in which its counter is fast. The cache line of the counter decides some
 * percent of a barrier's time (docs/barriers.md), and only a trial tells which line is good: the lines with
 * the shortest loads are not. Use it for a barrier whose leaders poll the counter (sync/counter.cuh).
 *
 *     struct gpusync_grid_barrier barrier;
 *     gpusync_grid_barrier_create_tuned(&barrier, blocks, stream);    instead of gpusync_grid_barrier_create
 */
#ifndef GPUSYNC_TUNED_CUH
#define GPUSYNC_TUNED_CUH

#include "counter.cuh"
#include "launch.cuh"

#define GPUSYNC_PLACES 64
/* With an odd number of rounds, the counter is not zero afterwards, so that a test notices if the memory is
 * not set back to zero. */
#ifdef GPUSYNC_MACHINE
#define GPUSYNC_TRIAL_ROUNDS 3
#else
#define GPUSYNC_TRIAL_ROUNDS 201
#endif

namespace gpusync
{

/* Measures the clock cycles of `rounds` barriers. Two barriers before these are not measured. */
static __global__ void try_counter(gpusync_grid_barrier memory, unsigned rounds, unsigned long long *clocks)
{
    Counter barrier;
    barrier.begin(memory);
    barrier.sync();
    barrier.sync();
    long long begin = clock64();
    for (unsigned i = 0; i < rounds; i++)
        barrier.sync();
    if (block_in_grid() == 0 && is_block_leader())
        *clocks = (unsigned long long)(clock64() - begin);
    barrier.end();
}

/* Measures a barrier that has this place as its memory. The words of the place are zero before and after. */
static inline cudaError_t try_place(const gpusync_grid_barrier *place, cudaStream_t stream,
                                    unsigned long long *on_device, unsigned long long *clocks)
{
    cudaError_t error =
        gpusync_launch(try_counter, place->capacity, 32, 0, stream, *place, GPUSYNC_TRIAL_ROUNDS, on_device);
    if (error == cudaSuccess)
        error = cudaMemcpyAsync(clocks, on_device, sizeof *clocks, cudaMemcpyDeviceToHost, stream);
    if (error == cudaSuccess)
        error = cudaMemsetAsync(place->words, 0, gpusync_grid_barrier_bytes(place->capacity), stream);
    return error == cudaSuccess ? cudaStreamSynchronize(stream) : error;
}

} // namespace gpusync

/* Creates the memory of a barrier like gpusync_grid_barrier_create, in the fastest of GPUSYNC_PLACES places
 * for grids of `blocks` blocks. These must be resident at once with 32 threads each. Each place takes about a
 * millisecond. If the function returns an error, there is no memory. */
static inline cudaError_t gpusync_grid_barrier_create_tuned(gpusync_grid_barrier *barrier, unsigned blocks,
                                                            cudaStream_t stream)
{
    gpusync_grid_barrier place[GPUSYNC_PLACES];
    unsigned long long *on_device, clocks[GPUSYNC_PLACES];
    unsigned count = 0, best = 0;
    cudaError_t error = cudaMalloc((void **)&on_device, sizeof *on_device);
    if (error != cudaSuccess)
        return error;
    /* All places exist until all were tried: the allocator would return a freed one again. */
    while (count < GPUSYNC_PLACES && error == cudaSuccess) {
        error = gpusync_grid_barrier_create(&place[count], blocks);
        if (error != cudaSuccess)
            break;
        error = gpusync::try_place(&place[count], stream, on_device, &clocks[count]);
        if (error == cudaSuccess && clocks[count] < clocks[best])
            best = count;
        count++;
    }
    for (unsigned i = 0; i < count; i++)
        if (error != cudaSuccess || i != best)
            gpusync_grid_barrier_destroy(&place[i]);
    cudaFree(on_device);
    if (error == cudaSuccess)
        *barrier = place[best];
    return error;
}

#endif
