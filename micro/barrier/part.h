/*
 * A part of the GPU's multiprocessors, and a stream whose kernels get no others: a green context (CUDA 12.4); on the
 * memory machine a stream that is told so. A process under MPS with an active thread percentage is in such a part, too.
 */
#ifndef MICRO_PART_H
#define MICRO_PART_H

#include "harness/platform.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Does the driver make parts? */
bool part_is_possible(void);

/* Makes the part, of at most so many multiprocessors. Returns how many it has: the driver cuts in steps, of eight on
 * compute capability 9.0. 0: not even the smallest part is so small. */
unsigned part_open(unsigned most);
cudaStream_t part_stream(void);

/* Between these two the runtime answers as for a thread that works in the part. */
void part_enter(void);
void part_leave(void);

void part_close(void);

#ifdef __cplusplus
}
#endif

#endif
