/* Says in a sentence what a figure shows, computed from the data that it draws. */
#ifndef REPORT_FIGURE_SAYS_H
#define REPORT_FIGURE_SAYS_H

#include "report/figure_data.h"
#include "report/plot.h"

/* Writes the sentence into `text`: which variant is best at both ends of a figure of curves, and how far the
 * last one is behind; the extremes of bars; how many cells or dots are where. `text` becomes "" if the data
 * have another number of sets than the plot has names. */
void figure_says(const struct plot *plot, const struct figure_data *data, char *text, size_t bytes);

#endif
