/* The functions of the CUDA runtime that return properties of a device or a kernel, and those that only
 * change a GPU's speed, which have no effect here. */
#ifndef GPUSYNC_CHECK_DEVICE_CALLS_H
#define GPUSYNC_CHECK_DEVICE_CALLS_H

/* Properties that the machine does not know are those of an H100 (CUDA C++ Programming Guide, "Technical
 * Specifications per Compute Capability", 9.0). */
static inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int)
{
    cudaDeviceProp p = cudaDeviceProp();
    snprintf(p.name, sizeof p.name, "the memory machine");
    int sms = 0, shared = 0;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0);
    p.totalGlobalMem = (size_t)1 << 33;
    p.sharedMemPerBlock = 48 << 10;
    p.sharedMemPerMultiprocessor = p.sharedMemPerBlockOptin = (size_t)shared;
    p.warpSize = 32;
    p.regsPerBlock = p.regsPerMultiprocessor = 65536;
    p.memPitch = 0x7fffffff;
    p.maxThreadsPerBlock = p.maxThreadsDim[0] = p.maxThreadsDim[1] = 1024;
    p.maxThreadsDim[2] = 64;
    p.maxGridSize[0] = 0x7fffffff;
    p.maxGridSize[1] = p.maxGridSize[2] = 65535;
    p.totalConstMem = 65536;
    p.textureAlignment = p.surfaceAlignment = 512;
    p.texturePitchAlignment = 32;
    p.maxThreadsPerMultiProcessor = 2048;
    p.multiProcessorCount = sms;
    p.major = 9;
    p.clockRate = p.memoryClockRate = 1000000;
    p.memoryBusWidth = 5120;
    p.l2CacheSize = 50 << 20;
    p.maxBlocksPerMultiProcessor = 32;
    p.asyncEngineCount = 1;
    p.singleToDoublePrecisionPerfRatio = 2;
    p.canMapHostMemory = p.deviceOverlap = p.concurrentKernels = p.unifiedAddressing = p.managedMemory =
        p.concurrentManagedAccess = p.cooperativeLaunch = p.clusterLaunch = p.memoryPoolsSupported =
            p.streamPrioritiesSupported = p.globalL1CacheSupported = p.localL1CacheSupported =
                p.hostRegisterSupported = p.canUseHostPointerForRegisteredMem = 1;
    *properties = p;
    return cudaSuccess;
}

