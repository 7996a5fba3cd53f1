// Layers of matrix by vector with a residual, as in a megakernel that decodes a token (Mirage).
// a: one kernel, a grid barrier per layer; b: a launch per layer. ns per layer; the number: rows of a matrix.
#include "../blind.h"

static const int LAYERS = 6, THREADS = 256;

static __device__ unsigned load_acquire(const unsigned *address)
{
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    return value;
}

/* A warp for each row: `to` = `from` + (matrix * `from`) / 8. */
static __device__ void layer(const uint4 *matrix, const unsigned *from, unsigned *to, int size)
{
    int row = (blockIdx.x * THREADS + threadIdx.x) / 32, lane = threadIdx.x % 32;
    unsigned sum = 0;
    for (int c = lane; c < size / 4; c += 32) {
        uint4 w = matrix[row * (size / 4) + c], x = ((const uint4 *)from)[c];
        sum += w.x * x.x + w.y * x.y + w.z * x.z + w.w * x.w;
    }
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (lane == 0)
        to[row] = from[row] + (sum >> 3);
}

__global__ void persistent(const uint4 *matrices, const unsigned *input, unsigned *buffers, int size,
                           unsigned *counter, unsigned target)
{
    for (int l = 0; l < LAYERS; l++) {
        const unsigned *from = l == 0 ? input : buffers + (l + 1) % 2 * size;
        layer(matrices + l * size * (size / 4), from, buffers + l % 2 * size, size);
        if (l + 1 == LAYERS)
            break;
        target += gridDim.x;
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(counter, 1u);
            while ((int)(load_acquire(counter) - target) < 0)
                ;
        }
        __syncthreads();
    }
}

__global__ void single(const uint4 *matrix, const unsigned *from, unsigned *to, int size)
{
    layer(matrix, from, to, size);
}

static void verify(const std::vector<unsigned> &matrices, const std::vector<unsigned> &input,
                   unsigned *result)
{
    int size = (int)input.size();
    std::vector<unsigned> got(size), value = input, next(size);
    for (int l = 0; l < LAYERS; l++, value = next)
        for (int r = 0; r < size; r++) {
            unsigned sum = 0;
            for (int c = 0; c < size; c++)
                sum += matrices[(l * size + r) * size + c] * value[c];
            next[r] = value[r] + (sum >> 3);
        }
    CHECK(cudaMemcpy(got.data(), result, size * sizeof(unsigned), cudaMemcpyDeviceToHost));
    if (got != value) {
        fprintf(stderr, "decode-layers: wrong result for size %d\n", size);
        exit(1);
    }
    CHECK(cudaMemset(result, 0, size * sizeof(unsigned)));
}

int main()
{
    for (int size : {64, 256, 512}) {
        int blocks = size / (THREADS / 32), square = size * size;
        std::vector<unsigned> host(LAYERS * square), x(size);
        for (int i = 0; i < LAYERS * square; i++)
            host[i] = i * 2654435761u >> 20;
        for (int i = 0; i < size; i++)
            x[i] = i * 12345;
        unsigned *matrices = words(host.size()), *input = words(size), *buffers = words(2 * size);
        unsigned *counter = words(32), *result = buffers + (LAYERS - 1) % 2 * size, target = 0;
        CHECK(cudaMemcpy(matrices, host.data(), host.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(input, x.data(), size * sizeof(unsigned), cudaMemcpyHostToDevice));
        measure("decode-layers-a", size, LAYERS, [&] {
            persistent<<<blocks, THREADS>>>((uint4 *)matrices, input, buffers, size, counter, target);
            target += blocks * (LAYERS - 1);
        });
        verify(host, x, result);
        measure("decode-layers-b", size, LAYERS, [&] {
            for (int l = 0; l < LAYERS; l++)
                single<<<blocks, THREADS>>>((uint4 *)(matrices + l * square),
                                            l == 0 ? input : buffers + (l + 1) % 2 * size,
                                            buffers + l % 2 * size, size);
        });
        verify(host, x, result);
        for (unsigned *p : {matrices, input, buffers, counter})
            CHECK(cudaFree(p));
    }
    return 0;
}
