/* Memory for a point. It is filled with a pattern, so that an answer of the point before, which the same
 * addresses may have held, does not pass for an answer of this point. */
#ifndef HARNESS_MEMORY_H
#define HARNESS_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Allocates memory on the device, for cudaFree. Exits with EXIT_CANNOT if there is not enough. */
void *device_memory(size_t bytes);

/* Copies `bytes` bytes of the host to memory of the current device, for cudaFree. */
void *copy_on_device(const void *host, size_t bytes);

/* Allocates pinned memory of the host, to which the device can copy while it computes; for cudaFreeHost. */
void *pinned_memory(size_t bytes);

#ifdef __cplusplus
}

/* device_memory and pinned_memory for a pointer of any type. */
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
