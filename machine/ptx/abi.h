/*
 * Structs and numbers of CUDA's runtime and driver, as programs compiled by nvcc 12 or 13 pass them to
 * functions (CUDA Runtime API, "Data types used by CUDA Runtime"). NVIDIA's own headers cannot be included
 * together with machine/runtime_api.h, and may not be there. tests/cuda_abi compares the two.
 */
#ifndef MACHINE_PTX_ABI_H
#define MACHINE_PTX_ABI_H

#include "machine/runtime_api.h"

/* Errors that machine/runtime_api.h does not name. */
#define CUDA_ERROR(number) ((cudaError_t)(number))
#define cudaErrorInvalidPitchValue CUDA_ERROR(12)
#define cudaErrorInvalidSymbol CUDA_ERROR(13)
#define cudaErrorInvalidDevicePointer CUDA_ERROR(17)
#define cudaErrorInvalidChannelDescriptor CUDA_ERROR(20)
#define cudaErrorInvalidMemcpyDirection CUDA_ERROR(21)
#define cudaErrorInvalidFilterSetting CUDA_ERROR(26)
#define cudaErrorInvalidNormSetting CUDA_ERROR(27)
#define cudaErrorMissingConfiguration CUDA_ERROR(52)
#define cudaErrorInvalidDeviceFunction CUDA_ERROR(98)
#define cudaErrorInvalidKernelImage CUDA_ERROR(200)
#define cudaErrorUnsupportedLimit CUDA_ERROR(215)
#define cudaErrorPeerAccessUnsupported CUDA_ERROR(217)
#define cudaErrorInvalidPtx CUDA_ERROR(218)
#define cudaErrorFileNotFound CUDA_ERROR(301)
#define cudaErrorInvalidResourceHandle CUDA_ERROR(400)
#define cudaErrorSymbolNotFound CUDA_ERROR(500)
#define cudaErrorHostMemoryNotRegistered CUDA_ERROR(713)

/* ---- devices ---- */

/* The members of cudaDeviceProp. `OLD` gets the members that only CUDA 12 has. */
#define CUDA_DEVICE_PROPERTIES(OLD)                                                                          \
    char name[256], uuid[16], luid[8];                                                                       \
    unsigned luidDeviceNodeMask;                                                                             \
    size_t totalGlobalMem, sharedMemPerBlock;                                                                \
    int regsPerBlock, warpSize;                                                                              \
    size_t memPitch;                                                                                         \
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];                                                \
    OLD(int clockRate;)                                                                                      \
    size_t totalConstMem;                                                                                    \
    int major, minor;                                                                                        \
    size_t textureAlignment, texturePitchAlignment;                                                          \
    OLD(int deviceOverlap;)                                                                                  \
    int multiProcessorCount;                                                                                 \
    OLD(int kernelExecTimeoutEnabled;)                                                                       \
    int integrated, canMapHostMemory;                                                                        \
    OLD(int computeMode;)                                                                                    \
    int maxTexture1D, maxTexture1DMipmap;                                                                    \
    OLD(int maxTexture1DLinear;)                                                                             \
    int maxTexture2D[2], maxTexture2DMipmap[2], maxTexture2DLinear[3], maxTexture2DGather[2];                \
    int maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap, maxTexture1DLayered[2];                      \
    int maxTexture2DLayered[3], maxTextureCubemapLayered[2], maxSurface1D, maxSurface2D[2];                  \
    int maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap;                  \
    int maxSurfaceCubemapLayered[2];                                                                         \
    size_t surfaceAlignment;                                                                                 \
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount;      \
    int unifiedAddressing;                                                                                   \
    OLD(int memoryClockRate;)                                                                                \
    int memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor;                  \
    int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;                            \
    size_t sharedMemPerMultiprocessor;                                                                       \
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID;                         \
    int hostNativeAtomicSupported;                                                                           \
    OLD(int singleToDoublePrecisionPerfRatio;)                                                               \
    int pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported;                           \
    int canUseHostPointerForRegisteredMem, cooperativeLaunch;                                                \
    OLD(int cooperativeMultiDeviceLaunch;)                                                                   \
    size_t sharedMemPerBlockOptin;                                                                           \
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost;                              \
    int maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;                                               \
    size_t reservedSharedMemPerBlock;                                                                        \
    int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported;                      \
    int timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;                     \
    unsigned gpuDirectRDMAFlushWritesOptions;                                                                \
    int gpuDirectRDMAWritesOrdering;                                                                         \
    unsigned memoryPoolSupportedHandleTypes;                                                                 \
    int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers;
