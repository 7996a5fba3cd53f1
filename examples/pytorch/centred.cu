/* SPDX-License-Identifier: MIT */
/*
 * An operator for PyTorch that subtracts the mean from numbers, in one launch: each block adds up its share
 * of the numbers, the grid synchronizes (sync/counter.cuh), and each block subtracts the mean. centred.py
 * builds and checks the operator.
 */
#include "sync/counter.cuh"
#include "sync/launch.cuh"

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/extension.h>

static const unsigned THREADS = 256;

/* Subtracts the mean of `count` numbers. `sums` has room for one sum of each block. */
__global__ void centre(const float *from, float *to, float *sums, long long count,
                       gpusync_grid_barrier memory)
{
    __shared__ float parts[THREADS];
    gpusync::Counter barrier;
    barrier.begin(memory);
    const long long first = (long long)blockIdx.x * THREADS + threadIdx.x,
                    step = (long long)gridDim.x * THREADS;
    float sum = 0;
    for (long long i = first; i < count; i += step)
        sum += from[i];
    parts[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            parts[threadIdx.x] += parts[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = parts[0];
    barrier.sync();
    float total = 0;
    for (unsigned block = 0; block < gridDim.x; block++)
        total += sums[block];
    for (long long i = first; i < count; i += step)
        to[i] = from[i] - total / (float)count;
    barrier.end();
}

static torch::Tensor centred(const torch::Tensor &numbers)
{
    TORCH_CHECK(numbers.is_cuda() && numbers.is_contiguous() && numbers.scalar_type() == torch::kFloat,
                "centred: contiguous floats on a GPU are needed");
    const c10::cuda::CUDAGuard on(numbers.device());
    unsigned blocks = 0;
    C10_CUDA_CHECK(gpusync_most_resident_blocks(&blocks, (const void *)centre, THREADS, 0));
    /* PyTorch allocates the barrier's memory, all zero, and keeps it as long as the stream needs it. */
    torch::Tensor words = torch::zeros({(int64_t)(gpusync_grid_barrier_bytes(blocks) / sizeof(int))},
                                       numbers.options().dtype(torch::kInt));
    torch::Tensor sums = torch::empty({(int64_t)blocks}, numbers.options()),
                  result = torch::empty_like(numbers);
    gpusync_grid_barrier memory = {(unsigned *)words.data_ptr<int>(), blocks};
    C10_CUDA_CHECK(gpusync_launch(centre, blocks, THREADS, 0, c10::cuda::getCurrentCUDAStream(),
                                  numbers.data_ptr<float>(), result.data_ptr<float>(), sums.data_ptr<float>(),
                                  numbers.numel(), memory));
    return result;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, module)
{
    module.def("centred", &centred, "numbers less their mean, in one launch");
}
