/*
 * Reads cards.json, which says by how much cards of one GPU model differ among themselves; a difference
 * between two models must exceed that. It has for each experiment: "factor", within which 95 % of the ratios
 * of two cards' points lie; "median_factor", within which half of them lie; and "mean_factor", the factor of
 * the geometric mean of all ratios.
 */
#ifndef REPORT_CARDS_H
#define REPORT_CARDS_H

#include <cjson/cJSON.h>

#define CARDS_SCHEMA "gpusync-cards/1"

/* Returns the contents of cards.json from the folder `a`, or if that has none from `b`, or from the folder of
 * the same device in results/reference/; NULL if all of them have none. The caller deletes it. */
cJSON *cards_of_either(const char *a, const char *b);

/* Returns the factor named `which` ("factor", "median_factor" or "mean_factor") that cards.json has for the
 * result file `name`: 1 or more, or NaN if it has none. */
double cards_factor(const cJSON *cards, const char *name, const char *which);

#endif
