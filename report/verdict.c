/*
 * Judges one claim by the device's value.
 *
 * A claim with a `value` is judged by bands of the factor between the device's value and the paper's: within
 * 10 %, within 25 %, and then by what the claim is about. With the member `neutral` (1 for a ratio of two
 * times, 0 for a gain), the device's value can lie on either side of it: it has the paper's direction only,
 * or is reversed. Without `neutral` there is no direction: the value is within a factor of 2, or has another
 * size; it is reversed if its sign is another one, or if what the paper saw never happens.
 *
 * A claim without a `value` is an ordering: `side` names the side of `neutral` on which the device's value
 * must lie, ">" or "<". With ">=" or "<=" it is a bound: an exact number that may also be equal to `neutral`.
 *
 * If the device's value lies within 1 % of `neutral` (within one point of a gain in percent), or if its
 * interval contains `neutral`, the verdict is a tie. A bound has no ties.
 *
 * A claim is not judged on a model if a constant of the model was chosen from this very number (member
 * "fitted_on"), or if the model has the number by its definition ("defined_on"). Both members name folders,
 * or "models" for all models. If the claim's number depends on something besides the device, the claim has
 * the member "depends_on"; it is then shown and not judged, on the folders of "depends_where" or, without
 * that member, on all folders.
 */
#include "report/claims.h"
#include "report/results.h"
#include "report/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const verdict_texts[] = {"holds",          "within 10 %",   "within 25 %", "within a factor of 2",
                                     "direction only", "another size",  "reversed",    "a tie",
                                     "fitted",         "by definition", "depends",     "not measurable here"};

bool is_judged(enum claim_verdict verdict)
{
    return verdict <= CLAIM_TIE;
}

bool agrees(enum claim_verdict verdict)
{
    return verdict <= CLAIM_WITHIN_25;
}

static bool is_within(double value, double paper, double share)
{
    return value >= fmin(paper / share, paper * share) && value <= fmax(paper / share, paper * share);
}

/* Returns the side of `neutral` on which the value lies: 1 if the value is greater, -1 if it is less, 0 if
 * both are equal. */
static int side_of(double value, double neutral)
{
    return (value > neutral) - (value < neutral);
}

/* Returns whether the value cannot be distinguished from `neutral`. Two times count as equal if their
 * quotient differs from 1 by less than 1 %, or if the gain of one over the other is less than 1 %. */
static bool is_tie(const cJSON *claim, const struct value *v, double neutral)
{
    double least = neutral != 0 ? 0.01 * fabs(neutral) : strcmp(text_of(claim, "unit"), "%") == 0 ? 1 : 0;
    return fabs(v->is - neutral) <= least || side_of(v->low, neutral) != side_of(v->high, neutral) ||
           side_of(v->is, neutral) == 0;
}

static enum claim_verdict verdict_of_side(const cJSON *claim, const struct value *v, double neutral)
{
    const char *side = text_of(claim, "side");
    int wanted = *side == '>' ? 1 : -1;
    bool is_bound = side[0] && side[1] == '=';
    if (is_bound ? side_of(v->is, neutral) == 0 : is_tie(claim, v, neutral))
        return is_bound ? CLAIM_HOLDS : CLAIM_TIE;
    return side_of(v->is, neutral) == wanted ? CLAIM_HOLDS : CLAIM_REVERSED;
}

enum claim_verdict claim_verdict(const cJSON *claim, const struct value *v)
{
    double paper = number_of(claim, "value"), neutral = number_of(claim, "neutral");
    if (*v->missing)
        return CLAIM_NOT_MEASURABLE;
    if (isnan(paper))
        return verdict_of_side(claim, v, neutral);
    if (isinf(
            v->is)) /* a crossing that never comes, or a method that takes longer at every number of blocks */
        return v->is > 0 ? CLAIM_REVERSED : CLAIM_OTHER_SIZE;
    if (!isnan(neutral) && is_tie(claim, v, neutral))
        return CLAIM_TIE;
    if (paper == 0 && v->is == 0)
        return CLAIM_HOLDS;
    if (is_within(v->is, paper, 1.25))
        return is_within(v->is, paper, 1.1) ? CLAIM_WITHIN_10 : CLAIM_WITHIN_25;
    double from = isnan(neutral) ? 0 : neutral;
    if (side_of(v->is, from) != side_of(paper, from))
        return CLAIM_REVERSED;
    return !isnan(neutral) ? CLAIM_DIRECTION : is_within(v->is, paper, 2) ? CLAIM_WITHIN_2 : CLAIM_OTHER_SIZE;
}

const char *rounded(double value)
{
    if (isinf(value))
        return value > 0 ? "never" : "always";
    int digits = value == 0 ? 0 : 2 - (int)floor(log10(fabs(value)));
    return made("%.*F", digits < 0 ? 0 : digits, value);
}

/* Returns whether the claim is a time or a rate of a particular GPU that is not the folder's. Such a claim
 * has the folder of its GPU in its member "of". */
static bool is_of_another(const cJSON *claim, const char *folder)
{
    const char *of = text_of(claim, "of");
    return *of && strcmp(of, check_folder(folder)) != 0;
}

bool is_model(const char *folder)
{
    const char *name = check_folder(folder);
    return strncmp(name, "machine-", 8) == 0 || strcmp(name, "memory-machine") == 0;
}

/* Returns whether the folder has results of a model, and the claim's member ("fitted_on", for example) is the
 * folder's name or "models". */
static bool names_folder(const cJSON *claim, const char *member, const char *folder)
{
    const char *names = text_of(claim, member);
    return is_model(folder) && (strcmp(names, "models") == 0 || strcmp(names, check_folder(folder)) == 0);
}

static bool depends_on_else(const cJSON *claim, const char *folder)
{
    return *text_of(claim, "depends_on") &&
           (!*text_of(claim, "depends_where") || names_folder(claim, "depends_where", folder));
}

enum claim_verdict claim_verdict_on(const cJSON *claim, const struct value *v, const char *folder)
{
    if (*v->missing || is_of_another(claim, folder))
        return CLAIM_NOT_MEASURABLE;
    return names_folder(claim, "fitted_on", folder)    ? CLAIM_FITTED
           : names_folder(claim, "defined_on", folder) ? CLAIM_BY_DEFINITION
           : depends_on_else(claim, folder)            ? CLAIM_DEPENDS
                                                       : claim_verdict(claim, v);
}

const char *claim_verdict_text(const cJSON *claim, const struct value *v, const char *folder)
{
    enum claim_verdict verdict = claim_verdict_on(claim, v, folder);
    double times = v->is / number_of(claim, "value");
    if (verdict >= CLAIM_WITHIN_10 && verdict <= CLAIM_OTHER_SIZE && isfinite(times))
        return made("%s (%sx)", verdict_texts[verdict], rounded(times));
    if (verdict == CLAIM_DEPENDS)
        return made("%s on %s", verdict_texts[verdict], text_of(claim, "depends_on"));
    return made("%s%s", verdict_texts[verdict],
                is_of_another(claim, folder) && !*v->missing ? " (the paper's is of another GPU)" : "");
}
