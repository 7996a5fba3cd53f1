/* The source line of an instruction, and the source name of a function. */
#ifndef MACHINE_SOURCE_LINE_H
#define MACHINE_SOURCE_LINE_H

#include <stddef.h>
#include <stdint.h>

/* "file:line" of the instruction before this return address, if binutils are installed; else its
 * place in the program. */
void source_line(const void *instruction, char *text, size_t size);

/* The function's name without its arguments, if binutils are installed; else its address. */
void source_function(const void *function, char *text, size_t size);

/* The program's variable at the address: "counter", or "flags[3]" if it is not the first item of this
 * number of bytes. */
void source_variable(uintptr_t address, size_t bytes, char *text, size_t size);

/* The variable at this offset among the __shared__ variables: "tile[3]", or "byte 12 of shared memory" if
 * it has no name. */
void source_shared(uintptr_t offset, size_t bytes, char *text, size_t size);

#endif
