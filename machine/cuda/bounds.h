/* Finds accesses of kernels to memory that is not the device's. machine_check_bounds() (machine/machine.h)
 * turns this on. */
#ifndef MACHINE_BOUNDS_H
#define MACHINE_BOUNDS_H

#include "machine/cuda/copy_bounds.h"
#include "machine/state.h"

/* Returns whether the running lane may access these bytes. */
bool bounds_are_allowed(uintptr_t address, size_t bytes);

/* Checks an access of the running lane, and calls the fault handler if the access is not allowed. `kind` is
 * the kind of a request to memory. */
void bounds_check(uintptr_t address, size_t bytes, enum request_kind kind, const void *instruction);

/* Checks an access of these lanes of a warp in the order of the lanes, as bounds_check() does: lane l
 * accesses `bytes` bytes from addresses[l] + first on. */
void bounds_check_lanes(struct warp *warp, lane_set lanes, const uintptr_t *addresses, size_t first,
                        size_t bytes, enum request_kind kind, const void *instruction);

/* Checks what an asynchronous copy reads, writes and signals, and the alignment and size of a bulk copy.
 * An address of 0 means that the copy makes no such access. */
void bounds_check_copy(uintptr_t to, uintptr_t from, unsigned bytes, bool bulk, uintptr_t mbarrier,
                       const void *instruction);

/* Reports that the running lane frees memory that does not belong to the device's heap, or that was freed
 * before. */
void bounds_tell_free(uintptr_t address, const void *instruction);

/* Reports a wrong use of an object of the device by the running lane; the text follows "block 0 thread 0 at
 * LINE". */
void __attribute__((noreturn)) bounds_tell_use(const char *use, const void *instruction);

/* If `memory` belongs to a device's heap, reports that host code passes it to a function of the runtime,
 * which the host calls at `instruction`. */
void bounds_check_call(const void *memory, const void *instruction);

/* Checks an access of host code, which must not access an array of cudaMalloc(), and must not access
 * memory that it shares with the device while a task may access it. `is_strong` says that the access is
 * volatile or atomic. */
void bounds_check_host(uintptr_t address, size_t bytes, bool writes, bool is_strong, const void *instruction);

#endif
