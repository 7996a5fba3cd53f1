/* The end of a program that cannot continue: one line on stderr, and a documented exit status. */
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
    EXIT_DEADLOCK = 4   /* a kernel deadlocked or took too long */
};

/* Sets the name that messages begin with; called once, at the start of main. */
void set_program_name(const char *name);
const char *program_name(void);

/* Prints "program: message" to stderr and exits. */
void fail(enum exit_status status, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));

/* Checks that all output has been written; exits with EXIT_BAD_INPUT if it has not. Called before a
 * successful end. */
void finish_output(void);

#ifdef __cplusplus
}
#endif

#endif
