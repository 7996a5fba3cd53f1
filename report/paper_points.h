/* Draws numbers that a paper prints for its own GPU into the figures of the machine that models this GPU.
 * Also draws a paper's numbers of the abstract machines into the figures of these. */
#ifndef REPORT_PAPER_POINTS_H
#define REPORT_PAPER_POINTS_H

#include "report/plot.h"

/*
 * The list `figures` of results/papers/PAPER.json has the marks. A mark is an object with these members:
 *
 *     figure    name of the figure, in report/figures.h; a figure NAME-paper has the marks of NAME, too
 *     program   the experiment that the figure shows; without it, any
 *     preset    the preset whose figures have the mark; without it, the figures of the abstract machines
 *     panel     in a figure of two panels, 0 or 1
 *
 * A point also has
 *
 *     curve     the variant whose colour the point has; without it, black
 *     x         a number, a list of numbers, or the name of a bar
 *     beside    how far the point stands to the right of this bar, in widths of a bar's place
 *     y         a formula (report/formula.h), in which {x} stands for x and {result} for the name of the
 *               result that the figure shows
 *
 * A formula that reads no result gives what the paper prints, and is drawn as a star. A formula that reads
 * one gives a ratio or a difference of the paper, applied to a number of the figure, and is drawn as a
 * diamond. An upright line has, in place of x and y,
 *
 *     line      a formula for its x
 *     says      its label, which stands above the panel
 */

/* Says which kinds of marks a figure has: stars, diamonds and upright lines. */
struct paper_marks {
    bool stars, diamonds, lines;
};

/*
 * Prints gnuplot's settings that draw the papers' numbers into this figure: the data $stars and $diamonds,
 * with the columns x, y, colour and panel, $lines, with the columns x, panel and label, and how many rows
 * they have. `data` is the figure's data file,
 * whose rows tell where each bar stands. Returns which marks the figure has. A plot without a result stands
 * for the study of the abstract machines.
 */
struct paper_marks print_paper_points(FILE *file, const struct plot *plot, const char *data);

#endif
