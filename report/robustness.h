/* The robustness of the verdict on a claim: in how many draws of a model's constants, inputs and schedules
 * the verdict is the same, and whether it is the same on another card of the GPU's model. */
#ifndef REPORT_ROBUSTNESS_H
#define REPORT_ROBUSTNESS_H

#include "report/verdict.h"

#include <cjson/cJSON.h>

struct robustness {
    const cJSON *draws; /* contents of FOLDER/robustness.json, or NULL if the file is absent */
    const cJSON *cards; /* contents of FOLDER/cards.json, or NULL if the file is absent */
};
struct robustness robustness_of(const char *folder);

/*
 * Writes into `text` what these files say about the claim's present verdict: "64 of 64 draws", "60 of 64
 * draws (launch_block decides)", "not varied (draws have 9, 30 blocks)", "another card: reversed", or "" if
 * they say nothing, or speak of another verdict because results or claims have changed since. Returns
 * `text`.
 */
const char *robustness_text(const struct robustness *robustness, const cJSON *claim,
                            enum claim_verdict verdict, char *text, size_t bytes);

#endif
