// Sequences of different lengths, each folded by a block of a persistent kernel, as for varlen attention.
// a: blocks take every n-th sequence; b: blocks take the next one from a counter, and ask for it while they
// compute the one before. ns per sequence; the number is the number of blocks.
#include "../blind.h"
#include <cmath>

static const int ITEMS = 256, PAGE = 256, THREADS = 256, WARPS = THREADS / 32;

static __host__ __device__ float weigh(float x)
{
    float y = x;
    for (int i = 0; i < 8; i++)
        y = y * x + 0.5f;
    return y;
}

/* The sum of the weighed numbers of a sequence; the first thread has it. */
static __device__ float fold(const float *numbers, int pages, float *warp_sums)
{
    float sum = 0;
    for (int p = 0; p < pages; p++)
        sum += weigh(numbers[p * PAGE + threadIdx.x]);
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (threadIdx.x % 32 == 0)
        warp_sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int w = 1; w < WARPS; w++)
            sum += warp_sums[w];
    return sum;
}

/* `starts` counts pages. `base` is what earlier calls took from the counter. */
template <bool COUNTER>
__global__ void pool(const float *numbers, const int *starts, float *sums, unsigned *counter, unsigned base)
{
    __shared__ float warp_sums[2][WARPS];
    __shared__ unsigned next[2];
    unsigned item = blockIdx.x;
    if (COUNTER) {
        if (threadIdx.x == 0)
            next[1] = atomicAdd(counter, 1u) - base;
        __syncthreads();
        item = next[1];
    }
    for (int turn = 0; item < ITEMS; turn ^= 1) {
        if (COUNTER && threadIdx.x == 0)
            next[turn] = atomicAdd(counter, 1u) - base;
        int start = starts[item];
        float sum = fold(numbers + (size_t)start * PAGE, starts[item + 1] - start, warp_sums[turn]);
        if (threadIdx.x == 0)
            sums[item] = sum;
        item = COUNTER ? next[turn] : item + gridDim.x;
    }
}

static void verify(const std::vector<float> &numbers, const std::vector<int> &starts, float *sums)
{
    std::vector<float> got(ITEMS);
    CHECK(cudaMemcpy(got.data(), sums, ITEMS * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < ITEMS; i++) {
        double sum = 0;
        for (int n = starts[i] * PAGE; n < starts[i + 1] * PAGE; n++)
            sum += weigh(numbers[n]);
        if (!(fabs(got[i] - sum) < 1e-4 * sum)) {
            fprintf(stderr, "uneven-pool: the sum of sequence %d is %f, not %f\n", i, got[i], sum);
            exit(1);
        }
    }
    CHECK(cudaMemset(sums, 0, ITEMS * sizeof(float)));
}

int main()
{
    std::vector<int> host_starts(1, 0);
    unsigned random = 1;
    for (int i = 0; i < ITEMS; i++) {
        /* most sequences are short: from 1 to 31 pages */
        unsigned a = (random = random * 1664525u + 1013904223u) >> 27;
        unsigned b = (random = random * 1664525u + 1013904223u) >> 27;
        host_starts.push_back(host_starts.back() + 1 + a * b / 32);
    }
    std::vector<float> host(host_starts.back() * PAGE);
    for (float &number : host)
        number = ((random = random * 1664525u + 1013904223u) >> 8) / 16777216.0f;
    float *numbers = (float *)words(host.size()), *sums = (float *)words(ITEMS);
    int *starts = (int *)words(ITEMS + 1);
    CHECK(cudaMemcpy(numbers, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(starts, host_starts.data(), (ITEMS + 1) * sizeof(int), cudaMemcpyHostToDevice));
    for (int blocks : {33, 132}) {
        unsigned *counter = words(32), base = 0;
        measure("uneven-pool-a", blocks, ITEMS,
                [&] { pool<false><<<blocks, THREADS>>>(numbers, starts, sums, counter, 0); });
        verify(host, host_starts, sums);
        measure("uneven-pool-b", blocks, ITEMS, [&] {
            pool<true><<<blocks, THREADS>>>(numbers, starts, sums, counter, base);
            base += ITEMS + blocks; /* each block takes one number too many */
        });
        verify(host, host_starts, sums);
        CHECK(cudaFree(counter));
    }
    for (void *p : {(void *)numbers, (void *)starts, (void *)sums})
        CHECK(cudaFree(p));
    return 0;
}
