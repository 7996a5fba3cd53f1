// Layers of an MLP (up, SiLU, down, residual) for one token in a persistent kernel with its own grid barrier.
// a: a barrier after up and one after down; b: a block multiplies its hidden numbers by their columns of
// down and adds with atomics, so there is one barrier a layer. ns per layer; the number: the width.
#include "../blind.h"
#include <cmath>

static const int LAYERS = 3, THREADS = 256, WARPS = THREADS / 32, MAX_WIDTH = 256;

static __device__ void grid_barrier(unsigned *counter, unsigned target)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(counter, 1u);
        unsigned value;
        do
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(counter) : "memory");
        while ((int)(value - target) < 0);
    }
    __syncthreads();
}

/* The product of a row in global memory and a vector in shared memory, by a warp. */
static __device__ float dot(const float *row, const float *vector, int size)
{
    float sum = 0;
    for (int c = threadIdx.x % 32; c < size / 4; c += 32) {
        float4 w = ((const float4 *)row)[c], x = ((const float4 *)vector)[c];
        sum += w.x * x.x + w.y * x.y + w.z * x.z + w.w * x.w;
    }
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    return sum;
}

static __device__ float silu(float x)
{
    return x / (1 + __expf(-x));
}

/* There is a warp for each number of the token, and four times as many hidden numbers. For b, the sums of
 * layer l are in buffer[l % 3], which is zeroed in layer l + 2, when no block reads it any more. */
template <bool ATOMICS>
__global__ void mlp(const float *up, const float *down, const float *input, float *token, float *buffer,
                    int width, unsigned *counter, unsigned target)
{
    __shared__ __align__(16) float x[MAX_WIDTH], h[4 * MAX_WIDTH];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, first = blockIdx.x * WARPS, hidden = 4 * width;
    for (int l = 0; l < LAYERS; l++, up += hidden * width, down += hidden * width) {
        if (threadIdx.x < width && (l == 0 || !ATOMICS))
            x[threadIdx.x] = (l == 0 ? input : token)[threadIdx.x];
        __syncthreads();
        for (int r = warp * 4; r < warp * 4 + 4; r++) {
            float sum = dot(up + (first * 4 + r) * width, x, width);
            if (lane == 0)
                (ATOMICS ? h : buffer + first * 4)[r] = silu(sum);
        }
        if (ATOMICS) {
            if (blockIdx.x == 0 && threadIdx.x < width)
                buffer[(l + 1) % 3 * width + threadIdx.x] = 0;
            __syncthreads();
            /* `down` is transposed here: a row has what a hidden number gives to the token. */
            int column = threadIdx.x % width, each = 4 * WARPS * width / THREADS;
            float sum = 0;
            for (int r = threadIdx.x / width * each, end = r + each; r < end; r++)
                sum += h[r] * down[(first * 4 + r) * width + column];
            atomicAdd(&buffer[l % 3 * width + column], sum);
            grid_barrier(counter, target += gridDim.x);
            if (threadIdx.x < width)
                x[threadIdx.x] += buffer[l % 3 * width + threadIdx.x];
        } else {
            grid_barrier(counter, target += gridDim.x);
            for (int i = threadIdx.x; i < hidden; i += THREADS)
                h[i] = buffer[i];
            __syncthreads();
            float sum = dot(down + (first + warp) * hidden, h, hidden);
            if (lane == 0)
                token[first + warp] = x[first + warp] + sum;
            if (l + 1 < LAYERS)
                grid_barrier(counter, target += gridDim.x);
        }
    }
    if (ATOMICS && blockIdx.x == 0 && threadIdx.x < width)
        token[threadIdx.x] = x[threadIdx.x];
}

static void verify(const std::vector<double> &expected, float *token)
{
    std::vector<float> got(expected.size());
    CHECK(cudaMemcpy(got.data(), token, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < got.size(); i++)
        if (!(fabs(got[i] - expected[i]) < 1e-3)) {
            fprintf(stderr, "mlp-chain: number %d is %f, not %f\n", (int)i, got[i], expected[i]);
            exit(1);
        }
    CHECK(cudaMemset(token, 0, got.size() * sizeof(float)));
}

/* Numbers from -1/8 to 1/8. */
static float weight(unsigned i)
{
    return (int)((i * 2654435761u ^ i) * 2246822519u >> 16) / 262144.0f - 0.125f;
}

int main()
{
    for (int width : {64, 256}) {
        int blocks = width / WARPS, hidden = 4 * width, all = LAYERS * hidden * width;
        std::vector<float> host[4];
        float *device[4], *token = (float *)words(width), *buffer = (float *)words(hidden);
        unsigned *counter = words(32), target = 0;
        for (int i = 0; i < 4; i++)
            host[i].resize(i == 3 ? width : all);
        std::vector<double> x(width), h(hidden);
        for (int c = 0; c < width; c++)
            x[c] = host[3][c] = weight(c) * 8;
        for (int l = 0; l < LAYERS; l++) {
            for (int r = 0; r < hidden; r++) {
                double sum = 0;
                for (int c = 0; c < width; c++) {
                    int at = (l * hidden + r) * width + c, transposed = (l * width + c) * hidden + r;
                    sum += x[c] * (host[0][at] = weight(at));
                    host[1][transposed] = host[2][at] = weight(all + at);
                }
                h[r] = sum / (1 + exp(-sum));
            }
            for (int i = 0; i < width * hidden; i++)
                x[i / hidden] += host[1][l * width * hidden + i] * h[i % hidden];
        }
        for (int i = 0; i < 4; i++) {
            device[i] = (float *)words(host[i].size());
            CHECK(cudaMemcpy(device[i], host[i].data(), host[i].size() * sizeof(float),
                             cudaMemcpyHostToDevice));
        }
        measure("mlp-chain-a", width, LAYERS, [&] {
            mlp<false>
                <<<blocks, THREADS>>>(device[0], device[1], device[3], token, buffer, width, counter, target);
            target += blocks * (2 * LAYERS - 1);
        });
        verify(x, token);
        CHECK(cudaMemset(buffer, 0, hidden * sizeof(float)));
        measure("mlp-chain-b", width, LAYERS, [&] {
            mlp<true>
                <<<blocks, THREADS>>>(device[0], device[2], device[3], token, buffer, width, counter, target);
            target += blocks * LAYERS;
        });
        verify(x, token);
        for (float *p : {device[0], device[1], device[2], device[3], token, buffer, (float *)counter})
            CHECK(cudaFree(p));
    }
    return 0;
}