#define CUDA_OLD_YES(member) member
#define CUDA_OLD_NO(member)
struct cuda_properties_12 {
    CUDA_DEVICE_PROPERTIES(CUDA_OLD_YES)
    int reserved[63];
};
struct cuda_properties_13 {
    CUDA_DEVICE_PROPERTIES(CUDA_OLD_NO)
    int deviceNumaConfig, deviceNumaId, mpsEnabled, hostNumaId;
    unsigned gpuPciDeviceID, gpuPciSubsystemID;
    int hostNumaMultinodeIpcSupported, reserved[56];
};

/* ---- kernels ---- */

struct cuda_function_attributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes,
        preferredShmemCarveout, clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight,
        requiredClusterDepth, clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed, reserved[16];
};
/* FUNCTION_ATTRIBUTES is the number of values of cudaFuncAttribute. cudaFuncSetAttribute() can set only the
 * values from FUNCTION_DYNAMIC_SHARED on. */
enum { FUNCTION_DYNAMIC_SHARED = 8, FUNCTION_LARGE_CLUSTERS = 14, FUNCTION_ATTRIBUTES = 16 };

/* The numbers of cudaLaunchAttributeID. */
enum { LAUNCH_COOPERATIVE = 2, LAUNCH_CLUSTER = 4, LAUNCH_PROGRAMMATIC = 6 };
struct cuda_launch_attribute {
    int id;
    union {
        char whole[64];
        int is_on;
        struct machine_index cluster;
    } value __attribute__((aligned(8)));
};
#define CUDA_COOPERATIVE ((struct cuda_launch_attribute){LAUNCH_COOPERATIVE, {.is_on = 1}})
struct cuda_launch_configuration {
    struct machine_index gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    const struct cuda_launch_attribute *attrs;
    unsigned numAttrs;
};
/* CUlaunchConfig, the driver's form of cudaLaunchConfig_t */
struct cuda_driver_launch_configuration {
    struct machine_index gridDim, blockDim;
    unsigned sharedMemBytes;
    cudaStream_t hStream;
    const struct cuda_launch_attribute *attrs;
    unsigned numAttrs;
};

/* ---- memory ---- */

struct cuda_pitched_pointer {
    void *ptr;
    size_t pitch, xsize, ysize;
};
struct cuda_extent {
    size_t width, height, depth;
};
struct cuda_position {
    size_t x, y, z;
};
struct cuda_array;
struct cuda_copy_3d {
    struct cuda_array *srcArray;
    struct cuda_position srcPos;
    struct cuda_pitched_pointer srcPtr;
    struct cuda_array *dstArray;
    struct cuda_position dstPos;
    struct cuda_pitched_pointer dstPtr;
    struct cuda_extent extent;
    int kind;
};
struct cuda_pointer_attributes {
    int type, device;
    void *devicePointer, *hostPointer;
    long reserved[8];
};
struct cuda_pool_properties {
    int allocType, handleTypes, location[2];
    void *win32SecurityAttributes;
    size_t maxSize;
    unsigned short usage;
    unsigned char reserved[54];
};

/* ---- textures ---- */

enum { FORMAT_SIGNED, FORMAT_UNSIGNED, FORMAT_FLOAT }; /* the numbers of cudaChannelFormatKind */
struct cuda_format {
    int x, y, z, w, f;
};
enum { RESOURCE_ARRAY, RESOURCE_MIPMAPS, RESOURCE_LINEAR, RESOURCE_PITCHED }; /* values of cudaResourceType */
struct cuda_resource {
    int resType;
    union {
        struct cuda_array *array;
        struct {
            void *devPtr;
            struct cuda_format desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            struct cuda_format desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
        int reserved[32];
    } res;
    unsigned flags;
};
struct cuda_texture {
    int addressMode[3], filterMode, readMode, sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    int mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
};

/* ---- graphs ---- */

struct cuda_kernel_node {
    void *func;
    struct machine_index gridDim, blockDim;
    unsigned sharedMemBytes;
    void **kernelParams, **extra;
};
struct cuda_memset_node {
    void *dst;
    size_t pitch;
    unsigned value, elementSize;
    size_t width, height;
};
struct cuda_host_node {
    void (*fn)(void *);
    void *userData;
};
struct cuda_allocation_node {
    struct cuda_pool_properties poolProps;
    const void *accessDescs;
    size_t accessDescCount, bytesize;
    void *dptr;
};
struct cuda_update_result {
    int result;
    void *errorNode, *errorFromNode;
};
struct cuda_instantiation {
    unsigned long long flags;
    cudaStream_t uploadStream;
    void *errNode_out;
    int result_out;
};

#endif
