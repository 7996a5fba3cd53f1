/* The text about the device's value in a claim's row. */
#ifndef REPORT_CLAIM_TEXT_H
#define REPORT_CLAIM_TEXT_H

#include "report/formula.h"
#include "report/value.h"

#include <cjson/cJSON.h>

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
