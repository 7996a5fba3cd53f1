/* Texts about figures, and the table of all figures. */
#ifndef REPORT_FIGURE_TEXTS_H
#define REPORT_FIGURE_TEXTS_H

#include "report/arguments.h"
#include "report/plot.h"
#include "report/series.h"
#include "report/table.h"

/*
 * The texts of a drawn figure. The heading is "PLACE: TITLE", where PLACE contains the part of the paper's
 * figure; it is left out if the figure is not from a paper. `sizes` has the sizes of the problems that the
 * figure shows, from its results; it is "" if their sizes have no meaning. The plot's result may be NULL;
 * then the figure shows the study of the abstract machines, and its title contains the sizes.
 */
struct caption {
    char *heading, *sizes;
};
struct caption caption_of(const struct plot *plot);

/* Returns the label of the figure's x axis, or NULL if it has none. Where the figure's row says "size", it is
 * what the sizes of the figure's program count. */
const char *x_label_of(const struct plot *plot);

/* The programs of Xiao and Feng's algorithms, each with the algorithm's name. */
enum { ALGORITHMS = 3 };
extern const char *const algorithm_names[ALGORITHMS][2];

/* Returns the command that makes the figure's results, as a made text (report/table.h). */
const char *figure_command(const struct figure *figure);

/* The command `list-figures`: prints a table with a row for each figure: its place in a paper, title, file and
 * command. */
int print_figures(struct arguments *arguments, FILE *file);

/* ---- report/figure_says.c: a sentence on what the figure shows, from the data that it draws ---- */

/* Returns the sentence, which the caller frees. For curves it names the best variant at both ends of the
 * figure, and by how much the worst one is slower; for bars it names the extremes; for cells or dots it says
 * how many are where. It is "" if the number of data sets differs from the plot's number of names. */
char *figure_says(const struct plot *plot, const struct figure_data *data);

#endif
