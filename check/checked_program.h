/*
 * What the two tools gpusync-check (check/explore/main.c) and gpusync-predict (check/predict/main.c) share.
 * Each tool compiles the user's program and links it with the tool's own main file. The tool runs before the
 * first constructor of the program, and forks processes that go on as the program: so nothing that the
 * program does to its process, from its constructors to its destructors, happens to the tool.
 */
#ifndef CHECK_CHECKED_PROGRAM_H
#define CHECK_CHECKED_PROGRAM_H

#include <stddef.h>

/* The main() of the user's program, which check/program.bash renames in the object file. */
int gpusync_checked_main(int argc, char **argv);

/* The tool. It must not return. */
void __attribute__((noreturn)) checked_program_tool(int argc, char **argv);

/* Called in a process that the tool has forked: the process goes on as the user's program, with these
 * arguments. `at_end` is called when the program has ended by exit() or by the end of its main(), after its
 * destructors; NULL means that nothing is called. */
void __attribute__((noreturn)) checked_program_begin(int argc, char **argv, void (*at_end)(void));

/* checked_program_adopt() makes this process the parent of all processes that the program will start and
 * leave running. checked_program_end_strays() ends these processes. */
void checked_program_adopt(void);
void checked_program_end_strays(void);

/* The size in bytes of the stack of each thread of a kernel. It is large, because printf() needs much
 * stack. */
#define STACK_OF_A_THREAD ((size_t)64 << 10)

#endif
