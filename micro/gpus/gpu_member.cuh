/* A block's position among the GPUs, as a step across GPUs needs it */
#ifndef MICRO_GPU_MEMBER_CUH
#define MICRO_GPU_MEMBER_CUH

#include "harness/kernel.cuh"

/* The number of a block's GPU, and of the block among that GPU's blocks. On the memory machine all GPUs are
 * parts of one grid. */
struct gpu_member {
    unsigned me, blocks; /* this GPU's number, and the number of blocks of each GPU */

    __device__ unsigned gpu() const
    {
#ifdef GPUSYNC_MACHINE
        return block_in_grid() / blocks;
#else
        return me;
#endif
    }
    __device__ unsigned block() const
    {
#ifdef GPUSYNC_MACHINE
        return block_in_grid() % blocks;
#else
        return block_in_grid();
#endif
    }
};

#endif
