/* What the time model lacks, each in a kernel of its own (tests/predict), and a kernel that uses none. */
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_pipeline.h>

__global__ void plain(int *out)
{
    __shared__ int sums[32][32]; // bank conflicts are modelled
    sums[threadIdx.x % 32][0] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = sums[threadIdx.x % 32][0];
}

__global__ void copies(int *out)
{
    __shared__ int words[32];
    __pipeline_memcpy_async(&words[threadIdx.x], &out[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = words[threadIdx.x] + 1;
}

__global__ void texture(cudaTextureObject_t from, int *out)
{
    out[threadIdx.x] = tex1Dfetch<int>(from, threadIdx.x);
}

__global__ void __cluster_dims__(2) neighbours(int *out, unsigned distance)
{
    namespace cg = cooperative_groups;
    __shared__ int word;
    cg::cluster_group cluster = cg::this_cluster();
    word = 1;
    cluster.sync();
    out[blockIdx.x] = *cluster.map_shared_rank(&word, cluster.block_rank() ^ distance);
    cluster.sync();
}

#ifdef LARGE /* takes the compiler seconds */
#define FOUR(x) x x x x
#define OFTEN(x) FOUR(FOUR(FOUR(FOUR(FOUR(FOUR(x))))))
__global__ void large(int *out)
{
    int x = out[threadIdx.x], y = threadIdx.x;
    OFTEN(x = x * 5 ^ y; y = y * 3 + x;)
    out[threadIdx.x] = x + y;
}
#endif

__global__ void through_l2(const int *from, int *out, size_t n)
{
    int sum = 0;
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += from[32 * i];
    out[threadIdx.x] = sum;
}

int main(int argc, char **argv)
{
    int *memory;
    char uses = argc > 1 ? *argv[1] : '-';
    size_t bytes = uses == 'l' || uses == 'h' || uses == 'r' ? 96 << 20 : 4096;
    if (uses == 'g')
        cudaMallocManaged(&memory, bytes);
    else
        cudaMalloc(&memory, bytes);
    cudaMemset(memory, 0, bytes);
    if (uses == 'c') {
        copies<<<1, 32>>>(memory);
    } else if (uses == 't') {
        cudaResourceDesc resource = {};
        cudaTextureDesc how = {};
        cudaTextureObject_t from;
        resource.resType = cudaResourceTypeLinear;
        resource.res.linear.devPtr = memory;
        resource.res.linear.desc = cudaCreateChannelDesc<int>();
        resource.res.linear.sizeInBytes = 4096;
        cudaCreateTextureObject(&from, &resource, &how, NULL);
        texture<<<1, 32>>>(from, memory);
    } else if (uses == 'n') {
        neighbours<<<2, 32>>>(memory, 1);
    } else if (uses == 'm') {
        neighbours<<<2, 32>>>(memory, 0);
#ifdef LARGE
    } else if (uses == 'i') {
        large<<<1, 32>>>(memory);
#endif
    } else if (uses == 'l') {
        through_l2<<<132, 256>>>(memory, memory, bytes / 128);
    } else if (uses == 'p') {
        const int *of_host;
        const size_t host_bytes = 96 << 20;
        cudaMallocHost(&of_host, host_bytes);
        through_l2<<<132, 256>>>(of_host, memory, host_bytes / 128);
    } else if (uses == 'r') {
        for (int i = 0; i < 4; i++)
            through_l2<<<132, 256>>>(memory, memory, bytes / 512);
    } else {
        plain<<<1, 32>>>(memory);
    }
    return cudaDeviceSynchronize();
}
