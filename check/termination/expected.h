/*
 * Verdicts that somebody else has found, to compare with: a table with commas. Its first line names
 * the columns: `file`, from the table's folder, and models; other columns are comments. 1: every
 * execution ends, 0: not, empty: nobody knows.
 */
#ifndef CHECK_TERMINATION_EXPECTED_H
#define CHECK_TERMINATION_EXPECTED_H

#include "check/termination/program.h"

struct expected_program {
    struct progress_program *program;
    unsigned ends, known; /* models, a bit each */
};

struct expected {
    struct expected_program *items;
    int count;
};

/* Reads the table and all of its programs; exits with EXIT_BAD_INPUT if one of them is wrong. */
struct expected expected_read(const char *path);
void expected_forget(struct expected *expected);

#endif
