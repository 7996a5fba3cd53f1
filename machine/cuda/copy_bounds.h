/* Finds copies and memsets of the host that leave the devices' arrays, and tells of accesses outside of
 * memory (machine_check_bounds() in machine/machine.h). */
#ifndef MACHINE_COPY_BOUNDS_H
#define MACHINE_COPY_BOUNDS_H

#include "machine/cuda/graph_calls.h"

#include <stdint.h>

extern bool bounds_are_checked;

/* Calls the fault handler of machine_check_bounds(). */
void __attribute__((noreturn)) bounds_tell(const char *text);

/* Are the bytes [address, address + bytes) among the `size` bytes from `begin` on, or among the bytes of the
 * program, which has the __device__ variables? */
bool bounds_is_within(uintptr_t address, size_t bytes, uintptr_t begin, size_t size);
bool bounds_is_program(uintptr_t address, size_t bytes);

/* Each checks what a copy or a memset accesses; `instruction` is the host's call. Which side of a copy is
 * memory of a device, the copy's kind says; with cudaMemcpyDefault it is an array if it begins in one. If
 * `is_taken` is true, the copy has taken the bytes of its source before. */
void bounds_check_rows(const struct machine_copy *copy, bool is_taken, const void *instruction);
void bounds_check_setting(const struct machine_setting *setting, const void *instruction);

#endif
