/* Accesses to what is no memory of the device: machine_check_bounds (machine/machine.h). */
#ifndef MACHINE_BOUNDS_H
#define MACHINE_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern bool bounds_are_checked;

/* Of the running lane. Calls the fault handler if the access is not allowed. */
void bounds_check(uintptr_t address, size_t bytes, bool writes, const void *instruction);

/* Of an asynchronous copy: what it reads (if `from` is not 0), writes and tells; a bulk one's alignment and size, too. */
void bounds_check_copy(uintptr_t to, uintptr_t from, unsigned bytes, bool bulk, uintptr_t mbarrier,
                       const void *instruction);

/* Of the host, which must not touch an array of cudaMalloc. */
void bounds_check_host(uintptr_t address, bool writes, const void *instruction);

#endif
