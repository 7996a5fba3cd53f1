/* A line on the terminal that says how far the sweep is and how long it will take; prints nothing
 * elsewhere. */
#ifndef HARNESS_PROGRESS_BAR_H
#define HARNESS_PROGRESS_BAR_H

#include <stdbool.h>
#include <stddef.h>

/* Begins a sweep of `total` points; a quiet one shows no line. */
void progress_bar_begin(size_t total, bool quiet);

/* Shows `what` as the point that is measured now, and counts it. */
void progress_bar_step(const char *what);

/* Ends the sweep and clears the line. */
void progress_bar_end(void);

#endif
