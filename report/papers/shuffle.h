/* The performance model of Wang 2017 (Equations 7 and 8, Tables I, II and III). */
#ifndef REPORT_PAPERS_SHUFFLE_H
#define REPORT_PAPERS_SHUFFLE_H

#include "report/table.h"

#include <stdbool.h>

/* Whether the folder has the results that the model needs: both programs' shuffle variants, latencies,
 * throughputs. */
bool has_shuffle_model(const char *folder);

/* Returns a number of the kernel "SW1", "SW2", "PH1" or "PH2": its "occupancy" in percent; the cycles of
 * an iteration, "estimated" or by "latency_of_resident" threads; or its "loads", "stores", "shuffles" and
 * "syncs" in an iteration. NaN means that there is no such number. */
double shuffle_number(const char *folder, const char *kernel, const char *name);

/* Prints the table `shuffle`: Tables I, II and III of the paper, and the latencies. */
void print_shuffle(const char *folder, enum form form, FILE *file);

#endif
