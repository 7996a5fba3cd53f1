/* The unit in which a table's times are printed (--unit). */
#ifndef REPORT_UNIT_H
#define REPORT_UNIT_H

#include "report/timing.h"

/* UNIT_AS_WRITTEN stands for the unit that tables.txt has for a cell. */
enum unit { UNIT_US, UNIT_NS, UNIT_CYCLES, UNIT_AS_WRITTEN };

/* Returns the unit of this name: us, ns or cycles. Exits with EXIT_BAD_INPUT for another name. */
enum unit unit_of(const char *name);
const char *unit_name(enum unit unit);

/* Returns by what a time of the result in microseconds must be multiplied to be in the unit. A cycle is one
 * of the clock rate that the result names for its device. Exits with EXIT_BAD_INPUT if it names none and
 * cycles are asked for. */
double unit_factor(enum unit unit, const struct result *result);

struct timing timing_in(enum unit unit, const struct result *result, struct timing time);

/* Returns how many digits after the decimal point a time needs in the unit to be as exact as with `digits` in
 * microseconds. */
int unit_digits(enum unit unit, int digits);

/* unit_choose sets the unit in which cells of tables.txt print times (report/cell.c), and unit_chosen returns
 * it; it is UNIT_AS_WRITTEN at first. */
void unit_choose(enum unit unit);
enum unit unit_chosen(void);

#endif