#define ATTRIBUTES(ONE)                                                                                      \
    ONE(MaxThreadsPerBlock, 1, maxThreadsPerBlock)                                                           \
    ONE(MaxBlockDimX, 2, maxThreadsDim[0])                                                                   \
    ONE(MaxBlockDimY, 3, maxThreadsDim[1])                                                                   \
    ONE(MaxBlockDimZ, 4, maxThreadsDim[2])                                                                   \
    ONE(MaxGridDimX, 5, maxGridSize[0])                                                                      \
    ONE(MaxGridDimY, 6, maxGridSize[1])                                                                      \
    ONE(MaxGridDimZ, 7, maxGridSize[2])                                                                      \
    ONE(MaxSharedMemoryPerBlock, 8, sharedMemPerBlock)                                                       \
    ONE(TotalConstantMemory, 9, totalConstMem)                                                               \
    ONE(WarpSize, 10, warpSize)                                                                              \
    ONE(MaxPitch, 11, memPitch)                                                                              \
    ONE(MaxRegistersPerBlock, 12, regsPerBlock)                                                              \
    ONE(ClockRate, 13, clockRate)                                                                            \
    ONE(TextureAlignment, 14, textureAlignment)                                                              \
    ONE(GpuOverlap, 15, deviceOverlap)                                                                       \
    ONE(KernelExecTimeout, 17, kernelExecTimeoutEnabled)                                                     \
    ONE(Integrated, 18, integrated)                                                                          \
    ONE(CanMapHostMemory, 19, canMapHostMemory)                                                              \
    ONE(ComputeMode, 20, computeMode)                                                                        \
    ONE(SurfaceAlignment, 30, surfaceAlignment)                                                              \
    ONE(ConcurrentKernels, 31, concurrentKernels)                                                            \
    ONE(EccEnabled, 32, ECCEnabled)                                                                          \
    ONE(PciBusId, 33, pciBusID)                                                                              \
    ONE(PciDeviceId, 34, pciDeviceID)                                                                        \
    ONE(MemoryClockRate, 36, memoryClockRate)                                                                \
    ONE(GlobalMemoryBusWidth, 37, memoryBusWidth)                                                            \
    ONE(L2CacheSize, 38, l2CacheSize)                                                                        \
    ONE(MaxThreadsPerMultiProcessor, 39, maxThreadsPerMultiProcessor)                                        \
    ONE(AsyncEngineCount, 40, asyncEngineCount)                                                              \
    ONE(UnifiedAddressing, 41, unifiedAddressing)                                                            \
    ONE(PciDomainId, 50, pciDomainID)                                                                        \
    ONE(TexturePitchAlignment, 51, texturePitchAlignment)                                                    \
    ONE(ComputeCapabilityMajor, 75, major)                                                                   \
    ONE(ComputeCapabilityMinor, 76, minor)                                                                   \
    ONE(StreamPrioritiesSupported, 78, streamPrioritiesSupported)                                            \
    ONE(GlobalL1CacheSupported, 79, globalL1CacheSupported)                                                  \
    ONE(LocalL1CacheSupported, 80, localL1CacheSupported)                                                    \
    ONE(MaxRegistersPerMultiprocessor, 82, regsPerMultiprocessor)                                            \
    ONE(ManagedMemory, 83, managedMemory)                                                                    \
    ONE(HostNativeAtomicSupported, 86, hostNativeAtomicSupported)                                            \
    ONE(SingleToDoublePrecisionPerfRatio, 87, singleToDoublePrecisionPerfRatio)                              \
    ONE(PageableMemoryAccess, 88, pageableMemoryAccess)                                                      \
    ONE(ConcurrentManagedAccess, 89, concurrentManagedAccess)                                                \
    ONE(ComputePreemptionSupported, 90, computePreemptionSupported)                                          \
    ONE(CanUseHostPointerForRegisteredMem, 91, canUseHostPointerForRegisteredMem)                            \
    ONE(MaxSharedMemoryPerBlockOptin, 97, sharedMemPerBlockOptin)                                            \
    ONE(HostRegisterSupported, 99, hostRegisterSupported)                                                    \
    ONE(MaxBlocksPerMultiprocessor, 106, maxBlocksPerMultiProcessor)                                         \
    ONE(MaxPersistingL2CacheSize, 108, persistingL2CacheMaxSize)                                             \
    ONE(MaxAccessPolicyWindowSize, 109, accessPolicyMaxWindowSize)                                           \
    ONE(ReservedSharedMemoryPerBlock, 111, reservedSharedMemPerBlock)                                        \
    ONE(MemoryPoolsSupported, 115, memoryPoolsSupported)                                                     \
    ONE(ClusterLaunch, 120, clusterLaunch)
#define ATTRIBUTE(name, number, member)                                                                      \
    static constexpr cudaDeviceAttr cudaDevAttr##name = (cudaDeviceAttr)number;
ATTRIBUTES(ATTRIBUTE)
#undef ATTRIBUTE

namespace gpusync_check
{
static inline cudaError_t device_attribute(int *value, cudaDeviceAttr attribute, int device)
{
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, device);
#define ATTRIBUTE(name, number, member)                                                                      \
    case number:                                                                                             \
        *value = (int)properties.member;                                                                     \
        return cudaSuccess;
    switch ((int)attribute) {
        ATTRIBUTES(ATTRIBUTE)
    }
#undef ATTRIBUTE
    return (cudaDeviceGetAttribute)(value, attribute, device);
}
} // namespace gpusync_check
#undef ATTRIBUTES
/* This replaces the machine's own function, which knows only three attributes, by one that knows all
 * attributes in cudaDeviceProp. */
