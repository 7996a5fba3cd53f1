/* The functions of the CUDA runtime that machine/runtime_api.h lacks: launches by `<<<>>>`, functions that
 * are templates in CUDA, too, and functions that ask about a device. */
#ifndef GPUSYNC_CHECK_RUNTIME_H
#define GPUSYNC_CHECK_RUNTIME_H

#include <tuple>
#include <type_traits>
#include <utility>

namespace gpusync_check
{
constexpr unsigned product(unsigned x = 1, unsigned y = 1, unsigned z = 1)
{
    return x * y * z;
}

/* The type of a variable that the program declares outside of functions as `extern __shared__ T name[]`.
 * check/rewrite gives it this type, which converts to a pointer to the block's dynamic shared memory. */
template <class T>
struct dynamic_array {
    CHECK_METHOD operator T *() const { return (T *)machine_dynamic_shared(); }
};

/* A kernel together with its arguments; each thread of a launch calls it. The host has converted the
 * arguments to the types of the kernel's parameters. */
template <class Kernel, class... Parameters>
struct call {
    Kernel kernel;
    std::tuple<Parameters...> arguments;
    void operator()() const { std::apply(kernel, arguments); }
};
template <class... Parameters, class... Arguments>
call<void (*)(Parameters...), std::decay_t<Parameters>...> typed(
    void (*kernel)(Parameters...),
    Arguments &&...arguments) requires(sizeof...(Parameters) == sizeof...(Arguments) &&
                                       (std::is_convertible_v<Arguments &&, std::decay_t<Parameters>> && ...))
{
    return {kernel, {static_cast<std::decay_t<Parameters>>(arguments)...}};
}
/* Returns the `call` of a kernel template. The compiler deduces the template's arguments from the arguments
 * of the launch. */
template <class Kernel, class... Arguments>
call<Kernel, std::decay_t<Arguments>...> deduced(Kernel kernel, Arguments &&...arguments)
{
    return {kernel, {arguments...}};
}

/* A launch. check/rewrite rewrites kernel<<<grid, block, bytes, stream>>>(arguments) as
 * launch(...)(arguments), and `make` makes a struct call of the kernel and the arguments. */
template <class Make>
struct launcher {
    Make make;
    dim3 grid, block;
    size_t shared_bytes;
    cudaStream_t stream;
    const char *name;
    /* number of blocks in a cluster, from the kernel's __cluster_dims__; 0 means that it has no clusters */
    unsigned cluster;

    template <class... Arguments>
    void operator()(Arguments &&...arguments) const
    {
        auto closure = make(arguments...);
        machine_launch launch = machine_launch_of(closure, nullptr, grid, block, shared_bytes);
        launch.name = name;
        if constexpr (std::is_pointer_v<decltype(closure.kernel)>)
            launch.code = (const void *)closure.kernel;
        launch.cluster = cluster;
        machine_launch_kernel(&launch, stream);
    }
};
template <class Make>
launcher<Make> launch(const char *name, unsigned cluster, Make make, dim3 grid, dim3 block,
                      size_t shared_bytes = 0, cudaStream_t stream = nullptr)
{
    return {make, grid, block, shared_bytes, stream, name, cluster};
}

/* Launches a kernel whose arguments are given as an array of pointers to them. */
template <class... Parameters, size_t... I>
cudaError_t launch_array(void (*kernel)(Parameters...), dim3 grid, dim3 block, void **arguments, size_t bytes,
                         cudaStream_t stream, int cooperative, std::index_sequence<I...>)
{
    std::tuple<std::decay_t<Parameters>...> copy{*(std::decay_t<Parameters> *)arguments[I]...};
    auto closure = [kernel, copy] { std::apply(kernel, copy); };
    machine_launch launch = machine_launch_of(closure, (const void *)kernel, grid, block, bytes);
    launch.cooperative = cooperative;
    return machine_launch_kernel(&launch, stream);
}
} // namespace gpusync_check

template <class... Parameters>
cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block,
                                        void **arguments, size_t bytes = 0, cudaStream_t stream = nullptr)
{
    return gpusync_check::launch_array(kernel, grid, block, arguments, bytes, stream, 1,
                                       std::index_sequence_for<Parameters...>());
}
template <class... Parameters>
cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void **arguments,
                             size_t bytes = 0, cudaStream_t stream = nullptr)
{
    return gpusync_check::launch_array(kernel, grid, block, arguments, bytes, stream, 0,
                                       std::index_sequence_for<Parameters...>());
}

