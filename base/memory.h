/* Allocates memory of the host. A function that cannot allocate exits with EXIT_CANNOT. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Allocates memory that is all zero; free() frees it. */
void *allocate(size_t bytes);

/* Allocates memory that is all zero and aligned to a cache line of 64 bytes; free() frees it. */
void *allocate_aligned(size_t bytes);

/* Changes the size of allocated memory, which may move it. New bytes are not zero. */
void *reallocate(void *p, size_t bytes);

/* Makes room for `more` items after the `count` items of the array `items`, and returns the array, which may
 * have moved. The allocated size doubles, so that adding items one by one is cheap. If `items` is NULL, the
 * function allocates a new array. */
void *with_room(void *items, size_t item_bytes, size_t count, size_t more);

/* Adds bytes to a hash by FNV-1a; HASH_OF_NOTHING is the hash of no bytes. */
#define HASH_OF_NOTHING UINT64_C(0xcbf29ce484222325)
uint64_t hash_add(uint64_t hash, const void *bytes, size_t count);

/* Returns a copy of the text, which free() frees. */
char *copy_text(const char *text);

#ifdef __cplusplus
}
#endif

#endif
