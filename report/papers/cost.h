/* The table `cost`: the time of a barrier with a given number of blocks, and of a hop. */
#ifndef REPORT_PAPERS_COST_H
#define REPORT_PAPERS_COST_H

#include "report/arguments.h"

#include <stdbool.h>

/*
 * Prints, for each method, the time that a barrier with the arguments' number of blocks and threads takes
 * beyond the loop without barriers, and its 95 % interval; then the time of a hop. -1 blocks stand for one on
 * every multiprocessor, -1 threads for any number. Exits with EXIT_BAD_INPUT if for no method the
 * number of blocks was measured or lies between two measured ones.
 */
void print_cost(const char *folder, const struct arguments *arguments, FILE *file);

/* Returns whether the folder has the times that the table `cost` shows by default: with a block on every
 * multiprocessor. */
bool has_cost_of_all(const char *folder);
void print_cost_of_all(const char *folder, enum form form, FILE *file);

#endif
