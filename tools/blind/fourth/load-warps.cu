// Tiles of 4 KB go through a ring of four in shared memory, filled by cp.async; load-warps computes FMAs on
// them, and exp-warps computes exponentials. a: a warp loads, four warps compute, and named barriers are
// between them; b: four warps do both, with a __syncthreads a tile. ns per tile; the number: blocks.
#include "../blind.h"
#include <cmath>

static const int STAGES = 4, LAG = 2, TILES = 12, WORKERS = 128, LOADERS = 32, SIZE = 256;

static __device__ void copy(float4 *to, const float4 *from)
{
    unsigned address = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(address), "l"(from) : "memory");
}

static __device__ void commit()
{
    asm volatile("cp.async.commit_group;" : : : "memory");
}

/* Waits till at most two groups of copies are under way. */
static __device__ void wait_copies()
{
    asm volatile("cp.async.wait_group 2;" : : : "memory");
}

static __device__ void barrier_sync(int barrier)
{
    asm volatile("bar.sync %0, %1;" : : "r"(barrier), "n"(WORKERS + LOADERS) : "memory");
}

static __device__ void barrier_arrive(int barrier)
{
    __threadfence_block();
    asm volatile("bar.arrive %0, %1;" : : "r"(barrier), "n"(WORKERS + LOADERS) : "memory");
}

template <bool EXP>
static __host__ __device__ float compute(float x)
{
    float y = x;
    for (int i = 0; i < (EXP ? 6 : 16); i++)
        y = EXP ? exp2f(-y) : y * x + 0.5f;
    return y;
}

template <bool EXP>
static __device__ float work_on(const float4 *tile)
{
    float sum = 0;
    for (int i = threadIdx.x; i < SIZE; i += WORKERS) {
        float4 v = tile[i];
        sum += compute<EXP>(v.x) + compute<EXP>(v.y) + compute<EXP>(v.z) + compute<EXP>(v.w);
    }
    return sum;
}

/* Barriers 1 to 4: a stage is full; 5 to 8: it is empty again. */
template <bool EXP>
__global__ void special(const float4 *source, float *sums)
{
    __shared__ float4 ring[STAGES][SIZE];
    source += (size_t)blockIdx.x * TILES * SIZE;
    if (threadIdx.x >= WORKERS) {
        for (int t = 0; t < TILES + LAG; t++) {
            if (t >= STAGES && t < TILES)
                barrier_sync(5 + t % STAGES);
            if (t < TILES)
                for (int i = threadIdx.x - WORKERS; i < SIZE; i += LOADERS)
                    copy(&ring[t % STAGES][i], &source[t * SIZE + i]);
            commit();
            if (t >= LAG) {
                wait_copies();
                barrier_arrive(1 + (t - LAG) % STAGES);
            }
        }
    } else {
        float sum = 0;
        for (int t = 0; t < TILES; t++) {
            barrier_sync(1 + t % STAGES);
            sum += work_on<EXP>(ring[t % STAGES]);
            if (t + STAGES < TILES)
                barrier_arrive(5 + t % STAGES);
        }
        sums[blockIdx.x * WORKERS + threadIdx.x] = sum;
    }
}

template <bool EXP>
__global__ void uniform(const float4 *source, float *sums)
{
    __shared__ float4 ring[STAGES][SIZE];
    float sum = 0;
    source += (size_t)blockIdx.x * TILES * SIZE;
    for (int t = 1 - STAGES; t < TILES; t++) {
        if (t >= 0) {
            wait_copies();
            __syncthreads();
        }
        int ahead = t + STAGES - 1;
        if (ahead < TILES)
            for (int i = threadIdx.x; i < SIZE; i += WORKERS)
                copy(&ring[ahead % STAGES][i], &source[ahead * SIZE + i]);
        commit();
        if (t >= 0)
            sum += work_on<EXP>(ring[t % STAGES]);
    }
    sums[blockIdx.x * WORKERS + threadIdx.x] = sum;
}

template <bool EXP>
static void verify(const std::vector<float> &numbers, float *sums, int blocks)
{
    std::vector<float> got(blocks * WORKERS), expected(blocks * WORKERS);
    CHECK(cudaMemcpy(got.data(), sums, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < blocks * TILES * SIZE * 4; i++)
        expected[i / (TILES * SIZE * 4) * WORKERS + i / 4 % WORKERS] += compute<EXP>(numbers[i]);
    for (int i = 0; i < blocks * WORKERS; i++)
        if (!(fabs(got[i] - expected[i]) < 1e-3 * expected[i])) {
            fprintf(stderr, "load-warps: sum %d is %f, not %f\n", i, got[i], expected[i]);
            exit(1);
        }
    CHECK(cudaMemset(sums, 0, got.size() * sizeof(float)));
}

template <bool EXP>
static void run(const char *a, const char *b, int blocks)
{
    std::vector<float> host(blocks * TILES * SIZE * 4);
    unsigned random = 1;
    for (float &number : host)
        number = ((random = random * 1664525u + 1013904223u) >> 8) / 16777216.0f;
    float *source = (float *)words(host.size()), *sums = (float *)words(blocks * WORKERS);
    CHECK(cudaMemcpy(source, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice));
    measure(a, blocks, TILES,
            [&] { special<EXP><<<blocks, WORKERS + LOADERS>>>((const float4 *)source, sums); });
    verify<EXP>(host, sums, blocks);
    measure(b, blocks, TILES, [&] { uniform<EXP><<<blocks, WORKERS>>>((const float4 *)source, sums); });
    verify<EXP>(host, sums, blocks);
    CHECK(cudaFree(source));
    CHECK(cudaFree(sums));
}

int main()
{
    for (int blocks : {16, 132}) {
        run<false>("load-warps-a", "load-warps-b", blocks);
        run<true>("exp-warps-a", "exp-warps-b", blocks);
    }
    return 0;
}
