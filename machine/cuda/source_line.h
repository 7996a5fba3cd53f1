/* Which line of the source an instruction comes from, and what a function is called there. */
#ifndef MACHINE_SOURCE_LINE_H
#define MACHINE_SOURCE_LINE_H

#include <stddef.h>

/* "file:line" of the instruction before this return address, if binutils are there; else its place in the program. */
void source_line(const void *instruction, char *text, size_t size);

/* Its name without namespaces' arguments, likewise. */
void source_function(const void *function, char *text, size_t size);

#endif
