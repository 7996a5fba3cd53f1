/* What a barrier or a hop costs with a given number of blocks. */
#ifndef REPORT_PAPERS_COST_H
#define REPORT_PAPERS_COST_H

#include "report/table.h"

#include <stdbool.h>

/*
 * Prints the time of a barrier in microseconds, less the loop without barriers, and its 95 % interval, for
 * each method with this number of blocks and threads; then the time of a hop. -1 blocks stand for one on
 * every multiprocessor, -1 threads for any number. Exits with EXIT_BAD_INPUT if no method was measured with
 * this number of blocks, or with fewer and with more.
 */
void print_cost(const char *folder, double blocks, double threads, enum form form, FILE *file);

/* Whether the folder has times with a block on every multiprocessor, which the table `cost` shows. */
bool has_cost_of_all(const char *folder);
void print_cost_of_all(const char *folder, enum form form, FILE *file);

#endif
