/* Ends a program that cannot continue, with one line on stderr and a documented exit status. */
#ifndef BASE_FAILURE_H
#define BASE_FAILURE_H

#ifdef __cplusplus
extern "C" {
#endif

enum exit_status {
    EXIT_VERIFIED = 0,
    EXIT_WRONG_RESULT = 1,
    EXIT_BAD_INPUT = 2, /* the command line or an input file is wrong */
    EXIT_CANNOT = 3,    /* there is no device, or it lacks a resource or a capability */
    EXIT_DEADLOCK = 4,  /* a kernel deadlocked or took too long */
    EXIT_UNFINISHED = 5 /* the program is too large for a verdict within the limits (gpusync-check) */
};

/* Sets the program's name, with which its messages begin. Called once, at the start of main. */
void set_program_name(const char *name);
const char *program_name(void);

/* Replaces the control characters of a text by question marks, and returns it. A text from a file or from the
 * command line could otherwise give orders to the terminal on which it is printed. */
char *without_controls(char *text);

/* Prints "PROGRAM: MESSAGE" to stderr, as one line, and goes on. */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints "PROGRAM: MESSAGE" to stderr, as one line, and exits with the status. */
void fail(enum exit_status status, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));

/* Checks that all output to stdout has been written; exits with EXIT_BAD_INPUT if it has not. Called at the
 * end of a successful program. */
void finish_output(void);

#ifdef __cplusplus
}
#endif

#endif
