/*
 * A device with wrong results, for tests that must fail. GPUSYNC_MACHINE_FAULT in the environment says what
 * happens to every copy from the device to the host. `bit`: one bit in the middle of the copy is changed.
 * `zeros`: all bytes are zero. `ones`: all bits of the eight bytes in the middle are ones, which is NaN.
 * `kept`: after the first copy, kernels do nothing, and newly allocated memory has the content of freed
 * memory of about equal size, so that the program finds the results of its previous run there.
 */
#ifndef MACHINE_FAULT_H
#define MACHINE_FAULT_H

#include <stdbool.h>
#include <stddef.h>

/* Changes bytes that have just been copied from the device to the host, as GPUSYNC_MACHINE_FAULT says. */
void fault_apply(void *copy, size_t bytes);

/* Keeps freed memory for fault_reuse(). Returns false if it does not keep it; then the caller must free
 * it. */
bool fault_keep(void *memory);
/* Returns kept memory of at least this number of bytes, with its old content, or NULL if there is none. */
void *fault_reuse(size_t bytes);
/* Returns whether kernels must do nothing. */
bool fault_skips_kernels(void);

#endif
