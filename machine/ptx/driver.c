/* The part of the CUDA driver API that is needed by programs which make kernels while they run. They call
 * functions of the runtime; result() makes a CUresult of the runtime's error, which in most cases is the same
 * number. Functions that do exactly the same as a function of the runtime are rows of
 * machine/ptx/calls.def. */
#include "base/memory.h"
#include "machine/memory/arrays.h"
#include "machine/memory/devices.h"
#include "machine/ptx/images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUDA_VERSION 13000

/* Functions of the runtime that machine/runtime_api.h does not declare. */
cudaError_t cudaMemGetInfo(size_t *free, size_t *total);
cudaError_t cudaFuncGetAttributes(struct cuda_function_attributes *attributes, const void *of);
cudaError_t cudaFuncSetAttribute(const void *of, int attribute, int value);
cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *kernel,
                                                                   int threads, size_t bytes, unsigned flags);

enum { INVALID_VALUE = 1, NOT_FOUND = 500, INVALID_CONTEXT = 201, INVALID_HANDLE = 400 };

static int result(cudaError_t error)
{
    switch ((int)error) {
    case 9:  /* cudaErrorInvalidConfiguration */
    case 12: /* cudaErrorInvalidPitchValue */
    case 21: /* cudaErrorInvalidMemcpyDirection */
        return INVALID_VALUE;
    case 13: /* cudaErrorInvalidSymbol */
        return NOT_FOUND;
    case 98: /* cudaErrorInvalidDeviceFunction */
        return INVALID_HANDLE;
    default:
        return (int)error;
    }
}

/* Defines a function that is one expression, which returns an error of the runtime. */
#define RESULT(name, parameters, call)                                                                       \
    int name parameters                                                                                      \
    {                                                                                                        \
        return result(call);                                                                                 \
    }
/* ---- devices and contexts: a context stands for its device ---- */

static char contexts[MOST_DEVICES];
static char *current[64]; /* the stack of contexts; the last one counts */
static unsigned depth;    /* number of contexts on the stack */

SETS(cuCtxGetFlags, (unsigned *flags), flags, 0)
SETS(cuCtxGetApiVersion, (void *context, unsigned *version), version, ((void)context, CUDA_VERSION))
SETS(cuCtxGetCurrent, (char **context), context, depth ? current[depth - 1] : NULL)

int cuDeviceGet(int *device, int number)
{
    if (number < 0 || (unsigned)number >= devices_shown())
        return (int)cudaErrorInvalidDevice;
    *device = number;
    return 0;
}

int cuDeviceGetName(char *name, int bytes, int device)
{
    (void)device;
    if (bytes <= 0)
        return INVALID_VALUE;
    snprintf(name, (size_t)bytes, "the memory machine");
    return 0;
}

int cuDeviceGetUuid_v2(char *uuid, int device)
{
    memset(uuid, 0, 16);
    uuid[0] = (char)device;
    return 0;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    size_t free;
    (void)device;
    return result(cudaMemGetInfo(&free, bytes));
}

int cuDeviceComputeCapability(int *major, int *minor, int device)
{
    return (int)(cudaDeviceGetAttribute(major, (enum cudaDeviceAttr)75, device) |
                 cudaDeviceGetAttribute(minor, (enum cudaDeviceAttr)76, device));
}

int cuCtxSetCurrent(char *context)
{
    if (!context) {
        depth -= depth > 0;
        return 0;
    }
    if (context < contexts || context >= contexts + devices_shown())
        return INVALID_CONTEXT;
    depth += !depth;
    current[depth - 1] = context;
    return result(cudaSetDevice((int)(context - contexts)));
}

int cuCtxPushCurrent_v2(char *context)
{
    if (!context || depth == sizeof current / sizeof *current)
        return INVALID_CONTEXT;
    depth++;
    int error = cuCtxSetCurrent(context);
    depth -= error != 0;
    return error;
}

int cuCtxPopCurrent_v2(char **context)
{
    if (!depth)
        return INVALID_CONTEXT;
    if (context)
        *context = current[depth - 1];
    return --depth ? cuCtxSetCurrent(current[depth - 1]) : 0;
}

int cuDevicePrimaryCtxRetain(char **context, int device)
{
    int error = cuDeviceGet(&device, device);
    if (!error)
        *context = &contexts[device];
    return error;
}

