/* Numbers that a paper prints for its own GPU, drawn into the figures of the machine that models this GPU,
 * and numbers of its abstract machine. */
#ifndef REPORT_PAPER_POINTS_H
#define REPORT_PAPER_POINTS_H

#include "report/figures.h"

/* How a number of a paper is drawn in a figure. */
enum paper_place {
    AT,             /* a star at x */
    AT_REST_OF_100, /* a star at 100 minus the number */
    LINE,           /* a vertical line at a number of blocks */
    /* a star for each number of a list, at the number in the same place of the paper's list `x` */
    LIST
};

/* One number of a paper in one figure. */
struct paper_point {
    /* the preset, figure and experiment; preset "" and experiment "study" stand for the abstract machines */
    const char *preset, *figure, *experiment;
    /* the x of a star: a number or the name of a bar. For a LINE it is the height of the label, or "" for
     * 0.35. */
    const char *x;
    enum paper_place place;
    const char *paper, *path; /* the number's path in results/papers/PAPER.json */
    const char *label;
};

/* Every number of a paper that is drawn into a figure; report/papers/paper_points.c has the list. */
extern const struct paper_point paper_points[];
extern const size_t paper_points_count;

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
