/* Draws numbers that a paper prints for its own GPU into the figures of the machine that models this GPU.
 * Also draws a paper's numbers of the abstract machines into the figures of these. */
#ifndef REPORT_PAPER_POINTS_H
#define REPORT_PAPER_POINTS_H

#include "report/figures.h"

/* How a number of a paper is drawn in a figure. */
enum paper_place {
    AT,             /* a star at x */
    AT_REST_OF_100, /* a star at x, at the height of 100 minus the number */
    LINE,           /* a vertical line; the paper's number is a number of blocks */
    /* a star for each number of a list in the paper; the x of each star is the number in the same place of
     * the list `x` */
    LIST
};

/* A number of a paper, and the figure into which it is drawn. */
struct paper_point {
    /* the figure's preset, name and experiment; the preset "" with the experiment "study" stands for the
     * abstract machines */
    const char *preset, *figure, *experiment;
    /* the x of a star: a number or the name of a bar. For a LINE it is the height of the label instead, as a
     * share of the figure's height; "" means 0.35. */
    const char *x;
    enum paper_place place;
    /* the name PAPER of results/papers/PAPER.json, and the number's path in this file */
    const char *paper, *path;
    const char *label;
};

/* The list of all papers' numbers that are drawn into figures (report/papers/paper_points.c). */
extern const struct paper_point paper_points[];
extern const size_t paper_points_count;

/*
 * Prints gnuplot's settings that draw the papers' numbers into this figure, and the setting least_top, which
 * is the highest of these numbers. It prints them only if `result` is of a machine that models a paper's GPU,
 * or is NULL, which stands for the study of the abstract machines. `data` is the figure's data file, whose
 * rows tell where each bar stands.
 */
void print_paper_points(FILE *file, const struct figure *figure, const struct result *result,
                        const char *data);

/* The marks of papers' numbers that a figure has: whether any stars, and whether any lines. paper_marks_of
 * returns them. `device` is any result of the device, or NULL for the abstract machines. `program` is ""
 * unless the figure exists once for each program of a family; then it is the program. */
struct paper_marks {
    bool stars, lines;
};
struct paper_marks paper_marks_of(const struct figure *figure, const struct result *device,
                                  const char *program, const char *data);

#endif
