/* Decides whether the draws of a model (scripts/robustness) vary the quantity that a claim is about. */
#ifndef REPORT_VARIED_H
#define REPORT_VARIED_H

#include "report/sources.h"
#include "report/value.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

/*
 * Returns whether the points of the draws can lead to a different verdict than the value `v`. `all` has noted
 * the points that the claim's formula reads for `v`, and `few` the points that it reads for a draw
 * (claim_value). Draws have fewer numbers of blocks and fewer sizes. A formula that searches for a number of
 * blocks needs draws with numbers on both sides, and near, of the device's value and of the paper's. A
 * formula that compares all numbers of blocks, or all sizes, needs at least a quarter of them, including both
 * ends.
 */
bool is_varied(const cJSON *claim, const struct value *v, const struct sources *all,
               const struct sources *few);

/* Adds to `json` that the claim is not varied, and the numbers of blocks or the sizes that the draws have. */
void describe_not_varied(cJSON *json, const struct sources *all, const struct sources *few);

#endif
