/* Host memory, or the end of the program with EXIT_CANNOT. */
#ifndef HARNESS_MEMORY_H
#define HARNESS_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

void *allocate(size_t bytes);
void *reallocate(void *p, size_t bytes);

/* An array that had `count` items, with room for `more` behind them; the room doubles, so that items can be
 * added one by one. */
void *with_room(void *items, size_t item_bytes, size_t count, size_t more);

#ifdef __cplusplus
}
#endif

#endif
