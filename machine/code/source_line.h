/* Writes source names for reports: the line of an instruction, the name of a function or variable. */
#ifndef MACHINE_SOURCE_LINE_H
#define MACHINE_SOURCE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes "FILE:LINE" of an instruction of a kernel, or of the host's instruction before this return
 * address, if binutils are installed; otherwise its offset in the program. */
void source_line(const void *instruction, char *text, size_t size);

/* Writes "FILE:LINE" of the site's instruction. If reports have marks (machine_mark_lines()), writes a mark
 * instead, which also names the calls that led to the instruction (machine/code/calls.h). */
void source_line_of(uint32_t site, char *text, size_t size);

/* Returns whether source_line() writes equal texts for the two instructions, apart from marks. */
bool source_is_same_line(const void *a, const void *b);

/* Writes the name of the program's variable at the address: "counter", or "flags[3]" if the address is in
 * another item than the first one. An item has `bytes` bytes. */
void source_variable(uintptr_t address, size_t bytes, char *text, size_t size);

/* Writes the name of the variable at this offset among the __shared__ variables: "tile[3]", or "byte 12 of
 * shared memory" if it has no name. */
void source_shared(uintptr_t offset, size_t bytes, char *text, size_t size);

/* Writes the name of this item of the running kernel's dynamic shared memory: "tile[3] (dynamic shared
 * memory)". If it has no name, or several, writes "byte 12 of the dynamic shared memory", and returns
 * false. */
bool source_dynamic(uintptr_t offset, size_t bytes, char *text, size_t size);

#endif
