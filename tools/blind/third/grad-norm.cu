// The norm of a gradient: warp shuffles, then sums of blocks, as in Apex's multi_tensor_l2norm.
// a: the last block adds the blocks' sums up; b: a second kernel does. ns per norm; the number: blocks.
#include "../blind.h"

static const int THREADS = 256, WORDS = 8;

static __device__ unsigned block_sum(unsigned value)
{
    __shared__ unsigned sums[THREADS / 32];
    for (int d = 16; d > 0; d /= 2)
        value += __shfl_down_sync(0xffffffffu, value, d);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = value;
    __syncthreads();
    value = threadIdx.x < THREADS / 32 ? sums[threadIdx.x] : 0;
    if (threadIdx.x < 32)
        for (int d = THREADS / 64; d > 0; d /= 2)
            value += __shfl_down_sync(0xffffffffu, value, d);
    __syncthreads();
    return value;
}

static __device__ unsigned squares(const unsigned *input)
{
    unsigned sum = 0;
    for (int w = 0; w < WORDS; w++) {
        unsigned x = input[(blockIdx.x * WORDS + w) * THREADS + threadIdx.x];
        sum += x * x;
    }
    return block_sum(sum);
}

static __device__ unsigned total(const unsigned *parts, int count)
{
    unsigned sum = 0;
    for (int i = threadIdx.x; i < count; i += THREADS)
        sum += parts[i];
    return block_sum(sum);
}

__global__ void one_kernel(const unsigned *input, unsigned *parts, unsigned *counter, unsigned *result)
{
    __shared__ bool last;
    unsigned sum = squares(input);
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(counter, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!last)
        return;
    sum = total(parts, gridDim.x);
    if (threadIdx.x == 0)
        *result = sum;
}

__global__ void first(const unsigned *input, unsigned *parts)
{
    unsigned sum = squares(input);
    if (threadIdx.x == 0)
        parts[blockIdx.x] = sum;
}

__global__ void second(const unsigned *parts, int count, unsigned *result)
{
    unsigned sum = total(parts, count);
    if (threadIdx.x == 0)
        *result = sum;
}

static void verify(const std::vector<unsigned> &input, unsigned *result)
{
    unsigned got, sum = 0;
    for (unsigned x : input)
        sum += x * x;
    CHECK(cudaMemcpy(&got, result, sizeof got, cudaMemcpyDeviceToHost));
    if (got != sum) {
        fprintf(stderr, "grad-norm: %u, not %u\n", got, sum);
        exit(1);
    }
    CHECK(cudaMemset(result, 0, sizeof got));
}

int main()
{
    for (int blocks : {4, 64, 256}) {
        std::vector<unsigned> host(blocks * THREADS * WORDS);
        for (size_t i = 0; i < host.size(); i++)
            host[i] = (unsigned)i * 2654435761u >> 8;
        unsigned *input = words(host.size()), *parts = words(blocks), *counter = words(1), *result = words(1);
        CHECK(cudaMemcpy(input, host.data(), host.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
        measure("grad-norm-a", blocks, 1,
                [&] { one_kernel<<<blocks, THREADS>>>(input, parts, counter, result); });
        verify(host, result);
        measure("grad-norm-b", blocks, 1, [&] {
            first<<<blocks, THREADS>>>(input, parts);
            second<<<1, THREADS>>>(parts, blocks, result);
        });
        verify(host, result);
        for (unsigned *p : {input, parts, counter, result})
            CHECK(cudaFree(p));
    }
    return 0;
}
