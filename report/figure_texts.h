/* Texts about figures, and the table of all figures. */
#ifndef REPORT_FIGURE_TEXTS_H
#define REPORT_FIGURE_TEXTS_H

#include "report/plot.h"
#include "report/table.h"

/*
 * What a drawn figure says of itself: its heading "PLACE: TITLE", where PLACE has the part of the paper's
 * figure and is left out if the figure is not in a paper, and the sizes of the problems that it shows, from
 * its results. `sizes` is "" if the results have no size that means something. The plot's result may be NULL;
 * then the figure is of the study of the abstract machines, whose title has the sizes.
 */
struct caption {
    char heading[280], sizes[220];
};
struct caption caption_of(const struct plot *plot);

/* Writes the command that makes the figure's results into `text` and returns `text`. */
const char *figure_command(const struct figure *figure, char *text, size_t bytes);

/* Prints a table with a row for each figure: its place in a paper, title, file and command. */
void print_figures(enum form form, FILE *file);

#endif
