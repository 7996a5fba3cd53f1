/* Finds copies and memsets of the host that leave the devices' arrays, and reports accesses outside of
 * memory (machine_check_bounds() in machine/machine.h). */
#ifndef MACHINE_COPY_BOUNDS_H
#define MACHINE_COPY_BOUNDS_H

#include "machine/cuda/runtime_calls.h"
#include "machine/memory/arrays.h"

#include <stdint.h>

extern bool bounds_are_checked;

/* Calls the fault handler of machine_check_bounds(). */
void __attribute__((noreturn)) bounds_tell(const char *text);

/* Writes the description of an array or a PTX variable for a report. */
#define MOST_ARRAY_TEXT (MOST_MARK + 32)
void bounds_array_text(const struct array *array, char *text, size_t size);

/* Are the bytes [address, address + bytes) among the `size` bytes from `begin` on, or among the bytes of the
 * program, which has the __device__ variables? */
bool bounds_is_within(uintptr_t address, size_t bytes, uintptr_t begin, size_t size);
bool bounds_is_program(uintptr_t address, size_t bytes);

/* Each function checks the bytes that a copy or a memset accesses; `instruction` is the host's call. The
 * copy's kind says which side is memory of a device; with cudaMemcpyDefault a side is device memory if it
 * begins in an array. `is_taken` means that the source's bytes were taken before, so that the source is not
 * checked again. */
void bounds_check_rows(const struct machine_copy *copy, bool is_taken, const void *instruction);
void bounds_check_setting(const struct machine_setting *setting, const void *instruction);

/* bounds_note_unwritten() notes which bytes of a copy to the host nobody had written. Such a copy is not yet
 * a mistake, because it may have more bytes than the host reads. bounds_check_unwritten() reports an access
 * by which the host reads such bytes, if they are as the copy has left them. */
void bounds_note_unwritten(uintptr_t to, uintptr_t from, size_t bytes, const void *instruction);
void bounds_check_unwritten(uintptr_t address, size_t bytes, const void *instruction);
/* the host's memory in which such bytes may be */
extern struct unwritten_span {
    uintptr_t begin, end;
} unwritten_span;

#endif
