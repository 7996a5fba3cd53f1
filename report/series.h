/* Writes the data of a figure for gnuplot. The figure's member `series` says whether they are curves, bars or
 * cells, and of what. */
#ifndef REPORT_SERIES_H
#define REPORT_SERIES_H

#include "report/plot.h"

#include <stdbool.h>
#include <stddef.h>

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
