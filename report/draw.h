/* Draws figures: for each, writes a data file and a file of settings, and runs gnuplot. */
#ifndef REPORT_DRAW_H
#define REPORT_DRAW_H

#include "report/figure_texts.h"
#include "report/paper_points.h"
#include "report/plot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Data of write_settings() that a page needs, too: the figure's caption, which of a paper's marks it has, and
 * the sentence about it. */
struct settings {
    struct caption caption;
    struct paper_marks marks;
    char says[512]; /* a sentence on what the data show (report/figure_says.c) */
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
    char name[128];           /* the name of the figure's files without their endings (.svg, .png, ...) */
    struct settings settings; /* the caption, the marks and the sentence of the drawing */
    bool has_drawing;         /* false if gnuplot is not installed; the figure's data are then there alone */
};

/* All figures that have been drawn for a folder of results. */
struct drawing {
    const char *folder;
    char plots[512];     /* the folder into which the figures are drawn: plots_of(folder) */
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
