/* Texts about figures, and the table of all figures. */
#ifndef REPORT_FIGURE_TEXTS_H
#define REPORT_FIGURE_TEXTS_H

#include "report/figures.h"
#include "report/table.h"

/* Writes the figure's title for `program` into `text` and returns `text`. */
const char *figure_title(const struct figure *figure, const char *program, char *text, size_t bytes);

/* Writes the command that makes the figure's results into `text` and returns `text`. */
const char *figure_command(const struct figure *figure, char *text, size_t bytes);

/* Prints a table with a row for each figure: its place in a paper, title, file and command. */
void print_figures(enum form form, FILE *file);

#endif
