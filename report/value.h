/* The value of a formula, with its 95 % interval or the reason why there is none. */
#ifndef REPORT_VALUE_H
#define REPORT_VALUE_H

#include "report/timing.h"

struct value {
    double is, low, high; /* the value, and the interval that follows from the intervals of its medians */
    char missing[160];    /* what was not measured, or "" if the value is there */
};

/* Returns a value without uncertainty. */
struct value value_exactly(double number);

/* Returns a missing value: `what` was not measured in the result `where`, or "" if no result is meant. If
 * `where` lists alternative sweeps, only the name of the file is mentioned. */
struct value value_missing(const char *what, const char *where);

struct value value_of_timing(struct timing time);

/* Computes a OPERATION b, where the operation is + - * /, 'm' (minimum) or 'M' (maximum). The interval
 * spans the results for all four pairs of ends. If an operand is missing, the result is missing. */
struct value value_combine(char operation, struct value a, struct value b);

struct value value_scaled(struct value v, double factor);

#endif
