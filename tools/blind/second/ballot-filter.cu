/* Keeps the numbers below a limit, with one atomic for each warp. Prints ns per launch of 132 blocks over
 * 2^18 numbers; the number in each printed name says how many of 1,024 numbers are kept. */
#include "../blind.h"
__global__ void keep(const unsigned *in, unsigned *out, unsigned *count, unsigned limit, unsigned numbers)
{
    unsigned lane = threadIdx.x % 32;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < numbers; i += gridDim.x * blockDim.x) {
        unsigned value = in[i], chosen = __ballot_sync(0xffffffffu, (value & 1023) < limit), at = 0;
        if (lane == 0 && chosen)
            at = atomicAdd(count, (unsigned)__popc(chosen));
        at = __shfl_sync(0xffffffffu, at, 0);
        if ((value & 1023) < limit)
            out[(at + (unsigned)__popc(chosen & ((1u << lane) - 1))) % numbers] = value;
    }
}
__global__ void fill(unsigned *in, unsigned numbers)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < numbers; i += gridDim.x * blockDim.x)
        in[i] = i * 2654435761u >> 13;
}
int main()
{
    const unsigned numbers = 1 << 18;
    unsigned *in = words(numbers), *out = words(numbers), *count = words(32);
    fill<<<132, 256>>>(in, numbers);
    for (unsigned limit : {4u, 128u, 1024u})
        measure("ballot-filter", (int)limit, 1, [=] { keep<<<132, 256>>>(in, out, count, limit, numbers); });
}
