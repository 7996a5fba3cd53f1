/*
 * Reads a table of verdicts from another source, with which the verdicts of this program are compared. Values
 * are separated by commas, and the first line names the columns. The column `file` has paths relative to the
 * table's folder. A column named after a model has 1 if every execution ends under the model, 0 if not, and
 * nothing if that is not known. Other columns are comments.
 */
#ifndef CHECK_TERMINATION_EXPECTED_H
#define CHECK_TERMINATION_EXPECTED_H

#include "check/termination/program.h"

struct expected_program {
    struct progress_program *program;
    /* set of the models under which the program ends according to the table, one bit for each model */
    unsigned ends;
    unsigned known; /* set of the models for which the table has a verdict */
};

struct expected {
    struct expected_program *items;
    int count;
};

/* Reads the table and all of its programs; exits with EXIT_BAD_INPUT if one of them is wrong. */
struct expected expected_read(const char *path);
void expected_forget(struct expected *expected);

#endif
