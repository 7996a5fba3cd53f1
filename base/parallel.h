/* Distributes work over all processors of the host. */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the number of processors on which this process may run, which is at least 1 and at most 64. */
size_t parallel_processors(void);

/* Calls `call` once with each number below `count`, in no particular order, from one thread for each
 * processor, and returns when all calls have returned. Exits with EXIT_CANNOT if a thread cannot be
 * started. */
void parallel_for(size_t count, void (*call)(size_t number));

#ifdef __cplusplus
}
#endif

#endif
