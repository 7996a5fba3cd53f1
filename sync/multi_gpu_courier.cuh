/* SPDX-License-Identifier: MIT */
/*
 * The barrier of multi_gpu.cuh, overlapped with independent work: the last whole warp of each block is its
 * courier, as in courier.cuh. The courier alone waits for the block, arrives, polls the flags and acquires,
 * while the other warps work. The type is used like gpusync::Courier; the block has at least 33 threads,
 * and the number of rounds has no limit. Each lane of the courier handles one GPU's flags, so its 32 lanes
 * must all be there: if the last warp of the block has fewer threads, the warp before it is the courier.
 */
#ifndef GPUSYNC_MULTI_GPU_COURIER_CUH
#define GPUSYNC_MULTI_GPU_COURIER_CUH

#include "multi_gpu.cuh"
#include "named_barrier.cuh"

namespace gpusync
{

struct MultiGpuCourier {
    static const int ARRIVED = 14, OPEN = 15, WARP = 32;
    MultiGpu barrier;
    /* number of the block's threads, rounded up to whole warps */
    int threads;

    __device__ void begin(const gpusync_multi_gpu_barrier &m) { begin_as(m, m.me, block_in_grid()); }
    __device__ void begin_as(const gpusync_multi_gpu_barrier &m, unsigned gpu, unsigned block_of_gpu)
    {
        GPUSYNC_REQUIRE(threads_in_block() > WARP);
        barrier.begin_lane(m, gpu, block_of_gpu, thread_in_block() % WARP);
        threads = ((int)threads_in_block() + WARP - 1) / WARP * WARP;
    }
    __device__ bool is_courier() { return thread_in_block() / WARP == threads_in_block() / WARP - 1; }

    /* Carries out one barrier; the courier's warp calls it. */
    __device__ void carry()
    {
        unsigned lane = thread_in_block() % WARP;
        barrier.goal++;
        named_barrier_sync(ARRIVED, threads);
        if (lane < barrier.gpus) {
            barrier.arrive_as(lane);
            barrier.wait_as_lane();
        }
        __syncwarp();
        named_barrier_arrive(OPEN, threads);
    }
    __device__ void arrive() { named_barrier_arrive(ARRIVED, threads); }
    __device__ void wait() { named_barrier_sync(OPEN, threads); }

    __device__ void end() {}
};

} // namespace gpusync

#endif
