/* SPDX-License-Identifier: MIT */
/*
 * A persistent kernel with a grid barrier: Jacobi's iteration for a heated plate, all steps in one launch.
 * The program needs only the folder sync/:
 *
 *     nvcc -std=c++17 -arch=native -I. examples/jacobi.cu -o jacobi && ./jacobi
 *
 * It prints how many cells differ from the host's iteration, which must be none, and exits with 1 if any cell
 * differs.
 */
#include "sync/grid_barrier.cuh"

#include <cstdio>
#include <cstdlib>
#include <vector>

static const int WIDTH = 60, HEIGHT = 44, STEPS = 50;

static __host__ __device__ float relax(const float *from, int x, int y)
{
    const float *at = from + y * WIDTH + x;
    return 0.25f * (at[-1] + at[1] + at[-WIDTH] + at[WIDTH]);
}

/* Executes all steps of the iteration. Each block of 16 x 8 threads computes tiles of the plate; the cells at
 * the edge of the plate keep their temperature. */
__global__ void jacobi(float *a, float *b, int steps, gpusync_grid_barrier memory)
{
    gpusync::GridBarrier barrier;
    barrier.begin(memory);
    for (int step = 0; step < steps; step++) {
        const float *from = step % 2 ? b : a;
        float *to = step % 2 ? a : b;
        for (int y = 1 + blockIdx.y * blockDim.y + threadIdx.y; y < HEIGHT - 1; y += gridDim.y * blockDim.y)
            for (int x = 1 + blockIdx.x * blockDim.x + threadIdx.x; x < WIDTH - 1;
                 x += gridDim.x * blockDim.x)
                to[y * WIDTH + x] = relax(from, x, y);
        barrier.sync();
    }
    barrier.end();
}

static void check(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "jacobi: %s\n", cudaGetErrorString(error));
    exit(3);
}

static std::vector<float> plate()
{
    std::vector<float> cells(WIDTH * HEIGHT, 0.0f);
    for (int x = 0; x < WIDTH; x++)
        cells[x] = 100.0f; /* one edge of the plate is hot */
    return cells;
}

static std::vector<float> on_host()
{
    std::vector<float> from = plate(), to = plate();
    for (int step = 0; step < STEPS; step++, from.swap(to))
        for (int y = 1; y < HEIGHT - 1; y++)
            for (int x = 1; x < WIDTH - 1; x++)
                to[y * WIDTH + x] = relax(from.data(), x, y);
    return from;
}

static std::vector<float> on_device()
{
    std::vector<float> cells = plate();
    const size_t bytes = cells.size() * sizeof(float);
    const dim3 blocks(3, 2), threads(16, 8);
    float *a, *b;
    gpusync_grid_barrier memory;
    check(cudaMalloc((void **)&a, bytes));
    check(cudaMalloc((void **)&b, bytes));
    check(gpusync_grid_barrier_create(&memory, blocks.x * blocks.y));
    check(cudaMemcpy(a, cells.data(), bytes, cudaMemcpyHostToDevice));
    check(cudaMemcpy(b, cells.data(), bytes, cudaMemcpyHostToDevice));
    check(gpusync_launch(jacobi, blocks, threads, 0, 0, a, b, STEPS, memory));
    check(cudaMemcpy(cells.data(), STEPS % 2 ? b : a, bytes, cudaMemcpyDeviceToHost));
    check(gpusync_grid_barrier_destroy(&memory));
    check(cudaFree(a));
    check(cudaFree(b));
    return cells;
}

int main()
{
    std::vector<float> expected = on_host(), result = on_device();
    int wrong = 0;
    for (size_t i = 0; i < expected.size(); i++)
        wrong += result[i] != expected[i];
    printf("jacobi: %d of %zu cells differ from the host's after %d steps\n", wrong, expected.size(), STEPS);
    return wrong != 0;
}
