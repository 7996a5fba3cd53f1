/* Host memory; a function that cannot allocate ends the program with EXIT_CANNOT. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* This number of bytes, all zero; to be freed with free(). */
void *allocate(size_t bytes);

/* Like allocate, aligned to a cache line of 64 bytes. */
void *allocate_aligned(size_t bytes);

/* Moves allocated memory to this number of bytes; new bytes are not zeroed. */
void *reallocate(void *p, size_t bytes);

/* Returns the array, which has `count` items, with room for `more` items after them. The room doubles, so
 * that items can be added one by one. */
void *with_room(void *items, size_t item_bytes, size_t count, size_t more);

/* A copy of a text. */
char *copy_text(const char *text);

#ifdef __cplusplus
}
#endif

#endif
