// A product of matrices (64 x 256 and 256 x 128) in tiles of 32 x 32, whose inner dimension is split.
// a: the last block of a tile to arrive adds all parts; b: the first block of a tile waits for the flags of
// the others, one by one, and adds their parts (stream-K). ns per call; the number: splits.
#include "../blind.h"

static const int ROWS = 64, COLUMNS = 128, INNER = 256, TILE = 32, SLAB = 16, THREADS = 256;
static const int TILES = ROWS / TILE * COLUMNS / TILE, MAX_SPLITS = 16;

static __device__ void add(float4 &sum, float4 other)
{
    sum = make_float4(sum.x + other.x, sum.y + other.y, sum.z + other.z, sum.w + other.w);
}

/* A part of a tile: each thread has four neighbouring numbers of a row. */
static __device__ float4 multiply(const float *left, const float4 *right, int tile, int begin, int end)
{
    __shared__ float a[TILE][SLAB + 1];
    __shared__ float4 b[SLAB][TILE / 4];
    int first_row = tile / (COLUMNS / TILE) * TILE, first_column = tile % (COLUMNS / TILE) * TILE;
    int row = threadIdx.x / 8, four = threadIdx.x % 8;
    float4 sum = make_float4(0, 0, 0, 0);
    for (int k = begin; k < end; k += SLAB) {
        for (int i = threadIdx.x; i < TILE * SLAB; i += THREADS)
            a[i / SLAB][i % SLAB] = left[(first_row + i / SLAB) * INNER + k + i % SLAB];
        if (threadIdx.x < SLAB * TILE / 4)
            b[row][four] = right[((k + row) * COLUMNS + first_column) / 4 + four];
        __syncthreads();
        for (int i = 0; i < SLAB; i++) {
            float x = a[row][i];
            float4 y = b[i][four];
            add(sum, make_float4(x * y.x, x * y.y, x * y.z, x * y.w));
        }
        __syncthreads();
    }
    return sum;
}

/* `marks` are the counters of a and the flags of b; `call` counts calls. */
template <bool LAST_ADDS>
__global__ void product(const float *left, const float4 *right, float4 *result, float4 *parts,
                        unsigned *marks, int splits, unsigned call)
{
    __shared__ bool last;
    int tile = blockIdx.x / splits, split = blockIdx.x % splits, share = INNER / splits;
    float4 sum = multiply(left, right, tile, split * share, (split + 1) * share);
    float4 *mine = parts + tile * splits * THREADS + threadIdx.x;
    unsigned *mark = marks + tile * MAX_SPLITS * 32, value;
    if (LAST_ADDS || split > 0) {
        mine[split * THREADS] = sum;
        __syncthreads();
        if (LAST_ADDS && threadIdx.x == 0) {
            __threadfence();
            last = atomicAdd(mark, 1u) % splits == splits - 1u;
            __threadfence();
        } else if (threadIdx.x == 0) {
            mark += split * 32;
            asm volatile("st.release.gpu.global.u32 [%0], %1;" : : "l"(mark), "r"(call) : "memory");
        }
        __syncthreads();
        if (!LAST_ADDS || !last)
            return;
        sum = mine[0];
    }
    for (int s = 1; s < splits; s++) {
        if (!LAST_ADDS) {
            if (threadIdx.x == 0)
                do
                    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                                 : "=r"(value)
                                 : "l"(mark + s * 32)
                                 : "memory");
                while (value != call);
            __syncthreads();
        }
        add(sum, mine[s * THREADS]);
    }
    int row = tile / (COLUMNS / TILE) * TILE + threadIdx.x / 8, first = tile % (COLUMNS / TILE) * TILE / 4;
    result[row * (COLUMNS / 4) + first + threadIdx.x % 8] = sum;
}

static void verify(const std::vector<float> &left, const std::vector<float> &right, float *result)
{
    std::vector<float> got(ROWS * COLUMNS);
    CHECK(cudaMemcpy(got.data(), result, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        float sum = 0; /* exact, because all numbers are small integers */
        for (int k = 0; k < INNER; k++)
            sum += left[i / COLUMNS * INNER + k] * right[k * COLUMNS + i % COLUMNS];
        if (got[i] != sum) {
            fprintf(stderr, "split-fix: number %d is %f, not %f\n", i, got[i], sum);
            exit(1);
        }
    }
    CHECK(cudaMemset(result, 0, got.size() * sizeof(float)));
}

template <bool LAST_ADDS>
static void run(const char *name, int splits)
{
    std::vector<float> host_left(ROWS * INNER), host_right(INNER * COLUMNS);
    for (int i = 0; i < ROWS * INNER; i++)
        host_left[i] = (int)(i * 2654435761u >> 28) - 8;
    for (int i = 0; i < INNER * COLUMNS; i++)
        host_right[i] = (int)(i * 2246822519u >> 28) - 8;
    float *left = (float *)words(host_left.size()), *right = (float *)words(host_right.size());
    float *result = (float *)words(ROWS * COLUMNS), *parts = (float *)words(TILES * splits * TILE * TILE);
    unsigned *marks = words(TILES * MAX_SPLITS * 32), call = 0;
    CHECK(cudaMemcpy(left, host_left.data(), host_left.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(right, host_right.data(), host_right.size() * sizeof(float), cudaMemcpyHostToDevice));
    measure(name, splits, 1, [&] {
        product<LAST_ADDS><<<TILES * splits, THREADS>>>(left, (const float4 *)right, (float4 *)result,
                                                        (float4 *)parts, marks, splits, ++call);
    });
    verify(host_left, host_right, result);
    for (float *p : {left, right, result, parts, (float *)marks})
        CHECK(cudaFree(p));
}

int main()
{
    for (int splits : {2, 16}) {
        run<true>("split-fix-a", splits);
        run<false>("split-fix-b", splits);
    }
    return 0;
}