int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *is_active)
{
    *flags = 0;
    *is_active = 1;
    return cuDeviceGet(&device, device);
}

int cuCtxCreate_v2(char **context, unsigned flags, int device)
{
    (void)flags;
    int error = cuDevicePrimaryCtxRetain(context, device);
    return error ? error : cuCtxPushCurrent_v2(*context);
}

int cuCtxCreate_v4(char **context, void *parameters, unsigned flags, int device)
{
    (void)parameters;
    return cuCtxCreate_v2(context, flags, device);
}

int cuCtxGetDevice(int *device)
{
    *device = (int)device_chosen();
    return depth ? 0 : INVALID_CONTEXT;
}

/* ---- modules and kernels ---- */

/* A linker's result is the text of its only input, which is PTX. */
struct link {
    char *text;
    size_t bytes;
};

int cuLinkCreate_v2(unsigned count, const int *options, void **values, struct link **link)
{
    (void)count, (void)options, (void)values;
    *link = allocate(sizeof **link);
    return 0;
}

int cuLinkAddData_v2(struct link *link, int kind, const void *data, size_t bytes, const char *name,
                     unsigned count, const int *options, void **values)
{
    (void)name, (void)count, (void)options, (void)values;
    if (kind != 1 || link->text) /* CU_JIT_INPUT_PTX */
        return result(cudaErrorNotSupported);
    link->text = allocate(bytes + 1);
    memcpy(link->text, data, bytes);
    link->bytes = bytes;
    return 0;
}

int cuLinkComplete(struct link *link, void **image, size_t *bytes)
{
    *image = link->text;
    if (bytes)
        *bytes = link->bytes;
    return link->text ? 0 : result(cudaErrorInvalidValue);
}

int cuLinkDestroy(struct link *link)
{
    free(link->text);
    free(link);
    return 0;
}

RESULT(cuModuleGetFunction, (struct ptx_kernel * *kernel, struct ptx_image *module, const char *name),
       ptx_kernel_named(module, name, kernel))
RESULT(cuModuleGetGlobal_v2, (void **memory, size_t *bytes, struct ptx_image *module, const char *name),
       ptx_variable_named(module, name, memory, bytes))
SETS(cuLibraryGetModule, (struct ptx_image * *module, struct ptx_image *library), module, library)
SETS(cuKernelGetFunction, (struct ptx_kernel * *function, struct ptx_kernel *kernel), function, kernel)
SETS(cuFuncGetName, (const char **name, const struct ptx_kernel *kernel), name, kernel->name)
SETS(cuFuncGetModule, (struct ptx_image * *module, const struct ptx_kernel *kernel), module, kernel->image)
RESULT(cuFuncSetAttribute, (struct ptx_kernel * kernel, int attribute, int value),
       cudaFuncSetAttribute(kernel, attribute, value))
RESULT(cuKernelSetAttribute, (int attribute, int value, struct ptx_kernel *kernel, int device),
       ((void)device, cudaFuncSetAttribute(kernel, attribute, value)))

int cuFuncGetAttribute(int *value, int attribute, struct ptx_kernel *kernel)
{
    struct cuda_function_attributes a;
    cudaError_t error = cudaFuncGetAttributes(&a, kernel);
    if (error != cudaSuccess)
        return result(error);
    /* in the order of CUfunction_attribute */
    const int values[FUNCTION_ATTRIBUTES] = {a.maxThreadsPerBlock,
                                             (int)a.sharedSizeBytes,
                                             0,
                                             0,
                                             a.numRegs,
                                             a.ptxVersion,
                                             a.binaryVersion,
                                             0,
                                             a.maxDynamicSharedSizeBytes,
                                             a.preferredShmemCarveout,
                                             a.clusterDimMustBeSet,
                                             a.requiredClusterWidth,
                                             a.requiredClusterHeight,
                                             a.requiredClusterDepth,
                                             0,
                                             0};
    if (attribute < 0 || attribute >= FUNCTION_ATTRIBUTES)
        return INVALID_VALUE;
    *value = values[attribute];
    return 0;
}

