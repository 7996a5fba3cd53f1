/* The value of a formula, with its 95 % interval or the reason why there is none. */
#ifndef REPORT_VALUE_H
#define REPORT_VALUE_H

#include "report/timing.h"

struct value {
    /* the value, and the ends of its interval, which follow from the intervals of the medians in the
     * formula */
    double is, low, high;
    char missing[160]; /* what was not measured, if there is therefore no value; "" if there is one */
};

/* Returns the number as a value whose interval contains nothing else. */
struct value value_exactly(double number);

/* Returns a missing value with the reason that `what` was not measured in the result `where`; `where` is ""
 * if no result is meant. If `where` names alternative sweeps, the reason names only the file. */
struct value value_missing(const char *what, const char *where);

struct value value_of_timing(struct timing time);

/* Returns a OPERATION b, where the operation is + - * /, 'm' (minimum) or 'M' (maximum). The interval spans
 * the results for all four pairs of the operands' ends. If an operand is missing, the result is missing. */
struct value value_combine(char operation, struct value a, struct value b);

struct value value_scaled(struct value v, double factor);

#endif
