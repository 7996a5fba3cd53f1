/* The value of a formula, with its 95 % interval or the reason why there is none, and the unit in which a
 * table prints times (--unit). */
#ifndef REPORT_VALUE_H
#define REPORT_VALUE_H

#include "report/results.h"

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

/* ---- units ---- */

/* UNIT_AS_WRITTEN stands for the unit that tables.txt has for a cell. */
enum unit { UNIT_US, UNIT_NS, UNIT_CYCLES, UNIT_AS_WRITTEN };

/* Returns the unit of this name: us, ns or cycles. Exits with EXIT_BAD_INPUT for another name. */
enum unit unit_of(const char *name);
const char *unit_name(enum unit unit);

/* Returns the factor that converts a time of the result from microseconds to the unit. For cycles it is the
 * clock rate that the result notes for its device; if the result notes none, exits with EXIT_BAD_INPUT. */
double unit_factor(enum unit unit, const struct result *result);

struct timing timing_in(enum unit unit, const struct result *result, struct timing time);

/* Returns the number of digits after the decimal point with which a time in the unit is as exact as a time in
 * microseconds with `digits` digits. */
int unit_digits(enum unit unit, int digits);

/* unit_choose sets the unit in which cells of tables.txt print times (report/cell.c), and unit_chosen
 * returns it; it is UNIT_AS_WRITTEN at first. */
void unit_choose(enum unit unit);
enum unit unit_chosen(void);

#endif
