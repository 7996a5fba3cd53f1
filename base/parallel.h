/* Work on the host, distributed over all of its processors. */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Calls `call` once with each number below `count`, in no particular order, from one thread for each
 * processor; returns when all calls have returned. Exits with EXIT_CANNOT if no threads can be started. */
void parallel_for(size_t count, void (*call)(size_t number));

#ifdef __cplusplus
}
#endif

#endif
