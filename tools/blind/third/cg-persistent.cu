// Conjugate gradients (tridiagonal matrix) in one persistent kernel, as in conjugateGradientMultiBlockCG.
// a: dot products by parts of blocks; b: by atomicAdd of doubles. ns per iteration; the number: blocks.
#include "../blind.h"
#include <cmath>
#include <cooperative_groups.h>

static const int THREADS = 128, ITERATIONS = 6;

static __device__ double block_sum(double value, double *shared)
{
    for (int d = 16; d > 0; d /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, d);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        shared[threadIdx.x / 32] = value;
    __syncthreads();
    value = 0;
    for (int w = 0; w < THREADS / 32; w++)
        value += shared[w];
    return value;
}

/* The sum of all threads' values, for each thread. Each sum of a launch has parts or a word of its own. */
template <bool ATOMIC>
static __device__ double dot(double value, double *sums, int number, double *shared)
{
    value = block_sum(value, shared);
    double *parts = sums + number * (ATOMIC ? 1 : gridDim.x);
    if (threadIdx.x == 0) {
        if (ATOMIC)
            atomicAdd(parts, value);
        else
            parts[blockIdx.x] = value;
    }
    cooperative_groups::this_grid().sync();
    if (ATOMIC)
        return *(volatile double *)parts;
    value = threadIdx.x < gridDim.x ? parts[threadIdx.x] : 0;
    return block_sum(value, shared);
}

template <bool ATOMIC>
__global__ void solve(double *x, double *p, double *sums)
{
    __shared__ double shared[THREADS / 32];
    int n = gridDim.x * THREADS, i = blockIdx.x * THREADS + threadIdx.x, number = 0;
    double own_x = 0, r = 1 + i % 7, own_p = r;
    if (ATOMIC && i < 2 * ITERATIONS + 1)
        sums[i] = 0;
    p[i] = own_p;
    if (ATOMIC)
        cooperative_groups::this_grid().sync();
    double square = dot<ATOMIC>(r * r, sums, number++, shared);
    for (int k = 0; k < ITERATIONS; k++) {
        double product = 2.5 * own_p - (i > 0 ? p[i - 1] : 0) - (i + 1 < n ? p[i + 1] : 0);
        double alpha = square / dot<ATOMIC>(own_p * product, sums, number++, shared);
        own_x += alpha * own_p;
        r -= alpha * product;
        double next = dot<ATOMIC>(r * r, sums, number++, shared);
        own_p = r + next / square * own_p;
        square = next;
        p[i] = own_p;
        cooperative_groups::this_grid().sync();
    }
    x[i] = own_x;
}

static void verify(double *x, int n)
{
    std::vector<double> got(n), expected(n), r(n), p(n), product(n);
    double square = 0;
    for (int i = 0; i < n; i++) {
        r[i] = p[i] = 1 + i % 7;
        square += r[i] * r[i];
    }
    for (int k = 0; k < ITERATIONS; k++) {
        double curvature = 0, next = 0;
        for (int i = 0; i < n; i++) {
            product[i] = 2.5 * p[i] - (i > 0 ? p[i - 1] : 0) - (i + 1 < n ? p[i + 1] : 0);
            curvature += p[i] * product[i];
        }
        for (int i = 0; i < n; i++) {
            expected[i] += square / curvature * p[i];
            r[i] -= square / curvature * product[i];
            next += r[i] * r[i];
        }
        for (int i = 0; i < n; i++)
            p[i] = r[i] + next / square * p[i];
        square = next;
    }
    CHECK(cudaMemcpy(got.data(), x, n * sizeof(double), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (!(std::fabs(got[i] - expected[i]) < 1e-6)) {
            fprintf(stderr, "cg-persistent: x[%d] is %g, not %g\n", i, got[i], expected[i]);
            exit(1);
        }
    CHECK(cudaMemset(x, 0, n * sizeof(double)));
}

int main()
{
    for (int blocks : {2, 8, 24, 64}) {
        int n = blocks * THREADS, sum_count = 2 * ITERATIONS + 1;
        double *x = (double *)words(2 * n), *p = (double *)words(2 * n);
        double *sums = (double *)words(2 * sum_count * blocks);
        void *arguments[] = {&x, &p, &sums};
        measure("cg-persistent-a", blocks, ITERATIONS, [&] {
            CHECK(cudaLaunchCooperativeKernel((void *)solve<false>, blocks, THREADS, arguments, 0, 0));
        });
        verify(x, n);
        measure("cg-persistent-b", blocks, ITERATIONS, [&] {
            CHECK(cudaLaunchCooperativeKernel((void *)solve<true>, blocks, THREADS, arguments, 0, 0));
        });
        verify(x, n);
        for (double *pointer : {x, p, sums})
            CHECK(cudaFree(pointer));
    }
    return 0;
}
