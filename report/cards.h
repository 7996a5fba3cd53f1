/*
 * Reads cards.json, which says by how much the cards of one GPU model differ among themselves. A difference
 * between two models counts only if it exceeds this. For each experiment the file has three numbers.
 * "factor": 95 % of the ratios of two cards' points lie within it. "median_factor": half of these ratios lie
 * within it. "mean_factor": the factor of the geometric mean of all ratios.
 */
#ifndef REPORT_CARDS_H
#define REPORT_CARDS_H

#include <cjson/cJSON.h>

#define CARDS_SCHEMA "gpusync-cards/1"

/* Returns the contents of a cards.json, which the caller deletes. The file is looked for in the folder `a`,
 * then in `b`, and then in the folder of the same device in results/reference/. NULL means that none of them
 * has the file. */
cJSON *cards_of_either(const char *a, const char *b);

/* Returns the factor named `which` ("factor", "median_factor" or "mean_factor") that cards.json has for the
 * result file `name`: 1 or more, or NaN if it has none. */
double cards_factor(const cJSON *cards, const char *name, const char *which);

#endif
