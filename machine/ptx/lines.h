/*
 * Source lines of PTX, for reports. An instruction is named by the place of its text in the program's file, which is
 * the same in all runs, so that another process can tell the line (check/frames.c).
 */
#ifndef MACHINE_PTX_LINES_H
#define MACHINE_PTX_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes "FILE:LINE" of an instruction, without folders. Returns false if the address is of no instruction of PTX. */
bool ptx_line_of(const void *instruction, char *text, size_t size);

/* Returns the place of the instruction's text, or 0 if it is of none or its text is not in the program's file. An odd
 * address, of a fence around an access, has the place of the access. */
uint32_t ptx_place_of(const void *instruction);
bool ptx_is_place(uint32_t place);

/* Returns the place of a statement's text, or 0 if the module's text is not in the program's file. */
struct ptx_module;
struct ptx_statement;
uint32_t ptx_place_of_statement(const struct ptx_module *module, const struct ptx_statement *statement);

/* Calls `see` with the lines of a place: the innermost inlined function first. */
void ptx_place_lines(uint32_t place, void (*see)(void *context, const char *path, unsigned line), void *context);

/* Returns a number for the place in the source of a statement: equal for all copies of an inlined
 * function, and not 0. Two equal statements of one line differ. */
struct ptx_function;
uint32_t ptx_source_number(const struct ptx_function *function, const struct ptx_statement *statement);
uint32_t ptx_source_number_of(const void *instruction); /* 0 if it is of no instruction of PTX */

/* Returns a kernel's name as a launch in the program has it, without namespaces. */
const char *ptx_shown_name(struct ptx_function *kernel);

/* Write the name of the variable that has the address, or of the shared variable at this offset in a block of the kernel
 * that was read last: "counter", or "flags[3]" for an item of `bytes` bytes. Return false if there is none. */
bool ptx_variable_at(uintptr_t address, size_t bytes, char *text, size_t size);
bool ptx_shared_at(size_t offset, size_t bytes, char *text, size_t size);

#endif
