/* Describes in a sentence what a figure shows. The sentence is computed from the data that the figure
 * draws. */
#ifndef REPORT_FIGURE_SAYS_H
#define REPORT_FIGURE_SAYS_H

#include "report/series.h"
#include "report/plot.h"

/* Writes the sentence into `text`. For curves it names the best variant at both ends of the figure, and by
 * how much the worst one is slower; for bars it names the extremes; for cells or dots it says how many are
 * where. `text` becomes "" if the number of data sets differs from the plot's number of names. */
void figure_says(const struct plot *plot, const struct figure_data *data, char *text, size_t bytes);

#endif
