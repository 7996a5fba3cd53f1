// Prefix sums of a row per block, chunk after chunk with a carry, as in PyTorch's cumsum and Mamba's scans.
// a: Hillis and Steele in shared memory; b: shuffles of warps. ns per chunk; the number: threads of a block.
#include "../blind.h"

static const int ROWS = 8, CHUNKS = 8;

static __device__ unsigned scan_shared(unsigned value, unsigned (*buffers)[1024])
{
    int from = 0, me = threadIdx.x;
    buffers[0][me] = value;
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2, from ^= 1) {
        if (me >= d)
            value += buffers[from][me - d];
        buffers[from ^ 1][me] = value;
        __syncthreads();
    }
    return value;
}

static __device__ unsigned scan_shuffles(unsigned value, unsigned *sums)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int d = 1; d < 32; d *= 2) {
        unsigned other = __shfl_up_sync(0xffffffffu, value, d);
        if (lane >= d)
            value += other;
    }
    if (lane == 31)
        sums[warp] = value;
    __syncthreads();
    if (warp == 0) {
        unsigned sum = lane < blockDim.x / 32 ? sums[lane] : 0;
        for (int d = 1; d < 32; d *= 2) {
            unsigned other = __shfl_up_sync(0xffffffffu, sum, d);
            if (lane >= d)
                sum += other;
        }
        sums[lane] = sum;
    }
    __syncthreads();
    return warp > 0 ? value + sums[warp - 1] : value;
}

template <bool SHUFFLES>
__global__ void prefix(const unsigned *input, unsigned *output)
{
    __shared__ unsigned buffers[2][1024], carry;
    if (threadIdx.x == 0)
        carry = 0;
    __syncthreads();
    for (int c = 0; c < CHUNKS; c++) {
        int i = (blockIdx.x * CHUNKS + c) * blockDim.x + threadIdx.x;
        unsigned value = SHUFFLES ? scan_shuffles(input[i], buffers[0]) : scan_shared(input[i], buffers);
        value += carry;
        output[i] = value;
        __syncthreads();
        if (threadIdx.x == blockDim.x - 1)
            carry = value;
        __syncthreads();
    }
}

static void verify(const std::vector<unsigned> &input, unsigned *output)
{
    std::vector<unsigned> got(input.size()), sums = input;
    for (size_t i = 0; i < sums.size(); i++)
        if (i % (sums.size() / ROWS) != 0)
            sums[i] += sums[i - 1];
    CHECK(cudaMemcpy(got.data(), output, got.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
    if (got != sums) {
        fprintf(stderr, "prefix-block: wrong sums of %zu words\n", got.size());
        exit(1);
    }
    CHECK(cudaMemset(output, 0, got.size() * sizeof(unsigned)));
}

int main()
{
    for (int threads : {64, 256, 1024}) {
        std::vector<unsigned> host(ROWS * CHUNKS * threads);
        for (size_t i = 0; i < host.size(); i++)
            host[i] = (unsigned)i * 2654435761u >> 9;
        unsigned *input = words(host.size()), *output = words(host.size());
        CHECK(cudaMemcpy(input, host.data(), host.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
        measure("prefix-block-a", threads, CHUNKS, [&] { prefix<false><<<ROWS, threads>>>(input, output); });
        verify(host, output);
        measure("prefix-block-b", threads, CHUNKS, [&] { prefix<true><<<ROWS, threads>>>(input, output); });
        verify(host, output);
        CHECK(cudaFree(input));
        CHECK(cudaFree(output));
    }
    return 0;
}
