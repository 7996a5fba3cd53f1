/* Numbers that a paper prints for its own GPU, drawn into the figures of the machine that models this GPU,
 * and numbers of its abstract machine. */
#ifndef REPORT_PAPER_POINTS_H
#define REPORT_PAPER_POINTS_H

#include "report/figures.h"

/* Prints gnuplot's settings for the paper's numbers in this figure of the result, if it models a paper's
 * GPU, and the setting least_top, which is the highest number. `result` may be NULL, which stands for the
 * study of the abstract machines. `data` is the figure's data file, whose rows say where a bar stands. */
void print_paper_points(FILE *file, const struct figure *figure, const struct result *result,
                        const char *data);

/* Returns which of a paper's numbers are in the figure. `device` is any result of the device, or NULL for
 * the abstract machines; `program` is the program of a figure of a family, or "". */
struct paper_marks {
    bool stars, lines;
};
struct paper_marks paper_marks_of(const struct figure *figure, const struct result *device,
                                  const char *program, const char *data);

#endif
