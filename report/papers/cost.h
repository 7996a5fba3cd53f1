/* What does a barrier, or a hop, cost at my size? */
#ifndef REPORT_PAPERS_COST_H
#define REPORT_PAPERS_COST_H

#include "report/table.h"

#include <stdbool.h>

/*
 * Microseconds of each method with so many blocks (-1: one on every multiprocessor) of so many threads (-1: those that
 * were measured), with the 95 % interval, less the loop without barriers. Exits with EXIT_BAD_INPUT if the folder has
 * no such numbers of blocks on both sides.
 */
void print_cost(const char *folder, double blocks, double threads, enum form form, FILE *file);

/* The same with a block on every multiprocessor, for the page; and is there any? */
bool has_cost_of_all(const char *folder);
void print_cost_of_all(const char *folder, enum form form, FILE *file);

#endif
