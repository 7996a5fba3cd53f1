/* The device's value of a paper's claim, and the sizes and numbers of blocks at which it was measured. */
#ifndef REPORT_CLAIM_VALUE_H
#define REPORT_CLAIM_VALUE_H

#include "report/formula.h"
#include "report/value.h"

#include <cjson/cJSON.h>
#include <stddef.h>

/* Returns the list of the papers' claims from results/papers/claims.json. Exits with EXIT_BAD_INPUT if the
 * file is absent or has no list of claims. */
const cJSON *all_claims(void);

/*
 * Returns the value of a formula: of the claim's member "formula", or of a reading. The value is missing if
 * the claim has the member "size" and a result that the formula reads is smaller than that size, or was
 * measured with --extent quick. The member "size" has the least size at which the claim is judged, by the
 * name of the result, for example {"fft": 262144}; this is the paper's size if the paper prints it. The
 * member "lacks" is the reason that is given if a device has no value. After the call, sources->reads has the
 * points that the formula has read.
 */
struct value claim_value(const cJSON *claim, const char *formula, struct sources *sources);

/* The functions below return made texts (report/table.h). */

/* Returns a whole number with commas between its thousands. */
const char *grouped(double number);

/* Returns the value in the claim's unit, with its interval, or what is missing if there is no value. */
const char *claim_value_text(const cJSON *claim, const struct value *v);

/* Returns the name of the first barrier in the claim's formula whose answers were wrong on the folder's
 * device, or "" if none were. The time of such a barrier is not the time of a barrier. A claim about the
 * share of wrong answers does not rest on them. */
const char *claim_wrong_variant(const cJSON *claim, const struct value *v, const char *folder);

/* Returns what the reader must know of the value, as texts that each begin with "; ": sizes and numbers of
 * blocks, other readings of the claim, the host, numbers of rounds, wrong answers. `sources` has noted the
 * points of the value (claim_value). */
const char *claim_notes(const cJSON *claim, const struct value *v, const struct sources *sources);

#endif
