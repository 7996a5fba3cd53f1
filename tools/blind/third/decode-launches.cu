// Kernels of different sizes one after the other on a stream, as in the decoding of a token without graphs.
// A layer: a norm (1 block), a big kernel, 8 blocks, a big kernel. ns per kernel; the number: big's blocks.
#include "../blind.h"

static const int LAYERS = 6, KERNELS = 4;

__global__ void norm(const unsigned *x, unsigned *scale, int count)
{
    __shared__ unsigned sums[32];
    unsigned sum = 0;
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        sum += x[i];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned w = 1; w < blockDim.x / 32; w++)
            sum += sums[w];
        *scale = sum | 1;
    }
}

__global__ void project(const unsigned *x, const unsigned *scale, unsigned *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i] * *scale + i;
}

__global__ void attend(unsigned *y, int count)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        y[i] ^= y[i] >> 7;
}

__global__ void expand(const unsigned *y, unsigned *x, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = y[i] + 3 * y[(i + 129) % count];
}

static void verify(const std::vector<unsigned> &input, unsigned *x)
{
    int count = (int)input.size();
    std::vector<unsigned> got(count), value = input, y(count);
    for (int l = 0; l < LAYERS; l++) {
        unsigned sum = 0;
        for (unsigned word : value)
            sum += word;
        for (int i = 0; i < count; i++) {
            y[i] = value[i] * (sum | 1) + i;
            y[i] ^= y[i] >> 7;
        }
        for (int i = 0; i < count; i++)
            value[i] = y[i] + 3 * y[(i + 129) % count];
    }
    CHECK(cudaMemcpy(got.data(), x, count * sizeof(unsigned), cudaMemcpyDeviceToHost));
    if (got != value) {
        fprintf(stderr, "decode-launches: wrong result for %d words\n", count);
        exit(1);
    }
}

int main()
{
    for (int blocks : {4, 32, 132}) {
        const int threads = 128;
        int count = blocks * threads;
        std::vector<unsigned> host(count);
        for (int i = 0; i < count; i++)
            host[i] = i * 2654435761u >> 3;
        unsigned *input = words(count), *x = words(count), *y = words(count), *scale = words(1);
        CHECK(cudaMemcpy(input, host.data(), count * sizeof(unsigned), cudaMemcpyHostToDevice));
        measure("decode-launches", blocks, LAYERS * KERNELS, [&] {
            for (int l = 0; l < LAYERS; l++) {
                const unsigned *from = l == 0 ? input : x;
                norm<<<1, 256>>>(from, scale, count);
                project<<<blocks, threads>>>(from, scale, y);
                attend<<<8, 256>>>(y, count);
                expand<<<blocks, threads>>>(y, x, count);
            }
        });
        verify(host, x);
        for (unsigned *p : {input, x, y, scale})
            CHECK(cudaFree(p));
    }
    return 0;
}
