// Solves batches of small triangular systems, a block each and a step per unknown, as MAGMA's trsv does.
// a: a block and __syncthreads; b: a warp and shuffles. ns per step; the number is the number of unknowns.
#include "../blind.h"

static const int BATCH = 16;

__global__ void solve_block(const unsigned *matrices, const unsigned *right, unsigned *result)
{
    __shared__ unsigned solved[2];
    int n = blockDim.x, i = threadIdx.x;
    const unsigned *matrix = matrices + (size_t)blockIdx.x * n * n;
    unsigned x = right[blockIdx.x * n + i];
    for (int j = 0; j < n; j++) {
        unsigned factor = matrix[j * n + i];
        if (i == j)
            solved[j % 2] = x;
        __syncthreads();
        if (i > j)
            x -= factor * solved[j % 2];
    }
    result[blockIdx.x * n + i] = x;
}

template <int ROWS>
__global__ void solve_warp(const unsigned *matrices, const unsigned *right, unsigned *result)
{
    const int n = 32 * ROWS;
    int lane = threadIdx.x;
    const unsigned *matrix = matrices + (size_t)blockIdx.x * n * n;
    unsigned x[ROWS];
    for (int k = 0; k < ROWS; k++)
        x[k] = right[blockIdx.x * n + k * 32 + lane];
#pragma unroll
    for (int owner = 0; owner < ROWS; owner++)
        for (int j = 0; j < 32; j++) {
            const unsigned *column = matrix + (owner * 32 + j) * n;
            unsigned solved = __shfl_sync(0xffffffffu, x[owner], j);
#pragma unroll
            for (int k = owner; k < ROWS; k++)
                if (k > owner || lane > j)
                    x[k] -= column[k * 32 + lane] * solved;
        }
    for (int k = 0; k < ROWS; k++)
        result[blockIdx.x * n + k * 32 + lane] = x[k];
}

static void verify(unsigned *result, const std::vector<unsigned> &expected)
{
    std::vector<unsigned> got(expected.size());
    CHECK(cudaMemcpy(got.data(), result, got.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
    if (got != expected) {
        fprintf(stderr, "dense-forward: wrong result for %zu unknowns\n", got.size() / BATCH);
        exit(1);
    }
    CHECK(cudaMemset(result, 0, got.size() * sizeof(unsigned)));
}

template <int ROWS>
static void run()
{
    const int n = 32 * ROWS;
    std::vector<unsigned> matrix(BATCH * n * n), right(BATCH * n), expected(BATCH * n);
    for (size_t i = 0; i < matrix.size(); i++)
        matrix[i] = (unsigned)i * 2654435761u >> 9;
    for (int i = 0; i < BATCH * n; i++)
        expected[i] = right[i] = i * 77u + 5;
    for (int b = 0; b < BATCH; b++)
        for (int j = 0; j < n; j++)
            for (int i = j + 1; i < n; i++)
                expected[b * n + i] -= matrix[(b * n + j) * n + i] * expected[b * n + j];
    unsigned *matrices = words(matrix.size()), *rights = words(BATCH * n), *result = words(BATCH * n);
    CHECK(cudaMemcpy(matrices, matrix.data(), matrix.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(rights, right.data(), right.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
    measure("dense-forward-a", n, n, [&] { solve_block<<<BATCH, n>>>(matrices, rights, result); });
    verify(result, expected);
    measure("dense-forward-b", n, n, [&] { solve_warp<ROWS><<<BATCH, 32>>>(matrices, rights, result); });
    verify(result, expected);
}

int main()
{
    run<1>();
    run<4>();
    run<8>();
    return 0;
}
