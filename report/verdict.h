/* The verdict on a paper's claim, from the device's value. */
#ifndef REPORT_VERDICT_H
#define REPORT_VERDICT_H

#include "report/value.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

enum claim_verdict {
    CLAIM_HOLDS, /* for an ordering, a bound, or a claim that something does not exist */
    CLAIM_WITHIN_10,
    CLAIM_WITHIN_25,
    CLAIM_WITHIN_2,   /* not within 25 %, but within a factor of 2; only for claims without `neutral` */
    CLAIM_DIRECTION,  /* not within 25 %, but on the paper's side of `neutral` */
    CLAIM_OTHER_SIZE, /* beyond a factor of 2; only for claims without `neutral` */
    CLAIM_REVERSED,
    CLAIM_TIE, /* the value is within 1 % of `neutral`, or its interval contains `neutral` */
    /* cannot be judged: the device is a model, and one of its constants was chosen from the claim's own
     * number */
    CLAIM_FITTED,
    CLAIM_BY_DEFINITION,
    CLAIM_DEPENDS, /* cannot be judged: the claim's number depends on something besides the device */
    CLAIM_NOT_MEASURABLE,
    CLAIM_VERDICTS
};
extern const char *const verdict_texts[];

/* is_judged returns whether the verdict compares the device's value with the paper's claim. agrees returns
 * whether the claim holds, or the value is within a factor of 1.25 of the paper's. */
bool is_judged(enum claim_verdict verdict);
bool agrees(enum claim_verdict verdict);

enum claim_verdict claim_verdict(const cJSON *claim, const struct value *value);

/* Returns the verdict on the claim for the device of a folder. A claim about a time or rate of another GPU
 * cannot be judged. */
enum claim_verdict claim_verdict_on(const cJSON *claim, const struct value *value, const char *folder);

/* Returns the verdict on the device of a folder as a made text (report/table.h). If the claim has a value,
 * the text also has the factor between the device's value and the paper's. */
const char *claim_verdict_text(const cJSON *claim, const struct value *value, const char *folder);

/* Returns whether the folder's results are predictions of a model, and not measurements of a GPU. */
bool is_model(const char *folder);

/* Returns the value with three significant digits as a made text, or "never" or "always" for an infinite
 * value. */
const char *rounded(double value);

#endif
