/*
 * Writes a timeline of all warps for Perfetto (ui.perfetto.dev) and chrome://tracing: a JSON file in their
 * "Trace Event Format". Each multiprocessor is a process and each warp a thread. Spans are named by their
 * reason and line, and the kernels are in a process of their own. The program's process notes spans in an
 * unnamed file, which the tool turns into JSON when the program has ended.
 */
#ifndef CHECK_TIMELINE_H
#define CHECK_TIMELINE_H

#include "machine/machine.h"
#include "machine/time_spent.h"

/* Opens the JSON file and the unnamed file, before the program's process begins. */
void timeline_open(const char *path);

/* timeline_span() is called for each span and timeline_launch() after each launch, in the program's
 * process. */
void timeline_span(const struct machine_span *span);
void timeline_launch(const struct machine_launched *launched);

/* timeline_restore() removes the launches since the call of timeline_keep(), with their spans. */
void timeline_keep(void);
void timeline_restore(void);

/* Writes the JSON file. Prints a line that says how many spans it has, and whether there were more. */
void timeline_write(double units_per_us);

#endif
