/* Whether the draws of a model (scripts/robustness) vary what a claim is about. */
#ifndef REPORT_VARIED_H
#define REPORT_VARIED_H

#include "report/sources.h"
#include "report/value.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

/*
 * Returns whether the points of the draws can show another verdict than that on the value `v`. `all` has
 * noted the points that the claim's formula has read for `v`, and `few` those that it reads of a draw
 * (claim_value). Draws have fewer numbers of blocks and sizes. A formula that looks for a number of blocks
 * needs one on both sides of the device's value and of the paper's, near to each other; a formula that
 * compares all numbers of blocks, or all sizes, needs a quarter of them at least, and both ends.
 */
bool is_varied(const cJSON *claim, const struct value *v, const struct sources *all,
               const struct sources *few);

/* Adds to `json` that the claim is not varied, and the numbers of blocks or the sizes that the draws have. */
void describe_not_varied(cJSON *json, const struct sources *all, const struct sources *few);

#endif
