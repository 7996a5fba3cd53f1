// Walsh-Hadamard transform of integers, as in FFT libraries and in QuaRot for quantization.
// a: a launch per pass; b: 8 passes in shared memory, then launches. ns per transform; number: log2(size).
#include "../blind.h"

static const int TILE = 256, TILE_PASSES = 8;

__global__ void pass(const unsigned *from, unsigned *to, int distance)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int i = t / distance * 2 * distance + t % distance;
    unsigned x = from[i], y = from[i + distance];
    to[i] = x + y;
    to[i + distance] = x - y;
}

__global__ void tile_passes(const unsigned *from, unsigned *to)
{
    __shared__ unsigned tile[TILE];
    int t = threadIdx.x;
    for (int i = t; i < TILE; i += TILE / 2)
        tile[i] = from[blockIdx.x * TILE + i];
    __syncthreads();
    for (int distance = 1; distance < TILE; distance *= 2) {
        int i = t / distance * 2 * distance + t % distance;
        unsigned x = tile[i], y = tile[i + distance];
        tile[i] = x + y;
        tile[i + distance] = x - y;
        __syncthreads();
    }
    for (int i = t; i < TILE; i += TILE / 2)
        to[blockIdx.x * TILE + i] = tile[i];
}

static void verify(const std::vector<unsigned> &input, unsigned *output)
{
    std::vector<unsigned> got(input.size()), value = input;
    for (size_t distance = 1; distance < value.size(); distance *= 2)
        for (size_t i = 0; i < value.size(); i++)
            if ((i & distance) == 0) {
                unsigned x = value[i], y = value[i + distance];
                value[i] = x + y;
                value[i + distance] = x - y;
            }
    CHECK(cudaMemcpy(got.data(), output, got.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
    if (got != value) {
        fprintf(stderr, "wht-passes: wrong result for size %zu\n", got.size());
        exit(1);
    }
    CHECK(cudaMemset(output, 0, got.size() * sizeof(unsigned)));
}

int main()
{
    for (int log : {10, 12, 15}) {
        int size = 1 << log, blocks = size / TILE;
        std::vector<unsigned> host(size);
        for (int i = 0; i < size; i++)
            host[i] = i * 2654435761u >> 3;
        unsigned *input = words(size), *output = words(size);
        CHECK(cudaMemcpy(input, host.data(), size * sizeof(unsigned), cudaMemcpyHostToDevice));
        measure("wht-passes-a", log, 1, [&] {
            for (int p = 0; p < log; p++)
                pass<<<blocks, TILE / 2>>>(p == 0 ? input : output, output, 1 << p);
        });
        verify(host, output);
        measure("wht-passes-b", log, 1, [&] {
            tile_passes<<<blocks, TILE / 2>>>(input, output);
            for (int p = TILE_PASSES; p < log; p++)
                pass<<<blocks, TILE / 2>>>(output, output, 1 << p);
        });
        verify(host, output);
        CHECK(cudaFree(input));
        CHECK(cudaFree(output));
    }
    return 0;
}
