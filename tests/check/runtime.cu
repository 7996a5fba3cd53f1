/* Functions of the CUDA runtime for rows and planes, symbols and attributes, and functions that only change
 * the speed. Also virtual functions, and the C++ library's atomics in host code. */
// expect: right
// expect -DWITHOUT_ATOMICS: race "*count + 1"
// expect -DBESIDE_THE_ROW: outside "row[column] = "
#include <atomic>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

struct shape {
    virtual int corners() const { return 0; }
    virtual ~shape() = default;
};
struct square : shape {
    int corners() const override { return 4; }
};

__constant__ int factor;

__global__ void fill(char *rows, size_t pitch, int width, int height)
{
    int column = threadIdx.x;
    if (column < width && (int)blockIdx.x < height) {
        int *row = (int *)(rows + blockIdx.x * pitch);
#ifdef BESIDE_THE_ROW
        row += 256;
#endif
        row[column] = factor * (int)blockIdx.x + column;
    }
}

__global__ void count_up(int *count)
{
#ifdef WITHOUT_ATOMICS
    *count = *count + 1;
#else
    atomicAdd_system(count, 1);
#endif
}

__global__ void nothing() {}

/* Returns how many launches are wrongly refused, or wrongly not: a grid has blocks, and whole clusters, which
 * have more than 8 blocks only if that is allowed. */
static int wrong_launches()
{
    int wrong_count = 0;
    for (unsigned blocks = 0; blocks < 20; blocks++)
        for (unsigned cluster = 1; cluster < 12; cluster++) {
            bool is_allowed = blocks % 3 == cluster % 2;
            cudaFuncSetAttribute(nothing, cudaFuncAttributeNonPortableClusterSizeAllowed, is_allowed);
            cudaLaunchConfig_t config = {};
            cudaLaunchAttribute attribute;
            attribute.id = cudaLaunchAttributeClusterDimension;
            attribute.val.clusterDim = {cluster, 1, 1};
            config.gridDim = blocks;
            config.blockDim = 1;
            config.attrs = &attribute;
            config.numAttrs = 1;
            bool is_right = blocks && blocks % cluster == 0 && (cluster <= 8 || is_allowed);
            wrong_count += is_right != (cudaLaunchKernelEx(&config, nothing) == cudaSuccess);
        }
    cudaGetLastError();
    return wrong_count;
}

int main()
{
    const int width = 20, height = 3, hundred = 100;
    int host[height][width], *count, *fixed = new int(0);
    std::atomic<int> wrong{0};
    cudaDeviceProp device;
    cudaFuncAttributes attributes;
    int blocks, threads, sixty_four;
    cudaGetDeviceProperties(&device, 0);
    cudaDeviceGetAttribute(&sixty_four, cudaDevAttrMaxBlockDimZ, 0);
    cudaFuncGetAttributes(&attributes, fill);
    cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, fill);
    wrong += device.warpSize != 32 || sixty_four != device.maxThreadsDim[2] ||
             attributes.maxThreadsPerBlock < threads;
    wrong += wrong_launches();
    cudaProfilerStart();
    cudaMemcpyToSymbol(factor, &hundred, sizeof factor);
    cudaPitchedPtr p;
    cudaMalloc3D(&p, make_cudaExtent(width * sizeof(int), height, 1));
    fill<<<height, 32>>>((char *)p.ptr, p.pitch, width, height);
    cudaMemcpy2D(host, sizeof host[0], p.ptr, p.pitch, sizeof host[0], height, cudaMemcpyDeviceToHost);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            wrong += host[y][x] != 100 * y + x;
    cudaHostRegister(fixed, sizeof *fixed, cudaHostRegisterMapped);
    cudaHostGetDevicePointer(&count, fixed, 0);
    count_up<<<2, 32>>>(count);
    wrong += cudaDeviceSynchronize() != cudaSuccess || *fixed != 64;
    cudaHostUnregister(fixed);
    delete fixed;
    std::atomic_thread_fence(std::memory_order_seq_cst);
    int unlike = wrong + 1;
    wrong += wrong.compare_exchange_strong(unlike, 0);
    shape *s = new square;
    wrong += s->corners() != 4;
    delete s;
    return wrong;
}
