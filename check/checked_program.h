/* Declares what the two tools gpusync-check (check/explore/main.c) and gpusync-predict (check/predict/main.c)
 * need of the user's program. Each tool compiles the program and links it with the tool's own main file. */
#ifndef CHECK_CHECKED_PROGRAM_H
#define CHECK_CHECKED_PROGRAM_H

#include <stddef.h>

/* The main() of the user's program, which check/program.bash renames in the object file. */
int gpusync_checked_main(int argc, char **argv);

/* The size in bytes of the stack of each thread of a kernel. It is large, because printf() needs much
 * stack. */
#define STACK_OF_A_THREAD ((size_t)64 << 10)

#endif
