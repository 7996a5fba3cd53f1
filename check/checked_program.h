/* The program that gpusync-check and gpusync-predict compile, and link with main.c of check/explore or
 * check/predict. */
#ifndef CHECK_CHECKED_PROGRAM_H
#define CHECK_CHECKED_PROGRAM_H

#include <stddef.h>

/* The program's own main(), which check/program.bash renames in its object file. */
int gpusync_checked_main(int argc, char **argv);

/* The size in bytes of the stack of each thread of a kernel. It is large, because printf needs much. */
#define STACK_OF_A_THREAD ((size_t)64 << 10)

#endif
