/* Shows a line on the terminal that says how far the sweep is and how long it will take. Shows nothing if the
 * output is no terminal. */
#ifndef HARNESS_PROGRESS_BAR_H
#define HARNESS_PROGRESS_BAR_H

#include <stdbool.h>
#include <stddef.h>

/* Begins the line for a sweep of `total` points; if `quiet`, no line is shown. */
void progress_bar_begin(size_t total, bool quiet);

/* Shows `what` as the point that is measured now, and counts it. */
void progress_bar_step(const char *what);

/* Ends the sweep and clears the line. */
void progress_bar_end(void);

#endif