/* A launch, whose extents are numbers, with these further parameters and attributes. */
#define LAUNCH(name, parameters, extra, attributes, count)                                                   \
    RESULT(name,                                                                                             \
           (struct ptx_kernel * kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, \
            unsigned block_y, unsigned block_z, unsigned bytes, cudaStream_t stream, PARAMETERS parameters), \
           ptx_launch_kernel(ptx_kernel_of(kernel), arguments, extra,                                        \
                             ptx_launch_of((struct machine_index){grid_x, grid_y, grid_z},                   \
                                           (struct machine_index){block_x, block_y, block_z}, bytes,         \
                                           attributes, count),                                               \
                             stream, CALLER))
LAUNCH(cuLaunchKernel, (void **arguments, void **extra), arguments ? NULL : extra, NULL, 0)
LAUNCH(cuLaunchCooperativeKernel, (void **arguments), NULL, &CUDA_COOPERATIVE, 1)
RESULT(cuLaunchKernelEx,
       (const struct cuda_driver_launch_configuration *c, struct ptx_kernel *kernel, void **arguments,
        void **extra),
       ptx_launch_kernel(ptx_kernel_of(kernel), arguments, arguments ? NULL : extra,
                         ptx_launch_of(c->gridDim, c->blockDim, c->sharedMemBytes, c->attrs, c->numAttrs),
                         c->hStream, CALLER))
RESULT(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *blocks, void *kernel, int threads, size_t bytes),
       cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, kernel, threads, bytes, 0))

/* Finds the block size with the most resident threads, like cudaOccupancyMaxPotentialBlockSize() of CUDA's
 * headers. shared_of is NULL if a block's dynamic shared memory does not depend on its threads. */
int cuOccupancyMaxPotentialBlockSize(int *least_grid, int *threads, struct ptx_kernel *kernel,
                                     size_t (*shared_of)(int threads), size_t bytes, int most)
{
    struct cuda_function_attributes a;
    int best = 0, of_sm = 0, width = machine_installed()->warp_size;
    cudaError_t error = cudaFuncGetAttributes(&a, kernel);
    if (error != cudaSuccess)
        return result(error);
    int all = a.maxThreadsPerBlock;
    if (most > 0 && most < all)
        all = most;
    for (int t = (all + width - 1) / width * width; t > 0; t -= width) {
        int now = t < all ? t : all, blocks = 0;
        cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, kernel, now,
                                                               shared_of ? shared_of(now) : bytes, 0);
        if (blocks * now > of_sm * best) {
            best = now;
            of_sm = blocks;
        }
    }
    *threads = best;
    *least_grid = of_sm * machine_multiprocessors();
    return 0;
}

/* ---- memory: a CUdeviceptr has the size of a pointer ---- */

RESULT(cuMemAlloc_v2, (void **memory, size_t bytes),
       bytes ? RUNTIME_AT_CALL(cudaMalloc(memory, bytes)) : cudaErrorInvalidValue)
RESULT(cuMemAllocPitch_v2, (void **memory, size_t *pitch, size_t width, size_t height, unsigned element),
       ((void)element, RUNTIME_AT_CALL(cudaMallocPitch(memory, pitch, width, height))))
RESULT(cuMemFree_v2, (void *memory), cudaFree(memory))
RESULT(cuMemAllocHost_v2, (void **memory, size_t bytes), RUNTIME_AT_CALL(cudaMallocHost(memory, bytes)))
RESULT(cuMemFreeHost, (void *memory), cudaFreeHost(memory))
/* A copy, with a form for streams. */
#define COPY(name, async, kind)                                                                              \
    RESULT(name, (void *to, const void *from, size_t bytes), cudaMemcpy(to, from, bytes, kind))              \
    RESULT(async, (void *to, const void *from, size_t bytes, cudaStream_t stream),                           \
           cudaMemcpyAsync(to, from, bytes, kind, stream))
COPY(cuMemcpy, cuMemcpyAsync, cudaMemcpyDefault)
COPY(cuMemcpyHtoD_v2, cuMemcpyHtoDAsync_v2, cudaMemcpyHostToDevice)
COPY(cuMemcpyDtoH_v2, cuMemcpyDtoHAsync_v2, cudaMemcpyDeviceToHost)
COPY(cuMemcpyDtoD_v2, cuMemcpyDtoDAsync_v2, cudaMemcpyDeviceToDevice)

