/*
 * A device whose answers are wrong, for tests that must fail: GPUSYNC_MACHINE_FAULT in the environment changes
 * every copy from the device to the host. `bit`: one bit in its middle; `zeros`: all of it is zero; `ones`: the
 * eight bytes in its middle are all ones, which is NaN. `kept`: once the host has read
 * anything no kernel does anything, and memory that is asked for holds what memory of as many bytes held that was given
 * back before: the answer of the run before stays.
 */
#ifndef MACHINE_FAULT_H
#define MACHINE_FAULT_H

#include <stdbool.h>
#include <stddef.h>

void fault_apply(void *copy, size_t bytes);

/* Takes over memory that is given back; false: it is the caller's to free. */
bool fault_keep(void *memory);
/* Memory of at least so many bytes that was given back, or NULL. */
void *fault_reuse(size_t bytes);
bool fault_skips_kernels(void);

#endif
