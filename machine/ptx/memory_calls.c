/* The functions of the CUDA runtime for memory and variables that machine/cuda/runtime.c lacks. Reports
 * name a copy by the program's call (CALLER). */
#include "machine/cuda/one_thread.h"
#include "machine/memory/arrays.h"
#include "machine/ptx/images.h"

#include <string.h>

/* ---- allocation ---- */

cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned flags)
{
    if (!bytes || (flags != 1 && flags != 2)) /* cudaMemAttachGlobal and cudaMemAttachHost */
        return machine_note_error(cudaErrorInvalidValue);
    cudaError_t error = RUNTIME_AT_CALL(cudaMallocHost(pointer, bytes));
    if (error == cudaSuccess)
        array_set_managed(*pointer);
    return error;
}

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned flags)
{
    if (flags > 7)
        return machine_note_error(cudaErrorInvalidValue);
    return RUNTIME_AT_CALL(cudaMallocHost(pointer, bytes));
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
    if (flags || !array_of_host(host))
        return machine_note_error(cudaErrorInvalidValue);
    *device = host;
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *host)
{
    if (!array_of_host(host))
        return machine_note_error(cudaErrorInvalidValue);
    *flags = 2; /* cudaHostAllocMapped */
    return cudaSuccess;
}

cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned flags)
{
    if (!pointer || !bytes || flags > 15)
        return machine_note_error(cudaErrorInvalidValue);
    if (array_of((uintptr_t)pointer))
        return machine_note_error(CUDA_ERROR(712)); /* cudaErrorHostMemoryAlreadyRegistered */
    return RUNTIME_AT_CALL(machine_host_register(pointer, bytes));
}

cudaError_t cudaHostUnregister(void *pointer)
{
    ONE_THREAD
    if (!array_at(pointer))
        return machine_note_error(cudaErrorHostMemoryNotRegistered);
    array_forget(pointer);
    return cudaSuccess;
}

CALL(cudaMallocAsync, (void **pointer, size_t bytes, cudaStream_t stream),
     RUNTIME_AT_CALL(machine_malloc_async(pointer, bytes, stream)))
/* The pool is ignored: each pool allocates from the device's memory. */
CALL(cudaMallocFromPoolAsync, (void **pointer, size_t bytes, void *pool, cudaStream_t stream),
     ((void)pool, RUNTIME_AT_CALL(machine_malloc_async(pointer, bytes, stream))))

static char the_pool; /* the handle of every memory pool is the address of this variable */

SETS(cudaDeviceGetDefaultMemPool, (void **pool, int device), pool, ((void)device, &the_pool))

cudaError_t cudaMemPoolGetAttribute(void *pool, int attribute, void *value)
{
    (void)pool;
    if (attribute < 1 || attribute > 8)
        return machine_note_error(cudaErrorInvalidValue);
    memset(value, 0, attribute < 4 ? sizeof(int) : sizeof(uint64_t));
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cuda_pointer_attributes *attributes, const void *pointer)
{
    enum { UNREGISTERED, HOST, DEVICE, MANAGED }; /* the numbers of cudaMemoryType */
    const struct array *array = array_of((uintptr_t)pointer);
    memset(attributes, 0, sizeof *attributes);
    attributes->device = array ? (int)array->device : -2; /* cudaInvalidDeviceId */
    if (array) {
        attributes->type = array->is_managed ? MANAGED : array->is_of_host ? HOST : DEVICE;
        attributes->devicePointer = (void *)(uintptr_t)pointer;
    }
    if (!array || array->is_of_host)
        attributes->hostPointer = (void *)(uintptr_t)pointer;
    return cudaSuccess;
}

/* ---- variables ---- */

CALL(cudaGetSymbolAddress, (void **address, const void *symbol), ptx_symbol(symbol, address, NULL))
CALL(cudaGetSymbolSize, (size_t * bytes, const void *symbol), ptx_symbol(symbol, NULL, bytes))

cudaError_t ptx_place_in(char **place, const void *symbol, size_t bytes, size_t offset,
                         enum cudaMemcpyKind kind, enum cudaMemcpyKind allowed, const void *caller)
{
    size_t size = 0;
    void *memory;
    cudaError_t error = ptx_symbol(symbol, &memory, &size);
    if (error == cudaSuccess && kind != allowed && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault)
        error = cudaErrorInvalidMemcpyDirection;
    if (error != cudaSuccess)
        return machine_note_error(error);
    machine_check_symbol(memory, size, offset, bytes, caller);
    *place = (char *)memory + offset;
    return machine_note_error(offset > size || bytes > size - offset ? cudaErrorInvalidValue : cudaSuccess);
}

cudaError_t ptx_copy_row(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                         cudaStream_t stream, bool waits, const void *caller)
{
    struct machine_copy copy = runtime_row(to, from, bytes, kind);
    return machine_note_error(runtime_copy_rows(&copy, stream, waits, caller));
}

static cudaError_t to_symbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                             enum cudaMemcpyKind kind, cudaStream_t stream, bool waits, const void *caller)
{
    char *to = NULL;
    cudaError_t error = ptx_place_in(&to, symbol, bytes, offset, kind, cudaMemcpyHostToDevice, caller);
    return error == cudaSuccess ? ptx_copy_row(to, from, bytes, kind, stream, waits, caller) : error;
}

static cudaError_t from_symbol(void *to, const void *symbol, size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind, cudaStream_t stream, bool waits, const void *caller)
{
    char *from = NULL;
    cudaError_t error = ptx_place_in(&from, symbol, bytes, offset, kind, cudaMemcpyDeviceToHost, caller);
    return error == cudaSuccess ? ptx_copy_row(to, from, bytes, kind, stream, waits, caller) : error;
}

WITH_ASYNC(cudaMemcpyToSymbol,
           (const void *symbol, const void *from, size_t bytes, size_t offset, enum cudaMemcpyKind kind),
           to_symbol(symbol, from, bytes, offset, kind, stream, waits, CALLER))
WITH_ASYNC(cudaMemcpyFromSymbol,
           (void *to, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind),
           from_symbol(to, symbol, bytes, offset, kind, stream, waits, CALLER))
CALL(cudaMemcpyPeer, (void *to, int to_device, const void *from, int from_device, size_t bytes),
     ((void)to_device, (void)from_device, cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice)))
CALL(cudaMemcpyPeerAsync,
     (void *to, int to_device, const void *from, int from_device, size_t bytes, cudaStream_t stream),
     ((void)to_device, (void)from_device, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream)))
