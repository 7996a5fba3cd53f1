/* check(holds, sentence...), the assertion of all tests: prints the sentence, and counts it as passed or
 * failed. */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static int checks_passed, checks_failed;

#define check(holds, ...)                                                                                    \
    do {                                                                                                     \
        int check_holds = (holds) ? 1 : 0;                                                                   \
        *(check_holds ? &checks_passed : &checks_failed) += 1;                                               \
        printf(check_holds ? "ok      " : "FAILED  ");                                                       \
        printf(__VA_ARGS__);                                                                                 \
        putchar('\n');                                                                                       \
        fflush(stdout);                                                                                      \
        if (!check_holds && getenv("TESTS_STOP")) /* one failure is enough to notice a mistake */            \
            exit(1);                                                                                         \
    } while (0)

/* Prints the last line of a test program, with the numbers of passed and failed checks, and returns the exit
 * status. */
#define checks_done() (printf("%d passed, %d failed\n", checks_passed, checks_failed), checks_failed != 0)

#endif
