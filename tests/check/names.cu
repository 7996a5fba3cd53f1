/* The names of CUDA's built-in variables may be a program's own names of members, parameters, functions,
 * variables. */
// expect: right
#include <cuda_runtime.h>

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
    int *out, value[64];
    cudaMalloc(&out, sizeof value);
    fill<32><<<gridDim, blockDim>>>(out, NULL);
    cudaMemcpy(value, out, sizeof value, cudaMemcpyDeviceToHost);
    return value[63] == 98 && threads(s.gridDim, s.warpSize) == 0 ? 0 : 1;
}
