// The blocks that share an output tile add their part in turn, as in CUTLASS's serial split-K GEMM.
// a: waiters poll; b: they sleep 200 ns. ns per turn; the number is the number of slices of a tile.
#include "../blind.h"

static const int BLOCKS = 128, THREADS = 128, STEPS = 8;

static __device__ unsigned load_acquire(const unsigned *address)
{
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    return value;
}

static __device__ void store_release(unsigned *address, unsigned value)
{
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}

template <bool SLEEP>
__global__ void split_k(const unsigned *input, unsigned *turns, unsigned *output, int slices)
{
    unsigned tile = blockIdx.x / slices, slice = blockIdx.x % slices;
    unsigned *turn = turns + tile * 32, *out = output + tile * THREADS + threadIdx.x;
    unsigned sum = 0;
    for (int k = 0; k < STEPS; k++)
        sum = sum * 3 + input[(blockIdx.x * STEPS + k) * THREADS + threadIdx.x];
    if (threadIdx.x == 0)
        while (load_acquire(turn) != slice)
            if (SLEEP)
                __nanosleep(200);
    __syncthreads();
    *out = slice == 0 ? sum : *out * 5 + sum;
    __syncthreads();
    if (threadIdx.x == 0)
        store_release(turn, slice + 1 == slices ? 0 : slice + 1);
}

static void verify(const std::vector<unsigned> &input, unsigned *output, int slices)
{
    std::vector<unsigned> got(BLOCKS / slices * THREADS);
    CHECK(cudaMemcpy(got.data(), output, got.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < got.size(); i++) {
        unsigned total = 0;
        for (int s = 0; s < slices; s++) {
            unsigned sum = 0;
            for (int k = 0; k < STEPS; k++)
                sum = sum * 3 + input[((i / THREADS * slices + s) * STEPS + k) * THREADS + i % THREADS];
            total = s == 0 ? sum : total * 5 + sum;
        }
        if (got[i] != total) {
            fprintf(stderr, "split-k-turn: word %zu is %u\n", i, got[i]);
            exit(1);
        }
    }
    CHECK(cudaMemset(output, 0, got.size() * sizeof(unsigned)));
}

int main()
{
    std::vector<unsigned> host(BLOCKS * STEPS * THREADS);
    for (size_t i = 0; i < host.size(); i++)
        host[i] = (unsigned)i * 2654435761u >> 5;
    unsigned *input = words(host.size()), *turns = words(BLOCKS * 32), *output = words(BLOCKS * THREADS);
    CHECK(cudaMemcpy(input, host.data(), host.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
    for (int slices : {4, 16, 64}) {
        measure("split-k-turn-a", slices, slices,
                [&] { split_k<false><<<BLOCKS, THREADS>>>(input, turns, output, slices); });
        verify(host, output, slices);
        measure("split-k-turn-b", slices, slices,
                [&] { split_k<true><<<BLOCKS, THREADS>>>(input, turns, output, slices); });
        verify(host, output, slices);
    }
    return 0;
}
