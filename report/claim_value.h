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

/* Appends to `text` the sizes and the numbers of blocks of those points in sources->reads that solve a
 * problem of some size, by program: "; fft 262,144, 30 blocks". */
void append_sizes(const struct sources *sources, char *text, size_t bytes);

/* Writes a whole number with commas between its thousands into `text`, and returns `text`. */
const char *grouped(char text[32], double number);

/* Writes the value in the claim's unit, with its interval, into `text`. If there is no value, writes what is
 * missing. Returns `text`. */
#define VALUE_BYTES 256
const char *claim_value_text(char text[VALUE_BYTES], const cJSON *claim, const struct value *v);

/* Writes into `name` the name of the first barrier in the claim's formula whose answers were wrong on the
 * folder's device, and returns it, or "" if none were. The time of such a barrier is not the time of a
 * barrier. A claim about the share of wrong answers does not rest on them. */
const char *claim_wrong_variant(const cJSON *claim, const struct value *v, const char *folder, char name[64]);

/* Appends what the reader must know of the value to `text`: sizes and numbers of blocks, other readings of
 * the claim, the host, numbers of rounds, wrong answers. `sources` has noted the points of the value
 * (claim_value). */
void claim_append_notes(const cJSON *claim, const struct value *v, const struct sources *sources, char *text,
                        size_t bytes);

#endif
