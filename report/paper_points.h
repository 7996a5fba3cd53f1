/* What a paper's text says of its own GPU, drawn into the figure of the machine's preset for that GPU; and of its
 * abstract machine. */
#ifndef REPORT_PAPER_POINTS_H
#define REPORT_PAPER_POINTS_H

#include "report/figures.h"

/* Prints gnuplot's settings for the points of this figure of the result, if it is of a paper's GPU (NULL: of the study
 * of the abstract machines); and least_top, how high they reach. `data`: the figure's data file, whose rows say where a bar stands. */
void print_paper_points(FILE *file, const struct figure *figure, const struct result *result,
                        const char *data);

/* What of that is in a figure. `device`: any result of the device, NULL: the abstract machines; `program`: of a figure of
 * a family, else "". */
struct paper_marks {
    bool stars, lines;
};
struct paper_marks paper_marks_of(const struct figure *figure, const struct result *device,
                                  const char *program, const char *data);

#endif
