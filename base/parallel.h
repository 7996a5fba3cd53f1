/* Work on the host by all of its processors. */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Calls `call` with each number below `count`, once and in no order, from as many threads as there are processors;
 * returns when all are done. Exits with EXIT_CANNOT if there are no threads. */
void parallel_for(size_t count, void (*call)(size_t number));

#ifdef __cplusplus
}
#endif

#endif
