/* The device's value of a paper's claim, and the sizes and numbers of blocks at which it was measured. */
#ifndef REPORT_CLAIM_VALUE_H
#define REPORT_CLAIM_VALUE_H

#include "report/formula.h"

#include <cjson/cJSON.h>
#include <stddef.h>

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

#endif
