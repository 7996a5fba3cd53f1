/* The problem that is open, for experiments that have one, and its reference answers. */
#ifndef HARNESS_PROBLEM_H
#define HARNESS_PROBLEM_H

#include "harness/sweep.h"

/* Opens the problem of the sweep's size number `at` and closes the one before it. The size in the options
 * becomes the problem's own, which an input decides. Does nothing for an experiment without problems. */
void problem_open(struct sweep *sweep, size_t at);

/* Computes the reference answers, unless that is done already for the open problem. */
void problem_need_reference(const struct experiment *experiment);

/* Times the sequential reference, Table III's yardstick, on the open problem; returns the times as JSON, in
 * ns. */
cJSON *problem_time_sequential(const struct experiment *experiment, long long size);

#endif
