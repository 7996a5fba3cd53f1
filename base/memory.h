/* Host memory, or the end of the program with EXIT_CANNOT. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* So many bytes, all zero; to be freed with free(). */
void *allocate(size_t bytes);

/* The same, aligned to a cache line of 64 bytes. */
void *allocate_aligned(size_t bytes);

/* What was allocated, moved to so many bytes; new ones are not zeroed. */
void *reallocate(void *p, size_t bytes);

/* An array that had `count` items, with room for `more` behind them; the room doubles, so that
 * items can be added one by one. */
void *with_room(void *items, size_t item_bytes, size_t count, size_t more);

/* A copy of a text. */
char *copy_text(const char *text);

#ifdef __cplusplus
}
#endif

#endif
