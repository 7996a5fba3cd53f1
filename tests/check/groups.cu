/* Cooperative groups whose kind or size is known only when the program runs, and partitions of a group. */
// expect: right
// expect -DNO_SYNC: race "sum += box["
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ int sum_of(const cg::thread_group &group, int *box, int value)
{
    box[group.thread_rank()] = value;
#ifndef NO_SYNC
    group.sync();
#endif
    int sum = 0;
    for (unsigned i = 0; i < group.size(); i++)
        sum += box[i];
    group.sync();
    return sum;
}

__global__ void sums(int *out, unsigned size)
{
    __shared__ int box[64];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_group tile = cg::tiled_partition(block, size);
    int of_block = sum_of(block, box, 1);
    int of_tile = sum_of(tile, box + threadIdx.x / size * size, threadIdx.x);
    auto half = cg::binary_partition(cg::tiled_partition<32>(block), threadIdx.x & 1);
    auto third = cg::labeled_partition(cg::tiled_partition<32>(block), threadIdx.x % 3);
    out[threadIdx.x] = of_block * 1000 + of_tile +
                       (half.size() == 16 && half.thread_rank() == threadIdx.x % 32 / 2) +
                       (cg::group_size(third) - 10) * 100000;
}

int main()
{
    int *out, sum[64];
    cudaMalloc(&out, sizeof sum);
    sums<<<1, 64>>>(out, 8);
    cudaMemcpy(sum, out, sizeof sum, cudaMemcpyDeviceToHost);
    return sum[9] == 64000 + 92 + 1 + 100000 && sum[2] == 64000 + 28 + 1 ? 0 : 1;
}
