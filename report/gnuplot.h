/* Draws a figure with gnuplot. */
#ifndef REPORT_GNUPLOT_H
#define REPORT_GNUPLOT_H

#include <stdbool.h>

/* Returns whether gnuplot is installed. */
bool can_draw(void);

/* Draws STEM.svg and STEM.png from STEM.dat and STEM.set with the script plots/SCRIPT.gp. The SVG has the
 * title `title` and colours for light and dark pages (report/drawing.h). If gnuplot fails, says so on stderr
 * and returns false. */
bool gnuplot_draw(const char *script, const char *stem, const char *title);

#endif
