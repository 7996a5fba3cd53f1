/* A program that is too large is checked in part: the first of launches that are alike, and blocks of large
 * grids. Threads end where they need what was left out, which is not a mistake. */
// expect --launches 2 --blocks 64 --runs 8: right "left out 98 of 103 launches" "and 29106 of 29378 blocks"
// expect --launches 2 --blocks 64 --runs 8: right "threads ended" "+ in[i + far]"
// expect --launches 2 --blocks 64 --runs 8 -DRACE: race "= 7" "= sum"
// expect --launches 2 --blocks 64 --runs 8 -DOUTSIDE: outside "= 9"
// expect --launches 2 --blocks 64 --runs 8 -DHOST: right "threads ended"
// expect --timeout 0.5 -DRACE: race "= 7" "the whole is too large, so --launches 2 --blocks"
// expect --launches 2 --blocks 64 --calls 109 --runs 4 -DSLOW: right "after its call 109 of CUDA"
// expect --timeout 1 --seconds 20 -DSLOW: right "what the host does after its call" "if (compute_long"
// expect --timeout 1 --seconds 20 -DSLOW -DRACE: race "= 7" "what the host does after its call"
// expect --launches 2 --blocks 64 --kernel-launches 3 --runs 4 -DROUNDS: right "left out 395 of 404 launches"
// expect --launches 2 --blocks 64 --kernel-launches 3 --runs 4 -DROUNDS -DLATE: race "= 5"
// expect --launches 2 --blocks 64 --steps 40 --runs 4 -DROUNDS: right "blocks ended after their steps"
// expect --launches 2 --blocks 64 --steps 40 --runs 4 -DROUNDS -DLATE: race "= 5"
#include "tools/bugs/bug.h"
#include <vector>

__global__ void scale(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[i];
}

/* A block reads its neighbours' elements in a loop with barriers and shuffles; some may be left out. */
__global__ void smooth(const float *in, float *out, int n)
{
    __shared__ float tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int far = 0; far < 2; far++) {
        tile[threadIdx.x] = far <= i && i + far < n ? in[i - far] + in[i + far] : 0;
        __syncthreads();
        sum += tile[threadIdx.x ^ 1] + __shfl_xor_sync(0xffffffff, tile[threadIdx.x], 1);
        __syncthreads();
    }
    if (i < n)
        out[i] = sum;
#ifdef RACE
    if (threadIdx.x == 255 && blockIdx.x + 1 < gridDim.x)
        out[i + 1] = 7;
#endif
#ifdef OUTSIDE
    if (i == n - 1)
        out[i + 1] = 9;
#endif
}

/* Each block waits for the one before it. */
__global__ void chain(unsigned *sums)
{
    if (threadIdx.x == 0) {
        unsigned before = 0;
        while (blockIdx.x && !(before = *(volatile unsigned *)&sums[blockIdx.x - 1])) {
        }
        __threadfence();
        *(volatile unsigned *)&sums[blockIdx.x] = before + 1;
    }
}

__global__ void add_up(const float *in, float *sum, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        atomicAdd(sum, in[i]);
}

__global__ void scatter(const int *places, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[places[i]] = 1;
}

/* After all rounds, and not before, places[i] is equal to i. */
__global__ void count_up(int *places, const int *zeros, int from)
{
    int i = threadIdx.x;
    for (int k = from; k < from + 16 && k < i; k++)
        places[i] += zeros[k] + 1;
}

__global__ void same_place(const int *zeros, float *out)
{
    out[zeros[threadIdx.x]] = 5;
}

/* The host computes for longer than any limit. */
static unsigned compute_long(unsigned sum)
{
    for (unsigned long i = 0; i < 1ul << 40; i++)
        sum = sum * 3 + 1;
    return sum;
}

int main()
{
    const int n = 2500000, links = 80;
    float *a = new_zeros<float>(n), *b = new_array<float>(n), *c = new_array<float>(n);
    float *sum = new_zeros<float>(1);
    unsigned *sums = new_zeros<unsigned>(links);
    for (int round = 0; round < 100; round++)
        scale<<<(n + 255) / 256, 256>>>(a, b, n);
    smooth<<<(n + 255) / 256, 256>>>(b, c, n);
#ifdef HOST
    /* What the host computes from gaps would send many threads to one place. */
    std::vector<float> values(n);
    std::vector<int> numbers(n);
    int *places = new_array(n);
    cudaMemcpy(values.data(), c, n * sizeof *c, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        numbers[i] = values[i] == 0 ? i : 0;
    cudaMemcpy(places, numbers.data(), n * sizeof *places, cudaMemcpyHostToDevice);
    scatter<<<(n + 255) / 256, 256>>>(places, b, n);
#endif
#ifdef ROUNDS
    int *places = new_zeros<int>(64), *zeros = new_zeros<int>(64);
    for (int round = 0; round < 300; round++)
        count_up<<<1, 64>>>(places, zeros, round * 16);
    scatter<<<1, 64>>>(places, b, 64);
#ifdef LATE
    same_place<<<1, 64>>>(zeros, b);
#endif
#endif
    chain<<<links, 32>>>(sums);
    add_up<<<1, 64>>>(c, sum, n);
#ifdef SLOW
    if (compute_long(n) == 2)
        return 2;
#endif
    return is_wrong(sum, 1, [](int) { return 0; }) ||
           is_wrong(&sums[links - 1], 1, [](int) { return links; });
}
