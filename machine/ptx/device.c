/* The functions of the CUDA runtime for devices, their properties and the properties of kernels. Functions
 * that only change a GPU's speed have no effect here. */
#include "base/file.h"
#include "machine/state.h"
#include "machine/memory/devices.h"
#include "machine/ptx/images.h"
#include "machine/ptx/module.h"

#include <stdio.h>
#include <string.h>

#define CUDA_VERSION 13000
#define MEMORY ((size_t)1 << 33) /* size in bytes of a device's memory */

/* ---- attributes and properties ---- */

/* The attributes that are members of cudaDeviceProp, with their numbers and values. Where the machine's
 * description has no value, the value is the H200's. `OLD` gets the members that only CUDA 12 has. */
#define ATTRIBUTES(ONE, OLD)                                                                                 \
    ONE(1, 1024, maxThreadsPerBlock)                                                                         \
    ONE(2, 1024, maxThreadsDim[0])                                                                           \
    ONE(3, 1024, maxThreadsDim[1])                                                                           \
    ONE(4, 64, maxThreadsDim[2])                                                                             \
    ONE(5, 0x7fffffff, maxGridSize[0])                                                                       \
    ONE(6, 65535, maxGridSize[1])                                                                            \
    ONE(7, 65535, maxGridSize[2])                                                                            \
    ONE(8, 48 << 10, sharedMemPerBlock)                                                                      \
    ONE(9, 65536, totalConstMem)                                                                             \
    ONE(10, 32, warpSize)                                                                                    \
    ONE(11, 0x7fffffff, memPitch)                                                                            \
    ONE(12, 65536, regsPerBlock)                                                                             \
    OLD(13, 1000000, clockRate)                                                                              \
    ONE(14, 512, textureAlignment)                                                                           \
    OLD(15, 1, deviceOverlap)                                                                                \
    ONE(16, machine_multiprocessors(), multiProcessorCount)                                                  \
    OLD(17, 0, kernelExecTimeoutEnabled)                                                                     \
    ONE(18, 0, integrated)                                                                                   \
    ONE(19, 1, canMapHostMemory)                                                                             \
    OLD(20, 0, computeMode)                                                                                  \
    ONE(21, 131072, maxTexture1D)                                                                            \
    ONE(22, 131072, maxTexture2D[0])                                                                         \
    ONE(23, 65536, maxTexture2D[1])                                                                          \
    ONE(24, 16384, maxTexture3D[0])                                                                          \
    ONE(25, 16384, maxTexture3D[1])                                                                          \
    ONE(26, 16384, maxTexture3D[2])                                                                          \
    ONE(30, 512, surfaceAlignment)                                                                           \
    ONE(31, 1, concurrentKernels)                                                                            \
    ONE(32, 0, ECCEnabled)                                                                                   \
    ONE(33, 0, pciBusID)                                                                                     \
    ONE(34, 0, pciDeviceID)                                                                                  \
    ONE(35, 0, tccDriver)                                                                                    \
    OLD(36, 1000000, memoryClockRate)                                                                        \
    ONE(37, 5120, memoryBusWidth)                                                                            \
    ONE(38, 50 << 20, l2CacheSize)                                                                           \
    ONE(39, 2048, maxThreadsPerMultiProcessor)                                                               \
    ONE(40, 1, asyncEngineCount)                                                                             \
    ONE(41, 1, unifiedAddressing)                                                                            \
    ONE(50, 0, pciDomainID)                                                                                  \
    ONE(51, 32, texturePitchAlignment)                                                                       \
    ONE(75, 9, major)                                                                                        \
    ONE(76, 0, minor)                                                                                        \
    ONE(78, 1, streamPrioritiesSupported)                                                                    \
    ONE(79, 1, globalL1CacheSupported)                                                                       \
    ONE(80, 1, localL1CacheSupported)                                                                        \
    ONE(81, machine_installed()->shared_bytes_per_sm, sharedMemPerMultiprocessor)                            \
    ONE(82, 65536, regsPerMultiprocessor)                                                                    \
    ONE(83, 1, managedMemory)                                                                                \
    ONE(84, 0, isMultiGpuBoard)                                                                              \
    ONE(85, 0, multiGpuBoardGroupID)                                                                         \
    ONE(86, 0, hostNativeAtomicSupported)                                                                    \
    OLD(87, 2, singleToDoublePrecisionPerfRatio)                                                             \
    ONE(88, 0, pageableMemoryAccess)                                                                         \
    ONE(89, 1, concurrentManagedAccess)                                                                      \
    ONE(90, 0, computePreemptionSupported)                                                                   \
    ONE(91, 1, canUseHostPointerForRegisteredMem)                                                            \
    ONE(95, 1, cooperativeLaunch)                                                                            \
    OLD(96, 0, cooperativeMultiDeviceLaunch)                                                                 \
    ONE(97, machine_installed()->shared_bytes_per_sm - RESERVED_SHARED, sharedMemPerBlockOptin)              \
    ONE(99, 1, hostRegisterSupported)                                                                        \
    ONE(106, 32, maxBlocksPerMultiProcessor)                                                                 \
    ONE(108, 0, persistingL2CacheMaxSize)                                                                    \
    ONE(109, 0, accessPolicyMaxWindowSize)                                                                   \
    ONE(111, RESERVED_SHARED, reservedSharedMemPerBlock)                                                     \
    ONE(115, 1, memoryPoolsSupported)                                                                        \
    ONE(120, 1, clusterLaunch)

