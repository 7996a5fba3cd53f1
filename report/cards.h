/*
 * By how much cards of one model differ among themselves: what a comparison of two models must exceed. A folder's
 * cards.json has it for each experiment, from the same sweep on two or more cards (or the same card on another day):
 * the factor within which 95 % of the ratios of their points lie, and that of the geometric mean of all ratios, which
 * is nearer to 1.
 */
#ifndef REPORT_CARDS_H
#define REPORT_CARDS_H

#include <cjson/cJSON.h>

/* Writes the cards.json of these folders of results of one model, of which the first is held against each other. */
cJSON *cards_describe(char **folders, int count);

/* The cards.json of one of two folders, or of the same devices' in results/reference/; NULL if there is none. */
cJSON *cards_of_either(const char *a, const char *b);

/* A factor of an experiment's file, 1 or more, NaN if it is not there: "factor" (95 % of its points are within),
 * "median_factor", or "mean_factor". */
double cards_factor(const cJSON *cards, const char *name, const char *which);

#endif
