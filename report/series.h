/* Writes the data of a figure for gnuplot. The figure's member `series` says whether they are curves, bars or
 * cells, and of what. */
#ifndef REPORT_SERIES_H
#define REPORT_SERIES_H

#include "report/plot.h"

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

#endif
