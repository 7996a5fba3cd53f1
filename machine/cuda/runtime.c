/* The part of the CUDA runtime API on the machine for devices and memory; streams.c has the other
 * functions. */
#include "machine/cuda/bounds.h"
#include "machine/cuda/fault.h"
#include "machine/cuda/streams.h"
#include "machine/machine.h"
#include "machine/memory/arrays.h"
#include "machine/memory/devices.h"
#include "machine/memory/written.h"
#include "machine/time/launch.h"
#include "machine/weak/weak_memory.h"

#include <stdlib.h>
#include <string.h>

const char *cudaGetErrorString(cudaError_t error)
{
    switch (error) {
    case cudaSuccess:
        return "no error";
    case cudaErrorInvalidValue:
        return "invalid argument";
    case cudaErrorMemoryAllocation:
        return "out of memory";
    case cudaErrorInvalidConfiguration:
        return "invalid configuration argument";
    case cudaErrorInvalidDevice:
        return "invalid device ordinal";
    case cudaErrorNotReady:
        return "device not ready";
    case cudaErrorLaunchTimeout:
        return the_machine.deadlock;
    case cudaErrorCooperativeLaunchTooLarge:
        return "too many blocks in cooperative launch";
    case cudaErrorNotSupported:
        return "operation not supported";
    case cudaErrorInvalidClusterSize:
        return "invalid cluster size";
    }
    return "unknown error";
}

cudaError_t cudaGetDevice(int *device)
{
    *device = (int)device_chosen();
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    return device >= 0 && device_choose((unsigned)device) ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t cudaDeviceSynchronize(void)
{
    cudaError_t error = stream_wait(NULL);
    weak_host_waits();
    the_machine.host_at = the_machine.now;
    return error;
}

static int shown_multiprocessors;

void machine_show_multiprocessors(int count)
{
    shown_multiprocessors = count;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    (void)device;
    const struct machine_description *d = machine_installed();
    switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
        *value = shown_multiprocessors ? shown_multiprocessors : d->sm_count;
        return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        *value = d->shared_bytes_per_sm;
        return cudaSuccess;
    case cudaDevAttrCooperativeLaunch:
        *value = 1;
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel, int threads,
                                                          size_t shared_bytes)
{
    (void)kernel; /* not used, because registers are not modelled */
    machine_installed();
    *blocks = machine_resident_blocks_per_sm(threads, shared_bytes);
    return cudaSuccess;
}

/* distance between two arrays, in bytes, so that an access after the end of one array is not in the next */
#define BETWEEN_ARRAYS 65536

static cudaError_t allocate_array(void **pointer, size_t bytes, const void *instruction)
{
    /* Arrays are aligned to 256 bytes, as in CUDA, so that they begin with an address group. */
    size_t whole = (bytes + 256) / 256 * 256;
    if (bounds_are_checked)
        whole += BETWEEN_ARRAYS;
    *pointer = fault_reuse(whole);
    if (!*pointer)
        *pointer = aligned_alloc(256, whole);
    if (*pointer)
        array_note(*pointer, bytes, device_chosen(), instruction);
    return *pointer ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    cudaError_t error = allocate_array(pointer, bytes, __builtin_return_address(0));
    if (error == cudaSuccess && written_is_noted)
        written_begin_array(*pointer);
    return error;
}

cudaError_t cudaFree(void *pointer)
{
    array_forget(pointer);
    if (!fault_keep(pointer))
        free(pointer);
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    weak_host_waits();
    memcpy(to, from, bytes);
    if (written_is_noted)
        written_note(NULL, (uintptr_t)to, bytes);
    if (kind == cudaMemcpyDeviceToHost)
        fault_apply(to, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    cudaError_t error = stream_wait(stream_or_default(stream));
    return error == cudaSuccess ? cudaMemcpy(to, from, bytes, kind) : error;
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
    cudaError_t error = allocate_array(pointer, bytes, __builtin_return_address(0));
    array_share_with_host(*pointer);
    return error;
}

cudaError_t cudaFreeHost(void *pointer)
{
    return cudaFree(pointer);
}

cudaError_t machine_host_register(void *pointer, size_t bytes)
{
    array_note(pointer, bytes, device_chosen(), __builtin_return_address(0));
    array_share_with_host(pointer);
    return cudaSuccess;
}

cudaError_t machine_host_unregister(void *pointer)
{
    array_forget(pointer);
    return cudaSuccess;
}

cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    weak_host_waits();
    memset(to, value, bytes);
    if (written_is_noted)
        written_note(NULL, (uintptr_t)to, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    cudaError_t error = stream_wait(stream_or_default(stream));
    launch_memset();
    return error == cudaSuccess ? cudaMemset(to, value, bytes) : error;
}

double machine_clock_hz(void)
{
    return machine_installed()->clock_hz;
}
