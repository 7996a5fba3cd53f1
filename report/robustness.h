/* In how many draws of a model's constants, inputs and schedules a claim has the same verdict. */
#ifndef REPORT_ROBUSTNESS_H
#define REPORT_ROBUSTNESS_H

#include <cjson/cJSON.h>

/*
 * WORK/0, WORK/1, ... each hold a description that was drawn (preset.json) and results of its machine in a folder named as
 * `folder` (scripts/robustness). Describes, for each claim that is judged, how many draws could be judged, how many of
 * them have the verdict of most, and, if not all do, which constant decides: whose logarithm is farthest apart between
 * draws with that verdict and draws with another, measured in its standard deviations. To be deleted.
 */
cJSON *robustness_describe(const char *folder, const char *work);

/* What folder/robustness.json says of the claim: "64 of 64", or with what decides. "": nothing. Returns text. */
const char *robustness_text(const char *folder, const cJSON *claim, char *text, size_t bytes);

#endif
