/* Draws a figure with gnuplot. */
#ifndef REPORT_GNUPLOT_H
#define REPORT_GNUPLOT_H

#include <stdbool.h>

/* Returns whether gnuplot is installed. */
bool can_draw(void);

/* Draws STEM.svg and STEM.png from STEM.dat and STEM.set with plots/SCRIPT.gp. Returns false if gnuplot
 * could not, which is then said on stderr. */
bool gnuplot_draw(const char *script, const char *stem);

#endif
