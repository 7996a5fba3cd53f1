// Softmax of 128 rows in a persistent kernel, 32 rows at a time, whose numbers stay in registers.
// a: a cluster of four blocks of 256 for each row, with sums through distributed shared memory; b: a block
// of 512 for each row. ns per 32 rows; the number is the length of a row.
#include "../blind.h"
#include <cmath>
#include <cooperative_groups.h>

namespace cg = cooperative_groups;
static const int ROWS = 128, AT_A_TIME = 32, CLUSTER = 4;

struct Max {
    static __device__ float identity() { return -INFINITY; }
    static __device__ float of(float a, float b) { return fmaxf(a, b); }
};
struct Sum {
    static __device__ float identity() { return 0; }
    static __device__ float of(float a, float b) { return a + b; }
};

template <class Operation>
static __device__ float warp_reduce(float value)
{
    for (int d = 16; d > 0; d /= 2)
        value = Operation::of(value, __shfl_xor_sync(0xffffffffu, value, d));
    return value;
}

/* Each reduction has two sets of slots, which rows take in turns, so none is written while it is read. */
template <class Operation, int BLOCKS, int THREADS>
static __device__ float reduce(float value, float *parts, float *shares)
{
    const int WARPS = THREADS / 32;
    value = warp_reduce<Operation>(value);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = value;
    __syncthreads();
    if (BLOCKS == 1)
        return warp_reduce<Operation>(threadIdx.x % 32 < WARPS ? parts[threadIdx.x % 32]
                                                               : Operation::identity());
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x < 32) {
        value = warp_reduce<Operation>(threadIdx.x < WARPS ? parts[threadIdx.x] : Operation::identity());
        if (threadIdx.x < BLOCKS)
            *cluster.map_shared_rank(shares + cluster.block_rank(), threadIdx.x) = value;
    }
    cluster.sync();
    value = shares[0];
    for (int b = 1; b < BLOCKS; b++)
        value = Operation::of(value, shares[b]);
    return value;
}

template <int BLOCKS, int THREADS, int SIZE>
static __device__ void softmax(const float2 *input, float2 *output)
{
    const int EACH = SIZE / 2 / THREADS / BLOCKS, ROW = SIZE / 2;
    __shared__ float parts[2][2][32], shares[2][2][CLUSTER];
    int first = blockIdx.x % BLOCKS * THREADS + threadIdx.x, turn = 0;
    if (BLOCKS > 1)
        cg::this_cluster().sync();
    for (int r = blockIdx.x / BLOCKS; r < ROWS; r += AT_A_TIME, turn ^= 1) {
        float2 mine[EACH];
        float top = -INFINITY, sum = 0;
        for (int i = 0; i < EACH; i++) {
            mine[i] = input[r * ROW + first + i * THREADS * BLOCKS];
            top = fmaxf(top, fmaxf(mine[i].x, mine[i].y));
        }
        top = reduce<Max, BLOCKS, THREADS>(top, parts[turn][0], shares[turn][0]);
        for (int i = 0; i < EACH; i++) {
            mine[i] = make_float2(__expf(mine[i].x - top), __expf(mine[i].y - top));
            sum += mine[i].x + mine[i].y;
        }
        float scale = 1 / reduce<Sum, BLOCKS, THREADS>(sum, parts[turn][1], shares[turn][1]);
        for (int i = 0; i < EACH; i++)
            output[r * ROW + first + i * THREADS * BLOCKS] =
                make_float2(mine[i].x * scale, mine[i].y * scale);
    }
}

template <int SIZE>
__global__ void __cluster_dims__(CLUSTER, 1, 1) with_clusters(const float2 *input, float2 *output)
{
    softmax<CLUSTER, 256, SIZE>(input, output);
}

template <int SIZE>
__global__ void with_blocks(const float2 *input, float2 *output)
{
    softmax<1, 512, SIZE>(input, output);
}

static void verify(const std::vector<float> &numbers, float *output, int size)
{
    std::vector<float> got(numbers.size());
    CHECK(cudaMemcpy(got.data(), output, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (int r = 0; r < ROWS; r++) {
        double sum = 0;
        for (int i = r * size; i < (r + 1) * size; i++)
            sum += exp(numbers[i]);
        for (int i = r * size; i < (r + 1) * size; i++)
            if (!(fabs(got[i] * sum / exp(numbers[i]) - 1) < 1e-3)) {
                fprintf(stderr, "softmax-rows: number %d of row %d is %g\n", i - r * size, r, got[i]);
                exit(1);
            }
    }
    CHECK(cudaMemset(output, 0, got.size() * sizeof(float)));
}

template <int SIZE>
static void run()
{
    std::vector<float> host(ROWS * SIZE);
    unsigned random = 1;
    for (float &number : host)
        number = ((random = random * 1664525u + 1013904223u) >> 8) / 2097152.0f - 4;
    float *input = (float *)words(host.size()), *output = (float *)words(host.size());
    CHECK(cudaMemcpy(input, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice));
    measure("softmax-rows-a", SIZE, ROWS / AT_A_TIME, [&] {
        with_clusters<SIZE><<<AT_A_TIME * CLUSTER, 256>>>((const float2 *)input, (float2 *)output);
    });
    verify(host, output, SIZE);
    measure("softmax-rows-b", SIZE, ROWS / AT_A_TIME,
            [&] { with_blocks<SIZE><<<AT_A_TIME, 512>>>((const float2 *)input, (float2 *)output); });
    verify(host, output, SIZE);
    CHECK(cudaFree(input));
    CHECK(cudaFree(output));
}

int main()
{
    run<2048>();
    run<8192>();
    return 0;
}
