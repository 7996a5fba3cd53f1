/* What check/explore/main.c and check/predict/main.c call of the user's program: gpusync-check and
 * gpusync-predict compile the program and link it with one of these files. */
#ifndef CHECK_CHECKED_PROGRAM_H
#define CHECK_CHECKED_PROGRAM_H

#include <stddef.h>

/* The main() of the user's program, which check/program.bash renames in the object file. */
int gpusync_checked_main(int argc, char **argv);

/* The size in bytes of the stack of each thread of a kernel. It is large, because printf() needs much
 * stack. */
#define STACK_OF_A_THREAD ((size_t)64 << 10)

#endif
