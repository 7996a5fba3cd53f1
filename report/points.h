/* The command `points`: every measured point of a device, for other programs. */
#ifndef REPORT_POINTS_H
#define REPORT_POINTS_H

#include "report/arguments.h"
#include "report/timing.h"

/* Prints a row for each point of the folder's results or of those that are named, each with all of its
 * sweeps: its variables; the median time of a run and its 95 % interval, and the median time of an
 * operation, in the options' unit (of a machine without a clock in time units, if no unit is asked for); and
 * whether its order is guaranteed and its answers were right. Exits with EXIT_BAD_INPUT if a named result is
 * absent. */
void print_points(const char *folder, char **names, size_t count, const struct arguments *options,
                  FILE *file);

#endif
