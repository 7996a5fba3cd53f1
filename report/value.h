/* The value of a formula, with its 95 % interval or with the reason why it has none. */
#ifndef REPORT_VALUE_H
#define REPORT_VALUE_H

#include "report/timing.h"

struct value {
    double is, low, high; /* the value, and the interval that follows from the intervals of its medians */
    char missing[160];    /* what was not measured, or "" if the value is there */
};

/* A number without uncertainty. */
struct value value_exactly(double number);

/* No value: `what` was not measured in the result `where`, which may be "". Where `where` names alternative sweeps, the
 * text has only the name of the file. */
struct value value_missing(const char *what, const char *where);

struct value value_of_timing(struct timing time);

/* `operation` is one of + - * /, 'm' (minimum) or 'M' (maximum). The interval spans the results of all four pairs of
 * ends. If an operand is missing, so is the result. */
struct value value_combine(char operation, struct value a, struct value b);

struct value value_scaled(struct value v, double factor);

#endif
