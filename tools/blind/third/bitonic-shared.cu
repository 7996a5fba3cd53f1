// Bitonic sort of a tile a block in shared memory, as in Faiss's k-selection and top-k sampling.
// a: all through shared memory; b: short distances by shuffles. ns per sort; the number: the keys of a tile.
#include "../blind.h"

static const int BLOCKS = 4;

template <bool SHUFFLES>
__global__ void sort_tiles(const unsigned *input, unsigned *output)
{
    __shared__ unsigned tile[1024];
    unsigned me = threadIdx.x, size = blockDim.x, value = input[blockIdx.x * size + me];
    for (unsigned run = 2; run <= size; run *= 2)
        for (unsigned distance = run / 2; distance > 0; distance /= 2) {
            unsigned other;
            if (SHUFFLES && distance < 32) {
                other = __shfl_xor_sync(0xffffffffu, value, distance);
            } else {
                tile[me] = value;
                __syncthreads();
                other = tile[me ^ distance];
                __syncthreads();
            }
            bool ascending = (me & run) == 0, lower = (me & distance) == 0;
            value = ascending == lower ? min(value, other) : max(value, other);
        }
    output[blockIdx.x * size + me] = value;
}

static void verify(std::vector<unsigned> keys, unsigned *output, int size)
{
    std::vector<unsigned> got(keys.size());
    CHECK(cudaMemcpy(got.data(), output, got.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (int b = 0; b < BLOCKS; b++)
        std::sort(keys.begin() + b * size, keys.begin() + (b + 1) * size);
    if (got != keys) {
        fprintf(stderr, "bitonic-shared: wrong order of %d keys\n", size);
        exit(1);
    }
    CHECK(cudaMemset(output, 0, got.size() * sizeof(unsigned)));
}

int main()
{
    for (int size : {64, 256, 1024}) {
        std::vector<unsigned> host(BLOCKS * size);
        for (size_t i = 0; i < host.size(); i++)
            host[i] = (unsigned)i * 2654435761u >> 3;
        unsigned *input = words(host.size()), *output = words(host.size());
        CHECK(cudaMemcpy(input, host.data(), host.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
        measure("bitonic-shared-a", size, 1, [&] { sort_tiles<false><<<BLOCKS, size>>>(input, output); });
        verify(host, output, size);
        measure("bitonic-shared-b", size, 1, [&] { sort_tiles<true><<<BLOCKS, size>>>(input, output); });
        verify(host, output, size);
        CHECK(cudaFree(input));
        CHECK(cudaFree(output));
    }
    return 0;
}
