/* Collects the bars of a figure and writes them for gnuplot. */
#ifndef REPORT_BARS_H
#define REPORT_BARS_H

#include "report/timing.h"

#include <stdio.h>

struct bar {
    char name[96];
    double value, second, third; /* the numbers of the bar's three parts, from the first to the third */
    double low, high;            /* the ends of the 95 % interval of `value` */
    bool ordered;                /* whether the variant is ordered; otherwise the bar is pale */
};
struct bars {
    struct bar *items;
    size_t count;
};

/* Adds a bar with `value` alone, without an interval, and returns the new bar. */
struct bar *bars_add(struct bars *bars, const char *name, double value, bool ordered);

/* Adds a bar whose value is the time, in microseconds, with the time's interval. */
void bars_add_time(struct bars *bars, const char *name, struct timing time, bool ordered);

/* Sorts the bars by height, the lowest first. */
void bars_sort(struct bars *bars);

/* Writes a row for each bar with a finite value, for gnuplot. Its columns are: "NAME", the value, the second
 * part, 1 if the variant is ordered (else 0), the bar's colour as a number, the two ends of the interval, and
 * the third part. Frees the bars. Returns whether any row was written. */
bool bars_write(struct bars *bars, FILE *file);

#endif
