/*
 * A device whose answers are wrong, for tests that must fail: GPUSYNC_MACHINE_FAULT in the environment
 * changes every copy from the device to the host. `bit`: one bit in its middle is changed; `zeros`: all of it
 * is zero; `ones`: the eight bytes in its middle are all ones, which is NaN. `kept`: once the host has read
 * anything, kernels do nothing, and allocated memory holds the content of freed memory of equal size: the
 * answer of the preceding run stays.
 */
#ifndef MACHINE_FAULT_H
#define MACHINE_FAULT_H

#include <stdbool.h>
#include <stddef.h>

/* Changes bytes that have just been copied from the device to the host. */
void fault_apply(void *copy, size_t bytes);

/* Takes over memory that is freed. Returns false if the caller must free it. */
bool fault_keep(void *memory);
/* Freed memory of at least this number of bytes, or NULL. */
void *fault_reuse(size_t bytes);
/* Shall kernels do nothing? */
bool fault_skips_kernels(void);

#endif
