/* Prefix sums in one pass: each tile reads the sums of tiles before it (decoupled look-back). Prints ns per
 * scan; the number in each printed name is the number of tiles of 256 values. */
#include "blind.h"
#define READY (1ull << 62)
#define WHOLE (2ull << 62)
__device__ unsigned next_tile;
__global__ void scan(const unsigned *in, unsigned *out, unsigned long long *states)
{
    __shared__ unsigned tile, before, warps[8];
    if (threadIdx.x == 0)
        tile = atomicAdd(&next_tile, 1) % gridDim.x;
    __syncthreads();
    unsigned i = tile * 256 + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32, value = in[i];
    for (int d = 1; d < 32; d *= 2) {
        unsigned other = __shfl_up_sync(0xffffffffu, value, d);
        if (lane >= (unsigned)d)
            value += other;
    }
    if (lane == 31)
        warps[warp] = value;
    __syncthreads();
    unsigned total = 0;
    for (unsigned w = 0; w < 8; w++) {
        if (w < warp)
            value += warps[w];
        total += warps[w];
    }
    if (threadIdx.x == 0) {
        volatile unsigned long long *state = states;
        state[tile] = (tile ? READY : WHOLE) | total;
        before = 0;
        for (unsigned at = tile; at > 0;) {
            unsigned long long found = state[at - 1];
            if (found >> 62 == 0)
                continue;
            before += (unsigned)found;
            if (found >> 62 == 2)
                break;
            at--;
        }
        if (tile)
            state[tile] = WHOLE | (before + total);
    }
    __syncthreads();
    out[i] = before + value;
}
int main()
{
    unsigned *in = words(528 * 256), *out = words(528 * 256);
    unsigned long long *states = (unsigned long long *)words(2 * 528);
    for (int tiles : {16, 132, 528})
        measure("look-back-scan", tiles, 1, [=] {
            CHECK(cudaMemsetAsync(states, 0, 528 * 8));
            scan<<<tiles, 256>>>(in, out, states);
        });
}
