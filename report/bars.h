/* The data of a figure of bars. */
#ifndef REPORT_BARS_H
#define REPORT_BARS_H

#include "report/timing.h"

#include <stdio.h>

struct bar {
    char name[96];
    double value, second, third; /* the heights of the bar's three parts */
    double low, high;            /* the ends of the interval of `value` */
    bool ordered;                /* whether the variant is ordered; otherwise the bar is pale */
};
struct bars {
    struct bar *items;
    size_t count;
};

/* Adds a bar with one part, without an interval, and returns the bar. */
struct bar *bars_add(struct bars *bars, const char *name, double value, bool ordered);

/* Adds a bar of a time, in microseconds, with its interval. */
void bars_add_time(struct bars *bars, const char *name, struct timing time, bool ordered);

/* Sorts the bars by height, the highest first. */
void bars_sort(struct bars *bars);

/*
 * Writes a row for each bar with a finite value: "NAME", the value, the second part, 1 if it is ordered, its
 * colour as a number, the ends of the interval, and the third part. Frees the bars. Returns whether there is
 * a row.
 */
bool bars_write(struct bars *bars, FILE *file);

#endif
