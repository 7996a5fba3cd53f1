/* Texts about figures, and the list of all of them. */
#ifndef REPORT_FIGURE_TEXTS_H
#define REPORT_FIGURE_TEXTS_H

#include "report/figures.h"
#include "report/table.h"

/* Writes the figure's title for `program` into `text` and returns `text`. */
const char *figure_title(const struct figure *figure, const char *program, char *text, size_t bytes);

/* Writes the command that makes the figure's results into `text` and returns `text`. */
const char *figure_command(const struct figure *figure, char *text, size_t bytes);

/* Prints the table of all figures: where it is from, title, file and command. */
void print_figures(enum form form, FILE *file);

#endif
