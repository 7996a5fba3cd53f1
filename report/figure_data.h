/* Reads back what a figure draws, from its data file. */
#ifndef REPORT_FIGURE_DATA_H
#define REPORT_FIGURE_DATA_H

#include <stdbool.h>
#include <stddef.h>

/* A row of a data file. */
struct data_row {
    char name[96];    /* the text in quotes with which the row begins; "" if it begins with a number */
    double values[8]; /* the numbers in the row's places; NaN where a text stands or nothing */
};

/* A data set: rows that no two empty lines separate, as gnuplot counts data sets. */
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

/* Returns whether a drawing of the data would show nothing: fewer than two curves, fewer than three points in
 * the longest of them (two, where x counts GPUs, or in a paper's figure against sizes), fewer than three bars
 * of operations, or no data at all. */
bool figure_is_trivial(const struct figure *figure, const struct figure_data *data);

#endif