/* Sets the value of an attribute by its number in enum cudaDeviceAttr. CUDA's other attributes are 0, because
 * the machine does not have what they describe. */
cudaError_t machine_attribute(int number, int *value)
{
#define ATTRIBUTE(n, v, member)                                                                              \
    case n:                                                                                                  \
        *value = (int)(v);                                                                                   \
        return cudaSuccess;
    switch (number) {
        ATTRIBUTES(ATTRIBUTE, ATTRIBUTE)
    }
#undef ATTRIBUTE
    *value = 0;
    return number > 0 && number < 148 ? cudaSuccess : machine_note_error(cudaErrorInvalidValue);
}

#define SET(number, value, member) p->member = (__typeof__(p->member))(value);
#define SET_NOT(number, value, member)
#define SET_PROPERTIES(OLD)                                                                                  \
    if (device < 0 || (unsigned)device >= devices_shown())                                                   \
        return machine_note_error(cudaErrorInvalidDevice);                                                   \
    memset(p, 0, sizeof *p);                                                                                 \
    snprintf(p->name, sizeof p->name, "the memory machine");                                                 \
    p->totalGlobalMem = MEMORY;                                                                              \
    ATTRIBUTES(SET, OLD)                                                                                     \
    return cudaSuccess;
/* CUDA 13 calls the function by its name, and CUDA 12 with _v2. */
cudaError_t cudaGetDeviceProperties(struct cuda_properties_13 *p,
                                    int device){SET_PROPERTIES(SET_NOT)} cudaError_t
    cudaGetDeviceProperties_v2(struct cuda_properties_12 *p, int device){SET_PROPERTIES(SET)}

/* ---- devices ---- */

SETS(cudaGetDeviceCount, (int *count), count, (int)devices_shown())
    SETS(cudaGetDeviceFlags, (unsigned *flags), flags, 8) /* cudaDeviceMapHost */
    SETS(cudaRuntimeGetVersion, (int *version), version, CUDA_VERSION)

        cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
    *total = MEMORY;
    *free = MEMORY - MEMORY / 16;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least)
        *least = 0;
    if (greatest)
        *greatest = -5;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int bytes, int device)
{
    snprintf(text, (size_t)bytes, "0000:%02x:00.0", (unsigned)device);
    return cudaSuccess;
}

/* The numbers of enum cudaLimit. Other limits are accepted and have no effect. */
enum { LIMIT_HEAP = 2, LIMIT_DEPTH = 3, LIMITS = 7 };
cudaError_t cudaDeviceSetLimit(int limit, size_t value)
{
    if (limit < 0 || limit >= LIMITS || limit == LIMIT_DEPTH)
        return machine_note_error(cudaErrorUnsupportedLimit);
    return limit == LIMIT_HEAP ? machine_note_error(machine_set_heap_size(value)) : cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t *value, int limit)
{
    static const size_t values[LIMITS] = {1024, 8650752, 0, 0, 2048, 64, 0}; /* the limits of an H200 */
    if (limit < 0 || limit >= LIMITS || limit == LIMIT_DEPTH)
        return machine_note_error(cudaErrorUnsupportedLimit);
    *value = limit == LIMIT_HEAP ? machine_heap_size() : values[limit];
    return cudaSuccess;
}

/* Each device may access the memory of the others at any time. */
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    int most = (int)devices_shown();
    if (device < 0 || peer < 0 || device >= most || peer >= most)
        return machine_note_error(cudaErrorInvalidDevice);
    *can = device != peer;
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    int can = 0;
    cudaError_t error = cudaDeviceCanAccessPeer(&can, (int)device_chosen(), peer);
    if (error == cudaSuccess && flags)
        error = cudaErrorInvalidValue;
    return machine_note_error(error != cudaSuccess ? error
                              : can                ? cudaSuccess
                                                   : cudaErrorPeerAccessUnsupported);
}

