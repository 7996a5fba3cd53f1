/* CUDA allows several spellings: code chosen by architecture, inline PTX of a library, tiles without their
 * parent, named barriers whose number is in a register, and __shared__ after the type. */
// expect: right
#include "library.cuh"
#include <cooperative_groups.h>
#include <nv/target>
namespace cg = cooperative_groups;

__global__ void spell(int *out, int barrier)
{
    extern int __shared__ words[];
    int __shared__ sum;
    __shared__ int v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16, v17;
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cg::this_thread_block());
    int value = 0;
    NV_IF_ELSE_TARGET(NV_PROVIDES_SM_70, (value += 1;), (value += 100;))
    NV_IF_TARGET(NV_IS_HOST, (value += 200;))
    NV_DISPATCH_TARGET(NV_PROVIDES_SM_120, (value += 300;), NV_PROVIDES_SM_90, (value += 2;), NV_IS_HOST,
                       (value += 400;))
    words[threadIdx.x] = value + (int)lane_of_library();
    asm volatile("barrier.sync %0;" ::"r"(barrier) : "memory");
    __barrier_sync(0);
    if (threadIdx.x == 0)
        sum = words[63];
    __barrier_sync_count(2, 64);
    out[threadIdx.x] = sum + tile.shfl(value, 0);
}

int main()
{
    int *out, h[64];
    cudaMalloc(&out, sizeof h);
    spell<<<1, 64, 256>>>(out, 1);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++)
        if (h[i] != 3 + 31 + 3)
            return 1;
    return 0;
}
