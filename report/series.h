/* Writes the data of a figure for gnuplot. The figure's member `series` says whether they are curves, bars or
 * cells, and of what. */
#ifndef REPORT_SERIES_H
#define REPORT_SERIES_H

#include "report/plot.h"
#include "report/timing.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct bar {
    double value, second, third; /* the numbers of the bar's three parts, from the first to the third */
    char name[96];
    double low, high; /* the ends of the 95 % interval of `value` */
    bool ordered;     /* whether the variant is ordered; otherwise the bar is pale */
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
 * part, 1 if the variant is ordered (else 0), the bar's colour as a number (that of its variant if all bars'
 * variants have one), the two ends of the interval, and the third part. Frees the bars. Returns whether any
 * row was written. */
bool bars_write(const struct plot *plot, struct bars *bars, FILE *file);

/* Writes the data of the figure: a data set for each name, in their order, or a row for each bar. Returns
 * false if there is nothing to draw. */
bool write_series(const struct plot *plot, FILE *file);

/* A kind of figure that serves one paper or one program, and the function that writes its data;
 * report/papers/series.c has the list. */
struct series_kind {
    enum series series;
    bool (*write)(const struct plot *plot, FILE *file);
};
extern const struct series_kind paper_series[];
extern const size_t paper_series_count;

/* Reads back what a figure draws, from its data file. */

/* A row of a data file. */
struct data_row {
    char name[96];    /* the text in quotes with which the row begins; "" if it begins with a number */
    double values[8]; /* the numbers of the row, by column; NaN if a column has a text or is missing */
};

/* A data set: rows between two pairs of empty lines, which separate data sets for gnuplot. */
struct data_set {
    struct data_row *rows;
    size_t count;
};
struct figure_data {
    struct data_set *sets;
    size_t count;
};

/* Returns the data sets of the file; none if there is no such file. The caller frees them. */
struct figure_data figure_data_read(const char *path);
void figure_data_free(struct figure_data *data);

struct figure;

/* Returns whether a drawing of the data would show next to nothing: no data at all, fewer than two curves,
 * fewer than three bars of operations, or fewer than three points in the longest curve. Two points are enough
 * if x counts GPUs, or in a paper's figure against sizes. */
bool figure_is_trivial(const struct figure *figure, const struct figure_data *data);

#endif