#define cudaDeviceGetAttribute(...) gpusync_check::device_attribute(__VA_ARGS__)

static inline cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}
static inline cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *)
{
    return cudaGetDevice(device);
}
static inline cudaError_t cudaDriverGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}
static inline cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}
/* There is only one device, so it has no peer. */
static inline cudaError_t cudaDeviceCanAccessPeer(int *can, int, int)
{
    *can = 0;
    return cudaSuccess;
}
static inline cudaError_t cudaDeviceGetP2PAttribute(int *value, cudaDeviceP2PAttr, int, int)
{
    *value = 0;
    return cudaErrorInvalidDevice;
}
static inline cudaError_t cudaDeviceEnablePeerAccess(int, unsigned)
{
    return cudaErrorInvalidDevice;
}
static inline cudaError_t cudaDeviceDisablePeerAccess(int)
{
    return cudaErrorInvalidDevice;
}
static inline const char *cudaGetErrorName(cudaError_t error)
{
    return cudaGetErrorString(error);
}

/* Defines functions that configure caches, stacks or processors. They have no effect on the machine. */
#define NOTHING(name, ...)                                                                                   \
    static inline cudaError_t name(__VA_ARGS__)                                                              \
    {                                                                                                        \
        return cudaSuccess;                                                                                  \
    }
NOTHING(cudaSetDeviceFlags, unsigned)
NOTHING(cudaDeviceSetCacheConfig, cudaFuncCache)
NOTHING(cudaDeviceSetSharedMemConfig, cudaSharedMemConfig)
NOTHING(cudaStreamSetAttribute, cudaStream_t, cudaStreamAttrID, const cudaStreamAttrValue *)
NOTHING(cudaCtxResetPersistingL2Cache)
NOTHING(cudaProfilerStart)
NOTHING(cudaProfilerStop)
#undef NOTHING
template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel, cudaFuncAttribute, int)
{
    return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaFuncSetCacheConfig(Kernel, cudaFuncCache)
{
    return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaFuncSetSharedMemConfig(Kernel, cudaSharedMemConfig)
{
    return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, Kernel)
{
    *attributes = cudaFuncAttributes();
    attributes->maxThreadsPerBlock = 1024;
    attributes->numRegs = 32; /* registers are not modelled */
    attributes->ptxVersion = attributes->binaryVersion = 90;
    attributes->maxDynamicSharedSizeBytes = 48 << 10;
    return cudaSuccess;
}
/* Sets the size of the heap from which kernels take memory, in bytes. Other limits are accepted and have no
 * effect. */
static inline cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value)
{
    return limit == cudaLimitMallocHeapSize ? machine_set_heap_size(value) : cudaSuccess;
}
static inline cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit)
{
    *value = limit == cudaLimitMallocHeapSize ? machine_heap_size() : 1 << 20;
    return cudaSuccess;
}
static inline cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    *least = 0;
    *greatest = -5;
    return cudaSuccess;
}

/* ---- how many blocks fit ---- */

template <class... Parameters>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void (*kernel)(Parameters...),
                                                          int threads, size_t bytes)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, threads, bytes);
}
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, Kernel kernel, int threads,
                                                                   size_t bytes, unsigned)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, threads, bytes);
}
/* Sets *threads to the largest size of a block, up to `limit`, and *blocks to the number of such blocks that
 * fill the device. `bytes` returns the dynamic shared memory of a block with a given number of threads. */
template <class Kernel, class Bytes>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *blocks, int *threads, Kernel kernel,
                                                           Bytes bytes, int limit = 0)
{
    int sms = 0, in_one = 0;
    *threads = limit > 0 && limit < 1024 ? limit : 1024;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&in_one, (const void *)kernel, *threads, bytes(*threads));
    *blocks = in_one * sms;
    return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *blocks, int *threads, Kernel kernel, size_t bytes = 0,
                                               int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        blocks, threads, kernel, [bytes](int) { return bytes; }, limit);
}

#endif
