/* Tests that a reader refuses its input: it ends the program with EXIT_BAD_INPUT and a message. */
#ifndef TESTS_REFUSAL_H
#define TESTS_REFUSAL_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Switches off LeakSanitizer: a program that refuses its input does not free its memory before it exits. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

#define MESSAGE_BYTES 1024

/* Returns the exit status of `run` in a child, or -1 if a signal ended it, and sets *message to what it
 * prints to stderr. */
static int status_of(void (*run)(void), char message[MESSAGE_BYTES])
{
    int status, ends[2];
    if (pipe(ends) != 0)
        exit(EXIT_FAILURE);
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        dup2(ends[1], STDERR_FILENO);
        run();
        _exit(99);
    }
    close(ends[1]);
    ssize_t got = read(ends[0], message, MESSAGE_BYTES - 1);
    close(ends[0]);
    message[got > 0 ? got : 0] = '\0';
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Returns the message that `read_it` prints to stderr when it refuses its input, or "" if it does not
 * refuse it. The text is valid until the next call. */
static inline const char *refusal(void (*read_it)(void))
{
    static char message[MESSAGE_BYTES];
    return status_of(read_it, message) == 2 ? message : "";
}

#endif
