/*
 * A part of the GPU's multiprocessors, and a stream whose kernels use only this part: a green context (CUDA
 * 12.4), or on the memory machine a confined stream. A process under MPS with an active thread percentage
 * also runs in such a part.
 */
#ifndef MICRO_PART_H
#define MICRO_PART_H

#include "harness/platform.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns whether the driver can divide the GPU into parts. */
bool part_is_possible(void);

/* Creates a part of at most `most` multiprocessors. Returns how many the part has, as the driver divides the
 * GPU in steps (eight multiprocessors on compute capability 9.0). Returns 0 if even the smallest part would
 * have more than `most`. */
unsigned part_open(unsigned most);
cudaStream_t part_stream(void);

/* Between part_enter and part_leave, the runtime answers the calling thread's queries for the part, not for
 * the whole GPU. */
void part_enter(void);
void part_leave(void);

void part_close(void);

#ifdef __cplusplus
}
#endif

#endif