static cudaError_t set(void *to, unsigned value, unsigned element, size_t count, cudaStream_t stream,
                       bool waits, const void *caller)
{
    struct machine_setting setting = {to, 0, value, element, count, 1};
    return runtime_set_rows(&setting, stream, waits, caller);
}
#define SET(bits, type)                                                                                      \
    RESULT(cuMemsetD##bits##_v2, (void *to, type value, size_t count),                                       \
           set(to, value, sizeof value, count, NULL, true, CALLER))                                          \
    RESULT(cuMemsetD##bits##Async, (void *to, type value, size_t count, cudaStream_t stream),                \
           set(to, value, sizeof value, count, stream, false, CALLER))
SET(8, unsigned char)
SET(16, unsigned short)
SET(32, unsigned)

int cuMemGetAddressRange_v2(void **begin, size_t *bytes, void *memory)
{
    const struct array *array = array_of((uintptr_t)memory);
    if (!array)
        return NOT_FOUND;
    if (begin)
        *begin = (void *)array->begin;
    if (bytes)
        *bytes = array->bytes;
    return 0;
}

/* The supported values of CUpointer_attribute. */
enum { OF_CONTEXT = 1, OF_TYPE, OF_DEVICE_POINTER, OF_HOST_POINTER, OF_MANAGED = 8, OF_ORDINAL };
int cuPointerGetAttribute(void *data, int attribute, void *memory)
{
    const struct array *array = array_of((uintptr_t)memory);
    if (!array || (attribute == OF_HOST_POINTER && !array->is_of_host))
        return INVALID_VALUE;
    switch (attribute) {
    case OF_CONTEXT:
        *(char **)data = &contexts[array->device];
        return 0;
    case OF_TYPE: /* CU_MEMORYTYPE_HOST or CU_MEMORYTYPE_DEVICE */
        *(unsigned *)data = array->is_of_host && !array->is_managed ? 1 : 2;
        return 0;
    case OF_DEVICE_POINTER:
    case OF_HOST_POINTER:
        *(void **)data = memory;
        return 0;
    case OF_MANAGED:
        *(unsigned *)data = array->is_managed;
        return 0;
    case OF_ORDINAL:
        *(int *)data = (int)array->device;
        return 0;
    default:
        return (int)cudaErrorNotSupported;
    }
}

/* ---- errors ---- */

/* The names and texts of the runtime's errors (CUDA Runtime API, "Data types used by CUDA Runtime"). */
static const struct {
    int number;
    const char *name, *text;
} errors[] = {
#define ROW(number, name, text) {number, #name, text},
#include "machine/ptx/errors.def"
};

const char *cudaGetErrorName(cudaError_t error)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].number == (int)error)
            return errors[i].name;
    return "unrecognized error code";
}

const char *machine_error_text(cudaError_t error)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].number == (int)error)
            return errors[i].text;
    return "unrecognized error code";
}

int cuGetErrorString(int error, const char **text)
{
    *text = machine_error_text((cudaError_t)error);
    return 0;
}

/* Errors that the machine does not return have the runtime's names. */
int cuGetErrorName(int error, const char **name)
{
    switch (error) {
#define ERROR(number, text)                                                                                  \
    case number:                                                                                             \
        *name = text;                                                                                        \
        return 0;
        ERROR(0, "CUDA_SUCCESS")
        ERROR(1, "CUDA_ERROR_INVALID_VALUE")
        ERROR(2, "CUDA_ERROR_OUT_OF_MEMORY")
        ERROR(101, "CUDA_ERROR_INVALID_DEVICE")
        ERROR(200, "CUDA_ERROR_INVALID_IMAGE")
        ERROR(201, "CUDA_ERROR_INVALID_CONTEXT")
        ERROR(218, "CUDA_ERROR_INVALID_PTX")
        ERROR(301, "CUDA_ERROR_FILE_NOT_FOUND")
        ERROR(400, "CUDA_ERROR_INVALID_HANDLE")
        ERROR(401, "CUDA_ERROR_ILLEGAL_STATE")
        ERROR(500, "CUDA_ERROR_NOT_FOUND")
        ERROR(600, "CUDA_ERROR_NOT_READY")
        ERROR(702, "CUDA_ERROR_LAUNCH_TIMEOUT")
        ERROR(720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE")
        ERROR(801, "CUDA_ERROR_NOT_SUPPORTED")
        ERROR(912, "CUDA_ERROR_INVALID_CLUSTER_SIZE")
#undef ERROR
    }
    *name = cudaGetErrorName((cudaError_t)error);
    return 0;
}
