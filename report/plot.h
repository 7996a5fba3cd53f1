/* A figure of one result: the variants that it shows, and their curves for gnuplot. */
#ifndef REPORT_PLOT_H
#define REPORT_PLOT_H

#include "report/figures.h"
#include "report/points.h"

/* The variants that are drawn. */
struct names {
    char **items;
    bool *ordered;  /* whether each variant is ordered; an unordered one gets a dashed line or a pale bar */
    size_t *places; /* each variant's place in the figure's list of variants */
    size_t count;
    char lacking[64]; /* the first variant that the figure requires and that was not measured, or "" */
};

/* A figure of one result. */
struct plot {
    const struct figure *figure;
    const struct result *result; /* the drawn result, or NULL for the study of the abstract machines */
    const char *folder;          /* the folder of the result */
    struct points points;        /* the result's points */
    struct names names;
};

/* Reads what the figure needs. `result` may be NULL; then the figure shows the study of the abstract
 * machines. */
struct plot plot_of(const struct figure *figure, const struct result *result, const char *folder);

void plot_free(struct plot *plot);

/* Returns the names of the list, all of which are drawn, whatever was measured. */
struct names names_of_list(char **list, size_t count);
void names_free(struct names *names);

/* Writes a data set for each of the names: x, y, and the ends of the interval of y. */
void write_curves(const struct plot *plot, const struct names *names, FILE *file);

#endif
