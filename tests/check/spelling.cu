/* CUDA allows several spellings: code chosen by architecture, inline PTX of a library, tiles without their
 * parent, named barriers whose number is in a register, __shared__ after the type, and CUDA's built-in
 * variables as names of a program's own members, parameters, functions and variables. */
// expect: right
#include "tools/bugs/bug.h"
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

struct shape {
    dim3 gridDim, blockDim;
    int warpSize;
};

namespace host
{
int gridDim(int n)
{
    return (n + 31) / 32;
}
} // namespace host

static int threads(const dim3 &blockDim, int warpSize)
{
    return (int)(blockDim.x * blockDim.y) / warpSize * warpSize;
}

template <int warpSize>
__global__ void fill(int *out, const int *none)
{
    if (!none && threadIdx.x < warpSize)
        out[blockIdx.x * warpSize + threadIdx.x] = (int)(blockDim.x + gridDim.x) + ::warpSize;
}

int main()
{
    cudaDeviceProp device;
    cudaGetDeviceProperties(&device, 0);
    shape s = {dim3(2), dim3(64), device.warpSize};
    dim3 gridDim(host::gridDim(64)), blockDim = s.blockDim;
    int *out = new_array(64);
    spell<<<1, 64, 256>>>(out, 1);
    if (is_wrong(out, 64, [](int) { return 3 + 31 + 3; }))
        return 1;
    fill<32><<<gridDim, blockDim>>>(out, NULL);
    return is_wrong(out, 64, [](int) { return 98; }) || threads(s.gridDim, s.warpSize) != 0;
}
