/* Draws figures: for each, writes a data file and a file of settings, and runs gnuplot. */
#ifndef REPORT_DRAW_H
#define REPORT_DRAW_H

#include "report/figures.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* ---- report/paper_points.c ---- */

/*
 * Draws numbers that a paper prints for its own GPU into the figures of the machine that models this GPU, and
 * a paper's numbers of the abstract machines into the figures of these.
 *
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
 * they have. `data` is the figure's data file, whose rows tell where each bar stands. Returns which marks the
 * figure has. A plot without a result stands for the study of the abstract machines.
 */
struct paper_marks print_paper_points(FILE *file, const struct plot *plot, const char *data);

/* ---- report/draw.c ---- */

/* Data of write_settings() that a page needs, too: the figure's caption, which of a paper's marks it has, and
 * the sentence about it. */
struct settings {
    struct caption caption;
    struct paper_marks marks;
    char *says; /* a sentence on what the data show (report/figure_says.c) */
};

/* Writes gnuplot's statement that sets the variable `name` to the text; signs that gnuplot could take for
 * more than a text become question marks. */
void print_setting(FILE *file, const char *name, const char *text);

/* Writes STEM.set; STEM.dat must have been written before. The plot's result describes the device; it may be
 * NULL, which stands for the abstract machines. `second` is the name of the second device in a comparison of
 * two, otherwise NULL. */
struct settings write_settings(const char *stem, const struct plot *plot, const char *second);

/* A figure that has been drawn. */
struct drawn {
    const struct figure *figure;
    char *name;               /* the name of the figure's files without their endings (.svg, .png, ...) */
    struct settings settings; /* the caption, the marks and the sentence of the drawing */
    bool has_drawing;         /* false if gnuplot is not installed; the figure's data are then there alone */
};

/* All figures that have been drawn for a folder of results. */
struct drawing {
    const char *folder;
    char *plots;         /* the folder into which the figures are drawn: plots_of(folder) */
    struct drawn *drawn; /* array of the `count` drawn figures; the caller frees it */
    size_t count, left_out, without_drawing; /* those without are among the `count` figures */
};

/* Draws all figures for which the folder has results, and returns their list. A figure that lacks data or
 * cannot be drawn is named on stderr and left out. Where gnuplot is not installed, all figures are on the
 * list, with their data and without a drawing. */
struct drawing draw_folder(const char *folder);

/* Draws figures with the curves of two devices into plots/compare-A-B/, where A and B are the folders' names.
 * Returns how many figures could not be drawn. */
size_t draw_comparison(const char *a, const char *b);

/* Creates a folder in plots/, if there is none. Refuses a symbolic link, which could lead out of plots/. */
void make_folder(const char *path);

#endif
