/*
 * Reads cards.json, which says by how much the cards of one GPU model differ among themselves. A difference
 * between two models counts only if it exceeds this. For each experiment the file has three factors, from the
 * ratios of every other card's times to the first card's. 95 % of the ratios are at most "factor", and half
 * of them at most "median_factor"; here a ratio below 1 counts as its inverse. "mean_factor" is the largest
 * value, over all cards, of the geometric mean of a card's ratios or of its inverse.
 */
#ifndef REPORT_CARDS_H
#define REPORT_CARDS_H

#include <cjson/cJSON.h>

#define CARDS_SCHEMA "gpusync-cards/1"

/* Returns the contents of a cards.json. The file is looked for in the folder `a`,
 * then in `b`, and then in the folder of the same device in results/reference/. NULL means that none of them
 * has the file. */
const cJSON *cards_of_either(const char *a, const char *b);

/* Returns the factor named `which` ("factor", "median_factor" or "mean_factor") that cards.json has for the
 * result file `name`: 1 or more, or NaN if it has none. */
double cards_factor(const cJSON *cards, const char *name, const char *which);

#endif
