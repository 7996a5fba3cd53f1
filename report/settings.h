/* Writes the settings with which gnuplot draws a figure: names, colours, labels and axes. */
#ifndef REPORT_SETTINGS_H
#define REPORT_SETTINGS_H

#include "report/plot.h"

/* Writes STEM.set; STEM.dat must have been written before. `result` describes the device; it may be NULL,
 * which stands for the abstract machines. `second` is the name of the second device in a comparison of two,
 * otherwise NULL. */
void write_settings(const char *stem, const struct figure *figure, const struct names *names,
                    const struct result *result, const char *second);

#endif
