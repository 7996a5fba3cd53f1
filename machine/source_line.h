/* Which line of the source an instruction comes from. */
#ifndef MACHINE_SOURCE_LINE_H
#define MACHINE_SOURCE_LINE_H

#include <stddef.h>

/* "file:line" of the instruction before this return address, if binutils are there; else its place in the program. */
void source_line(const void *instruction, char *text, size_t size);

#endif
