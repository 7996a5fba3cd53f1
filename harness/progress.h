/* A line on a terminal that says how far the sweep is and how long it will take; nothing elsewhere. */
#ifndef HARNESS_PROGRESS_H
#define HARNESS_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

void progress_begin(size_t total, bool quiet);
void progress_step(const char *what);
void progress_end(void);

#endif