CALL(cudaDeviceDisablePeerAccess, (int peer), cudaDeviceEnablePeerAccess(peer, 0))

/* Attribute number 2 says whether access is supported; the other attributes are 0. */
cudaError_t cudaDeviceGetP2PAttribute(int *value, int attribute, int device, int peer)
{
    cudaError_t error = cudaDeviceCanAccessPeer(value, device, peer);
    if (error == cudaSuccess && attribute != 2)
        *value = 0;
    return error;
}

/* ---- kernels ---- */

static cudaError_t find(struct ptx_kernel **kernel, struct ptx_function **function, const void *from)
{
    *kernel = ptx_kernel_of(from);
    *function = ptx_function_of(*kernel);
    return *function ? cudaSuccess : machine_note_error(cudaErrorInvalidDeviceFunction);
}

static unsigned cluster_of(const struct ptx_function *function)
{
    return function->required_cluster[0] * function->required_cluster[1] * function->required_cluster[2];
}

/* Each thread is said to have 32 registers if their number is not known. */
cudaError_t cudaFuncGetAttributes(struct cuda_function_attributes *a, const void *of)
{
    struct ptx_kernel *kernel;
    struct ptx_function *function;
    cudaError_t error = find(&kernel, &function, of);
    if (error != cudaSuccess)
        return error;
    memset(a, 0, sizeof *a);
    a->sharedSizeBytes = ptx_static_shared(kernel);
    a->maxThreadsPerBlock = function->most_threads ? (int)function->most_threads : 1024;
    unsigned registers = ptx_registers_of(kernel);
    a->numRegs = registers ? (int)registers : 32;
    a->ptxVersion = a->binaryVersion = 90;
    a->maxDynamicSharedSizeBytes = (int)ptx_most_dynamic_shared(kernel);
    a->preferredShmemCarveout = -1;
    a->clusterDimMustBeSet = cluster_of(function) > 0;
    a->requiredClusterWidth = (int)function->required_cluster[0];
    a->requiredClusterHeight = (int)function->required_cluster[1];
    a->requiredClusterDepth = (int)function->required_cluster[2];
    a->nonPortableClusterSizeAllowed = kernel->has_large_clusters;
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *of, int attribute, int value)
{
    struct ptx_kernel *kernel = ptx_kernel_of(of);
    int most = 0;
    if (!kernel)
        return machine_note_error(cudaErrorInvalidDeviceFunction);
    if (attribute < FUNCTION_DYNAMIC_SHARED || attribute >= FUNCTION_ATTRIBUTES)
        return machine_note_error(cudaErrorInvalidValue);
    if (attribute == FUNCTION_LARGE_CLUSTERS)
        kernel->has_large_clusters = value;
    if (attribute != FUNCTION_DYNAMIC_SHARED)
        return cudaSuccess;
    machine_attribute(97, &most);
    if (value < 0 || (size_t)value + ptx_static_shared(kernel) > (size_t)most)
        return machine_note_error(cudaErrorInvalidValue);
    kernel->dynamic_shared = value;
    return cudaSuccess;
}

cudaError_t cudaFuncGetName(const char **name, const void *of)
{
    struct ptx_kernel *kernel = ptx_kernel_of(of);
    if (!kernel)
        return machine_note_error(cudaErrorInvalidDeviceFunction);
    *name = kernel->name;
    return cudaSuccess;
}

cudaError_t cudaFuncGetParamInfo(const void *of, size_t index, size_t *offset, size_t *bytes)
{
    struct ptx_kernel *kernel;
    struct ptx_function *function;
    cudaError_t error = find(&kernel, &function, of);
    if (error != cudaSuccess)
        return error;
    if (index >= function->parameter_count)
        return machine_note_error(cudaErrorInvalidValue);
    *offset = function->parameters[index].offset;
    if (bytes)
        *bytes = function->parameters[index].bytes;
    return cudaSuccess;
}

cudaError_t cudaGetKernel(struct ptx_kernel **kernel, const void *stub)
{
    *kernel = ptx_kernel_of(stub);
    return *kernel ? cudaSuccess : machine_note_error(cudaErrorInvalidDeviceFunction);
}

