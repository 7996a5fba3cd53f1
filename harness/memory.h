/* Allocates memory for a point and fills it with a pattern. Otherwise an answer of the previous point, left
 * at the same addresses, could pass for an answer of this point. */
#ifndef HARNESS_MEMORY_H
#define HARNESS_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Allocates device memory, which cudaFree frees. Exits with EXIT_CANNOT if there is not enough. */
void *device_memory(size_t bytes);

/* Returns a copy of `bytes` bytes of host memory in memory of the current device, which cudaFree frees. */
void *copy_on_device(const void *host, size_t bytes);

/* Allocates pinned host memory, to which the device can copy while it computes; cudaFreeHost frees it. */
void *pinned_memory(size_t bytes);

#ifdef __cplusplus
}

/* These functions set a pointer of any type to memory from device_memory or pinned_memory. */
template <typename T>
void allocate_on_device(T *&items, size_t bytes)
{
    items = static_cast<T *>(device_memory(bytes));
}
template <typename T>
void allocate_pinned(T *&items, size_t bytes)
{
    items = static_cast<T *>(pinned_memory(bytes));
}
#endif

#endif
