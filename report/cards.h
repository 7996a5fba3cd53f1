/*
 * By how much cards of one model differ among themselves; a difference between two models must exceed it. A
 * folder's cards.json has for each experiment: "factor", within which 95 % of the ratios of two cards' points
 * lie; "median_factor", within which half of them lie; and "mean_factor", the factor of the geometric mean of
 * all ratios.
 */
#ifndef REPORT_CARDS_H
#define REPORT_CARDS_H

#include <cjson/cJSON.h>

#define CARDS_SCHEMA "gpusync-cards/1"

/* Returns the cards.json of the folder `a`, else of `b`, else of the same device in results/reference/, or
 * NULL if there is none. The caller deletes it. */
cJSON *cards_of_either(const char *a, const char *b);

/* Returns the factor `which` of the result file `name`: 1 or more, or NaN if cards.json does not have it. */
double cards_factor(const cJSON *cards, const char *name, const char *which);

#endif
