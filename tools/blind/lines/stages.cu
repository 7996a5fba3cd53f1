// The stages of a step of a persistent kernel, each timed by clock64() in the kernel, on a GPU and on the
// memory machine alike. A block waits for its neighbours' flags, loads a neighbour's tile, computes, reduces,
// stores its own tile, and sets its flag. A stage's time is the mean of all steps, in thread 0 of block 0.
// Each stage ends with a branch that depends on its result, so that the clock is read after it.
#include "../blind.h"

#define WORDS 8 // number of words that a thread loads and stores in a step

enum { WAIT, LOAD, MULTIPLY, EXPONENT, SHUFFLE, REDUCE, STORE, TELL, STAGES };
static const char *const names[STAGES] = {"wait",    "load",   "multiply", "exponent",
                                          "shuffle", "reduce", "store",    "tell"};

__device__ static unsigned long long nanoseconds()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

struct clocks {
    long long before, spent[STAGES];
    __device__ void end(int stage, float result, unsigned *never)
    {
        if (result == -1)
            *never = 1;
        long long now = clock64();
        spent[stage] += now - before;
        before = now;
    }
};

__global__ void stages(unsigned steps, float *tiles, volatile unsigned *flags, unsigned *never, double *spent)
{
    __shared__ float sums[33];
    const unsigned left = (blockIdx.x + gridDim.x - 1) % gridDim.x, thread = threadIdx.x,
                   words = blockDim.x * WORDS;
    clocks c = {};
    const unsigned long long began = nanoseconds();
    const long long first = clock64();
    for (unsigned step = 1; step <= steps; step++) {
        const float *from = tiles + ((step - 1) % 2 * gridDim.x + left) * (size_t)words;
        float *to = tiles + (step % 2 * gridDim.x + blockIdx.x) * (size_t)words;
        c.before = clock64();
        // a tile is written again two steps later: both neighbours must have gone on
        if (thread < 2)
            while (flags[32 * (thread ? (blockIdx.x + 1) % gridDim.x : left)] < step - 1) {
            }
        __syncthreads();
        __threadfence();
        c.end(WAIT, 0, never);
        float values[WORDS], sum = 0;
        for (int k = 0; k < WORDS; k++)
            values[k] = __ldcg(&from[k * blockDim.x + thread]);
        for (int k = 0; k < WORDS; k++)
            sum += values[k];
        c.end(LOAD, sum, never);
        for (int k = 0; k < 64; k++)
            sum = fmaf(sum, 0.5f, values[k % WORDS]);
        c.end(MULTIPLY, sum, never);
        for (int k = 0; k < 16; k++)
            sum = __expf(sum * -0.125f);
        c.end(EXPONENT, sum, never);
        for (int lane = 16; lane; lane /= 2)
            sum += __shfl_xor_sync(~0u, sum, lane);
        c.end(SHUFFLE, sum, never);
        if (thread % 32 == 0)
            sums[thread / 32] = sum;
        __syncthreads();
        if (thread == 0) {
            float all = 0;
            for (unsigned w = 0; w < blockDim.x / 32; w++)
                all += sums[w];
            sums[32] = all;
        }
        __syncthreads();
        sum = sums[32];
        c.end(REDUCE, sum, never);
        for (int k = 0; k < WORDS; k++)
            to[k * blockDim.x + thread] = values[k] * 0.5f + sum;
        c.end(STORE, 0, never);
        __syncthreads();
        if (thread == 0) {
            __threadfence();
            flags[32 * blockIdx.x] = step;
        }
        c.end(TELL, 0, never);
    }
    if (blockIdx.x == 0 && thread == 0)
        for (int s = 0; s < STAGES; s++)
            spent[s] =
                (double)c.spent[s] / steps * (double)(nanoseconds() - began) / (double)(clock64() - first);
}

int main()
{
#ifdef GPUSYNC_MACHINE
    const unsigned steps = 20;
#else
    const unsigned steps = 20000;
#endif
    for (unsigned blocks : {8u, 132u}) {
        const unsigned threads = 256;
        float *tiles = (float *)words((size_t)2 * blocks * threads * WORDS);
        unsigned *flags = words((size_t)32 * blocks), *never = words(1);
        double *spent, here[STAGES];
        CHECK(cudaMalloc((void **)&spent, sizeof here));
        void *arguments[] = {(void *)&steps, &tiles, &flags, &never, &spent};
        CHECK(cudaLaunchCooperativeKernel((void *)stages, blocks, threads, arguments, 0, 0));
        CHECK(cudaMemcpy(here, spent, sizeof here, cudaMemcpyDeviceToHost));
        for (int s = 0; s < STAGES; s++)
            printf("stages-%s-%u\t%.1f\n", names[s], blocks, here[s]);
        CHECK(cudaFree(tiles));
        CHECK(cudaFree(flags));
        CHECK(cudaFree(never));
        CHECK(cudaFree(spent));
    }
    return 0;
}
