/* The data of a figure for gnuplot: curves, bars or cells, by the figure's `series`. */
#ifndef REPORT_SERIES_H
#define REPORT_SERIES_H

#include "report/plot.h"

/* Writes the data to `file`, as data sets in the order of the names, or as rows of bars. Returns false if
 * there is nothing to draw. */
bool write_series(const struct plot *plot, FILE *file);

/* The figures of single papers and programs, which report/papers/series.c defines. */
struct series_kind {
    enum series series;
    bool (*write)(const struct plot *plot, FILE *file);
};
extern const struct series_kind paper_series[];
extern const size_t paper_series_count;

#endif
