/* The comparator network of Batcher 1968: merges of length 2, 4, ..., N, each of comparisons at distance
 * length / 2, ..., 2, 1. */
#ifndef BITONIC_NETWORK_CUH
#define BITONIC_NETWORK_CUH

#include "harness/kernel.cuh"

struct network_step {
    unsigned length, distance;
};

/* Returns step s of the network; steps are numbered from 0 through all merges. */
static __device__ __forceinline__ network_step step_of_network(int s)
{
    unsigned log_length = 1, before = 0;
    while (before + log_length <= (unsigned)s)
        before += log_length++;
    unsigned length = 1u << log_length;
    return {length, length >> ((unsigned)s - before + 1)};
}

/* The sort as a step loop (harness/step_loop.cuh), one step of the network for each. */
struct BitonicStep {
    const unsigned *input;
    unsigned *keys;
    unsigned n;

    __device__ void operator()(int s)
    {
        const unsigned *from = s == 0 ? input : keys;
        const auto [length, distance] = step_of_network(s);
        for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 2; i += gridDim.x * blockDim.x) {
            unsigned low = 2 * i - (i & (distance - 1)), high = low + distance;
            unsigned a = from[low], b = from[high];
            bool swap = (a > b) == ((low & length) == 0);
            keys[low] = swap ? b : a;
            keys[high] = swap ? a : b;
        }
    }
};

#endif