/* Allocates memory for a pointer to any type, as the C++ interface of the CUDA runtime does. */
template <class T>
cudaError_t cudaMalloc(T **pointer, size_t bytes)
{
    return (cudaMalloc)((void **)pointer, bytes);
}
template <class T>
cudaError_t cudaMallocHost(T **pointer, size_t bytes, unsigned = 0)
{
    return (cudaMallocHost)((void **)pointer, bytes);
}
template <class T>
cudaError_t cudaHostAlloc(T **pointer, size_t bytes, unsigned)
{
    return (cudaMallocHost)((void **)pointer, bytes);
}
enum { cudaMemAttachGlobal = 1, cudaHostAllocDefault = 0, cudaHostAllocMapped = 2 };
template <class T>
cudaError_t cudaMallocManaged(T **pointer, size_t bytes, unsigned = cudaMemAttachGlobal)
{
    return (cudaMallocHost)((void **)pointer, bytes);
}
template <class T>
cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaStream_t)
{
    return (cudaMalloc)((void **)pointer, bytes);
}
static inline cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    cudaStreamSynchronize(stream);
    return cudaFree(pointer);
}
/* These overloads leave out the last parameters, for which the CUDA runtime has default values. */
static inline cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes)
{
    return cudaMemsetAsync(to, value, bytes, nullptr);
}
static inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    return cudaMemcpyAsync(to, from, bytes, kind, nullptr);
}
static inline cudaError_t cudaEventRecord(cudaEvent_t event)
{
    return cudaEventRecord(event, nullptr);
}
static inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event)
{
    return cudaStreamWaitEvent(stream, event, 0);
}
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph)
{
    return cudaGraphInstantiate(executable, graph, 0);
}
static inline cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned)
{
    *device = host;
    return cudaSuccess;
}
template <class T>
cudaError_t cudaMemcpyToSymbol(T &symbol, const void *from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind = cudaMemcpyHostToDevice)
{
    return cudaMemcpy((char *)&symbol + offset, from, bytes, cudaMemcpyHostToDevice);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind = cudaMemcpyDeviceToHost)
{
    return cudaMemcpy(to, (const char *)&symbol + offset, bytes, cudaMemcpyDeviceToHost);
}
template <class T>
cudaError_t cudaGetSymbolAddress(void **address, const T &symbol)
{
    *address = (void *)&symbol;
    return cudaSuccess;
}
static inline cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t stop)
{
    double units_per_second = machine_clock_hz();
    *milliseconds = (float)(machine_event_elapsed(start, stop) * 1e3 / units_per_second);
    return cudaSuccess;
}
static inline cudaError_t cudaEventSynchronize(cudaEvent_t)
{
    return cudaDeviceSynchronize();
}
static inline cudaError_t cudaEventQuery(cudaEvent_t)
{
    return cudaDeviceSynchronize();
}
static inline cudaError_t cudaThreadSynchronize()
{
    return cudaDeviceSynchronize();
}
static inline cudaError_t cudaDeviceReset()
{
    return cudaDeviceSynchronize();
}
static inline const char *cudaGetErrorName(cudaError_t error)
{
    return cudaGetErrorString(error);
}
static inline cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerMultiprocessor, sharedMemPerBlockOptin;
    /* returns the member warpSize of cudaDeviceProp, whose name is a macro here */
    int machine_warp_size() const { return 32; }
    int maxThreadsPerBlock, maxThreadsPerMultiProcessor, multiProcessorCount, major, minor, regsPerBlock,
        clockRate, memoryClockRate, l2CacheSize, cooperativeLaunch, maxBlocksPerMultiProcessor;
};
static inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int)
{
    *properties = cudaDeviceProp{};
    snprintf(properties->name, sizeof properties->name, "the memory machine");
    int sms = 0, shared = 0;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0);
    properties->totalGlobalMem = (size_t)1 << 33;
    properties->sharedMemPerBlock = 48 << 10;
    properties->sharedMemPerMultiprocessor = properties->sharedMemPerBlockOptin = (size_t)shared;
    properties->maxThreadsPerBlock = 1024;
    properties->maxThreadsPerMultiProcessor = 2048;
    properties->multiProcessorCount = sms;
    properties->major = 9;
    properties->regsPerBlock = 65536;
    properties->clockRate = properties->memoryClockRate = 1000000;
    properties->l2CacheSize = 50 << 20;
    properties->cooperativeLaunch = 1;
    properties->maxBlocksPerMultiProcessor = 32;
    return cudaSuccess;
}
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout,
    cudaFuncAttributeNonPortableClusterSizeAllowed
};
enum { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual };
template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel, cudaFuncAttribute, int)
{
    return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaFuncSetCacheConfig(Kernel, int)
{
    return cudaSuccess;
}
template <class... Parameters>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void (*kernel)(Parameters...),
                                                          int threads, size_t bytes)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, threads, bytes);
}
static inline cudaError_t cudaMemPrefetchAsync(const void *, size_t, int, cudaStream_t = nullptr)
{
    return cudaSuccess;
}

#endif
