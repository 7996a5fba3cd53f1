/* Opens the problems of an experiment, one at a time, and computes their reference answers. */
#ifndef HARNESS_PROBLEM_H
#define HARNESS_PROBLEM_H

#include "harness/sweep.h"

/* Opens the problem of the size number `at` in the sweep's list of sizes, and first closes the problem of the
 * size before it. If --input names a file, the file decides the size, which then replaces the one in the
 * list. Does nothing for an experiment without problems. If the device has too little memory for the size,
 * prints a line that says so, notes it as skipped and returns false; the first size is not checked. */
bool problem_open(struct sweep *sweep, size_t at);

/* Notes for the result file that what this text names, a variant or a size, is not measured, and why. The
 * last process prints a line that says so. */
void leave_out(const struct sweep *sweep, const char *what, const char *reason);

/* Closes the open problem, if there is one. */
void problem_close(const struct experiment *experiment);

/* Computes the reference answers of the open problem, unless that is done already. */
void problem_need_reference(const struct experiment *experiment);

/* Times the sequential reference on the open problem, as Xiao and Feng 2010, Table III, does. Returns the
 * times as JSON, in ns. */
cJSON *problem_time_sequential(const struct experiment *experiment, long long size);

#endif
