/* The unit in which a table's times are printed (--unit). */
#ifndef REPORT_UNIT_H
#define REPORT_UNIT_H

#include "report/timing.h"

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

/* unit_choose sets the unit in which cells of tables.txt print times (report/cell.c), and unit_chosen returns
 * it; it is UNIT_AS_WRITTEN at first. */
void unit_choose(enum unit unit);
enum unit unit_chosen(void);

#endif
