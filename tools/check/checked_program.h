/*
 * The common part of the two tools gpusync-check (tools/check/explore/main.c) and gpusync-predict
 * (tools/predict/main.c). Each tool compiles the user's program and links it with the tool's own main file.
 * The tool runs before the first constructor of the program, and forks processes that go on as the program:
 * so the program's changes of its process, from its constructors to its destructors, do not affect the tool.
 */
#ifndef CHECK_CHECKED_PROGRAM_H
#define CHECK_CHECKED_PROGRAM_H

#include "machine/machine.h"

#include <signal.h>
#include <stddef.h>
#include <sys/types.h>

/* The main() of the user's program, which tools/check/program.bash renames in the object file. */
int gpusync_checked_main(int argc, char **argv, char **environment);

/* Judges the arguments of the program before it runs; exits with EXIT_BAD_INPUT and a message of the tool if
 * they are wrong. Only the program that makes the launches of --launch has this function
 * (tools/check/ptx/launcher.c). */
void __attribute__((weak)) gpusync_checked_arguments(const char *tool, int argc, char **argv);

/* The tool. It must not return. Its options are not among the arguments of the process, which belong to the
 * user's program. */
void __attribute__((noreturn)) checked_program_tool(int count, char **options);

/* Opens a file beside the program's own, which tools/check/program.bash has put there, for reading. Returns
 * NULL, with errno, if it is not there. */
FILE *checked_program_open(const char *name);

/* Called in a process that the tool has forked: the process goes on as the user's program. `at_end` is called
 * when the program has ended by exit() or by the end of its main(), after its destructors; NULL means that
 * nothing is called. */
void __attribute__((noreturn)) checked_program_begin(void (*at_end)(void));

/* Prints a line that says which calls were skipped (--skip-calls), or nothing if there is none. */
void checked_program_print_skipped(const struct machine_left_out *out, const char *begin, FILE *file);

/* Returns the time in seconds of a clock that never goes back. */
double seconds_now(void);

/* Returns the seconds of processor time that a process has taken, so that a program on a busy computer does
 * not reach its limit early. Returns at least PART_OF_WAITING times the seconds since `began`
 * (seconds_now()), so that a program that sleeps reaches its limit, too. */
double checked_program_seconds(pid_t process, double began);
#define PART_OF_WAITING 0.1

/* checked_program_adopt() makes this process the parent of all processes that the program will start and
 * leave running, and blocks SIGCHLD. It returns the signals that were blocked before.
 * checked_program_wait() waits until a process ends, but not for long. checked_program_end_strays() ends the
 * processes that were left running, but not the tool's own process `checked_program_helper`; 0 means that it
 * has none. */
extern pid_t checked_program_helper;
sigset_t checked_program_adopt(void);
void checked_program_wait(void);
void checked_program_end_strays(void);

#endif
