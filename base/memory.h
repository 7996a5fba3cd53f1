/* Allocates memory of the host. A function that cannot allocate exits with EXIT_CANNOT. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Allocates memory that is all zero; free() frees it. */
void *allocate(size_t bytes);

/* Allocates memory that is all zero and aligned to a cache line of 64 bytes; free() frees it. */
void *allocate_aligned(size_t bytes);

/* Changes the size of allocated memory, which may move it. New bytes are not zero. */
void *reallocate(void *p, size_t bytes);

/* Returns the array `items`, which has `count` items, moved if necessary so that `more` items fit after them.
 * The allocated size doubles, so that adding items one by one is cheap. `items` may be NULL; then a new array
 * is allocated. */
void *with_room(void *items, size_t item_bytes, size_t count, size_t more);

/* Returns a copy of the text, which free() frees. */
char *copy_text(const char *text);

#ifdef __cplusplus
}
#endif

#endif
