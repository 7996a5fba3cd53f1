/* The tables of two studies of weak memory, FOLDER/weak-memory/seeds.json (by scripts/weak-memory-study) and
 * cost.json (by bench/weak_memory.cu). */
#ifndef REPORT_PAPERS_WEAK_MEMORY_H
#define REPORT_PAPERS_WEAK_MEMORY_H

#include "report/table.h"

/* These functions print the tables `weak-memory-seeds` (from seeds.json) and `weak-memory-cost` (from
 * cost.json). */
void print_weak_seeds(const char *folder, enum form form, FILE *file);
void print_weak_cost(const char *folder, enum form form, FILE *file);

#endif