/* ---- how many blocks fit ---- */

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *kernel,
                                                                   int threads, size_t bytes, unsigned flags)
{
    if (flags > 1 || threads <= 0)
        return machine_note_error(cudaErrorInvalidValue);
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, bytes);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *of, int blocks, int threads)
{
    struct ptx_kernel *kernel;
    struct ptx_function *function;
    cudaError_t error = find(&kernel, &function, of);
    if (error != cudaSuccess || blocks <= 0 || threads <= 0)
        return machine_note_error(error == cudaSuccess ? cudaErrorInvalidValue : error);
    size_t each = (size_t)machine_installed()->shared_bytes_per_sm / (size_t)blocks;
    size_t used = ptx_static_shared(kernel) + RESERVED_SHARED, most = ptx_most_dynamic_shared(kernel);
    *bytes = each <= used ? 0 : each - used < most ? each - used : most;
    return cudaSuccess;
}

/* Finds how many blocks of the launch fit on the device at once, and its kernel. */
static cudaError_t fit(int *blocks, struct ptx_function **function, const void *of,
                       const struct cuda_launch_configuration *c)
{
    struct ptx_kernel *kernel;
    int one = 0;
    cudaError_t error = find(&kernel, function, of);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &one, of, (int)(c->blockDim.x * c->blockDim.y * c->blockDim.z), c->dynamicSmemBytes);
    *blocks = one * machine_multiprocessors();
    return error;
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *of,
                                           const struct cuda_launch_configuration *c)
{
    struct ptx_function *function;
    int blocks;
    cudaError_t error = fit(&blocks, &function, of, c);
    if (error != cudaSuccess)
        return error;
    unsigned asked = ptx_launch_of(c->gridDim, c->blockDim, 0, c->attrs, c->numAttrs).cluster;
    unsigned cluster = asked ? asked : cluster_of(function);
    *clusters = blocks / (cluster ? (int)cluster : 1);
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *of,
                                                 const struct cuda_launch_configuration *c)
{
    struct ptx_function *function;
    int blocks;
    cudaError_t error = fit(&blocks, &function, of, c);
    if (error != cudaSuccess)
        return error;
    int most = ptx_kernel_of(of)->has_large_clusters ? MOST_CLUSTER_BLOCKS : PORTABLE_CLUSTER;
    *size = blocks < most ? blocks : most;
    return cudaSuccess;
}

/* ---- launches ---- */

CALL(cudaLaunchKernel,
     (const void *kernel, struct machine_index grid, struct machine_index block, void **arguments,
      size_t bytes, cudaStream_t stream),
     ptx_launch_kernel(ptx_kernel_of(kernel), arguments, NULL, ptx_launch_of(grid, block, bytes, NULL, 0),
                       stream, CALLER))

CALL(cudaLaunchCooperativeKernel,
     (const void *kernel, struct machine_index grid, struct machine_index block, void **arguments,
      size_t bytes, cudaStream_t stream),
     ptx_launch_kernel(ptx_kernel_of(kernel), arguments, NULL,
                       ptx_launch_of(grid, block, bytes, &CUDA_COOPERATIVE, 1), stream, CALLER))
CALL(cudaLaunchKernelExC, (const struct cuda_launch_configuration *c, const void *kernel, void **arguments),
     ptx_launch_kernel(ptx_kernel_of(kernel), arguments, NULL,
                       ptx_launch_of(c->gridDim, c->blockDim, c->dynamicSmemBytes, c->attrs, c->numAttrs),
                       c->stream, CALLER))

/* ---- modules that the program loads ---- */

/* Options of the compiler do not matter here. */
cudaError_t cudaLibraryLoadData(struct ptx_image **library, const void *data, void *options, void **values,
                                unsigned count, void *of_library, void **values_of_library,
                                unsigned count_of_library)
{
    (void)options, (void)values, (void)count, (void)of_library, (void)values_of_library;
    (void)count_of_library;
    struct ptx_image *image = ptx_image_of(data);
    cudaError_t error = ptx_image_read(image);
    if (error == cudaSuccess)
        *library = image;
    else
        ptx_image_end(image);
    return machine_note_error(error);
}

/* The file's content is kept for as long as the program runs. */
cudaError_t cudaLibraryLoadFromFile(struct ptx_image **library, const char *name, void *options,
                                    void **values, unsigned count, void *of_library, void **values_of_library,
                                    unsigned count_of_library)
{
    const char *content = file_text(name);
    if (!content)
        return machine_note_error(cudaErrorFileNotFound);
    return cudaLibraryLoadData(library, content, options, values, count, of_library, values_of_library,
                               count_of_library);
}

CALL(cudaLibraryUnload, (struct ptx_image * library), (ptx_image_end(library), cudaSuccess))
CALL(cudaLibraryGetKernel, (struct ptx_kernel * *kernel, struct ptx_image *library, const char *name),
     ptx_kernel_named(library, name, kernel))
CALL(cudaLibraryGetGlobal, (void **memory, size_t *bytes, struct ptx_image *library, const char *name),
     ptx_variable_named(library, name, memory, bytes))
