/* Writes the settings with which gnuplot draws a figure: names, colours, labels and axes. */
#ifndef REPORT_SETTINGS_H
#define REPORT_SETTINGS_H

#include "report/figure_texts.h"
#include "report/paper_points.h"
#include "report/plot.h"

#include <stdio.h>

/* The parts of the settings that a page needs, too: the figure's caption, the kinds of a paper's marks that
 * it has, and a sentence about it. */
/* What was written: the figure's caption, which of a paper's marks it has, and what it shows. */
struct settings {
    struct caption caption;
    struct paper_marks marks;
    char says[512]; /* a sentence on what the data show (report/figure_says.h) */
};

/* Writes gnuplot's statement that sets the variable `name` to the text; signs that gnuplot could take for
 * more than a text become question marks. */
void print_setting(FILE *file, const char *name, const char *text);

/* Writes STEM.set; STEM.dat must have been written before. The plot's result describes the device; it may be
 * NULL, which stands for the abstract machines. `second` is the name of the second device in a comparison of
 * two, otherwise NULL. */
struct settings write_settings(const char *stem, const struct plot *plot, const char *second);

#endif
