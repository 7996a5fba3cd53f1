/* SPDX-License-Identifier: MIT */
/*
 * A step of one's own, to start from: the cells of a rod take on the mean of themselves and their
 * neighbours. A step reads what the step before has written, partly in other blocks, so all blocks
 * synchronize between two steps. docs/my-kernel.md measures it and says what each member is for. With BROKEN
 * defined the cells are changed in place: a block may then read a neighbour's cell before or after its
 * change.
 */
#ifndef MY_STEP_CUH
#define MY_STEP_CUH

#include <cuda_runtime.h>
#include <vector>

struct MyStep {
    static constexpr int THREADS = 256; /* threads in a block */
    int steps = 20;
    unsigned cells;
    float *rods[2]; /* even steps read the first and write the second, odd steps the reverse */

    __device__ void operator()(int step)
    {
        const float *before = rods[step % 2];
#ifdef BROKEN
        float *after = rods[step % 2];
#else
        float *after = rods[(step + 1) % 2];
#endif
        for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < cells; i += gridDim.x * blockDim.x) {
            float left = i > 0 ? before[i - 1] : 0, right = i + 1 < cells ? before[i + 1] : 0;
            after[i] = 0.25f * left + 0.5f * before[i] + 0.25f * right;
        }
    }

    void create(int blocks)
    {
        cells = 1024u * (unsigned)blocks;
        for (float *&rod : rods)
            cudaMalloc((void **)&rod, cells * sizeof(float));
    }
    void reset()
    {
        std::vector<float> values(cells);
        for (unsigned i = 0; i < cells; i++)
            values[i] = (float)(i * 2654435761u % 1000);
        for (float *rod : rods)
            cudaMemcpy(rod, values.data(), cells * sizeof(float), cudaMemcpyHostToDevice);
    }
    const void *result(size_t *bytes)
    {
        *bytes = cells * sizeof(float);
        return rods[steps % 2];
    }
    void destroy()
    {
        for (float *rod : rods)
            cudaFree(rod);
    }
};

#endif
