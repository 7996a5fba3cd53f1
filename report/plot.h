/* Makes the curves of a figure from one result, for gnuplot: chooses the variants and writes their points. */
#ifndef REPORT_PLOT_H
#define REPORT_PLOT_H

#include "report/figures.h"
#include "report/timing.h"

/* The names of the variants that a figure shows. */
struct names {
    char **items;
    /* for each variant, whether it is ordered; an unordered one gets a dashed line or a pale bar */
    bool *ordered;
    size_t *places; /* for each variant, its place in the figure's list of variants */
    size_t count;
    char *lacking; /* name of the first variant that the figure requires and the result lacks, or NULL */
};

/* A figure and the result from which it is drawn. */
struct plot {
    const struct figure *figure;
    /* the result that is drawn, or NULL for the study of the abstract machines */
    const struct result *result;
    const char *folder; /* the folder of the result */
    struct names names;
};

/* Returns the figure with the names that it needs, which names_free frees. `result` may be NULL; then the
 * figure shows the study of the abstract machines. */
struct plot plot_of(const struct figure *figure, const struct result *result, const char *folder);

/* Returns a struct with the names of the list. The figure draws all of them, whatever was measured. */
struct names names_of_list(const char *const *list, size_t count);
void names_free(struct names *names);

/* Returns a variant's name as the figure shows it: methods have the paper's names in a figure of a paper, and
 * plain ones in all others. */
const char *name_in_figure(const struct figure *figure, const char *variant);

/* Returns the label of variant number `i` of the names: that of the figure's `labels`, or else its name. */
const char *figure_label(const struct figure *figure, const struct names *names, size_t i);

/* Writes a data set for gnuplot for each of the names; its rows are x, y and the ends of the interval of
 * y. */
void write_curves(const struct plot *plot, const struct names *names, FILE *file);

#endif
