/* Memory for a point. It is filled with a pattern: the answer of the point before, which the same addresses may have
 * held, must not pass for this point's. */
#ifndef HARNESS_MEMORY_H
#define HARNESS_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* So many bytes on the device; cudaFree gives them back. Exits with EXIT_CANNOT if there are not as many. */
void *device_memory(size_t bytes);

/* A copy of `bytes` bytes in memory of the current device, likewise for cudaFree. */
void *copy_on_device(const void *host, size_t bytes);

/* The same on the host, where the device can copy to while it computes; for cudaFreeHost. */
void *pinned_memory(size_t bytes);

#ifdef __cplusplus
}

/* Likewise for a pointer of any type. */
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
