#include "report/describe_robustness.h"
#include "base/failure.h"
#include "base/memory.h"
#include "report/claim_value.h"
#include "report/claims.h"
#include "report/results.h"
#include "report/varied.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SCHEMA "gpusync-robustness/1"
#define MOST_DRAWS 1024

struct draw {
    char folder[512];
    cJSON *constants; /* the machine's description with the constants that were drawn */
    struct sources sources;
};

/* ---- describing ---- */

static size_t read_draws(struct draw *draws, const char *folder, const char *work)
{
    size_t count = 0;
    for (; count < MOST_DRAWS; count++) {
        char path[512];
        struct draw *draw = &draws[count];
        snprintf(path, sizeof path, "%.400s/%zu/preset.json", work, count);
        if (access(path, F_OK) != 0)
            break;
        snprintf(draw->folder, sizeof draw->folder, "%.400s/%zu/%s", work, count, check_folder(folder));
        draw->constants = json_need(path);
        draw->sources = (struct sources){.folder = draw->folder};
    }
    return count;
}

static double log_of(const struct draw *draw, const char *constant)
{
    return log(
        number_of(cJSON_GetObjectItem(cJSON_GetObjectItem(draw->constants, "constants"), constant), "value"));
}

/* Returns how strongly a constant differs between two groups of draws, those with same[d] = 1 and those with
 * same[d] = 0: the difference of the means of the constant's logarithm, in standard errors. */
static double distance(const struct draw *draws, const int *same, size_t count, const char *constant)
{
    double sum[2] = {0}, squares = 0, all = 0;
    size_t of[2] = {0};
    for (size_t d = 0; d < count; d++) {
        double value = log_of(&draws[d], constant);
        if (same[d] < 0 || !isfinite(value))
            continue;
        sum[same[d]] += value;
        of[same[d]]++;
        all += value;
        squares += value * value;
    }
    double n = (double)(of[0] + of[1]), variance = squares / n - all / n * (all / n);
    return of[0] && of[1] && variance > 1e-12 ? fabs(sum[0] / (double)of[0] - sum[1] / (double)of[1]) /
                                                    sqrt(variance * (1 / (double)of[0] + 1 / (double)of[1]))
                                              : 0;
}

/* A distance() above this number is significant: in 19 of 20 claims, none of fifty constants without
 * influence exceeds it by chance. */
#define BY_CHANCE 3.3

/* Returns the name of the constant that decides whether a draw has the verdict (same[d] = 1) or another one
 * (same[d] = 0), or "" if no constant differs significantly. */
static const char *decides(const struct draw *draws, const int *same, size_t count)
{
    const cJSON *constant;
    const char *found = "";
    double most = BY_CHANCE;
    cJSON_ArrayForEach(constant, cJSON_GetObjectItem(draws[0].constants, "constants"))
    {
        double apart = distance(draws, same, count, constant->string);
        if (apart > most) {
            most = apart;
            found = constant->string;
        }
    }
    return found;
}

static void describe_claim(cJSON *claims, const cJSON *claim, enum claim_verdict verdict, struct draw *draws,
                           size_t count)
{
    /* for each draw: 1 means that the claim has the given verdict, 0 that it has another one, -1 that it
     * cannot be judged */
    int same[MOST_DRAWS];
    size_t judged = 0, with_it = 0;
    for (size_t d = 0; d < count; d++) {
        struct value v = claim_value(claim, text_of(claim, "formula"), &draws[d].sources);
        enum claim_verdict drawn = claim_verdict_on(claim, &v, draws[d].folder);
        same[d] = is_judged(drawn) ? drawn == verdict : -1;
        judged += same[d] >= 0;
        with_it += same[d] == 1;
    }
    if (!judged)
        return;
    cJSON *json = cJSON_AddObjectToObject(claims, text_of(claim, "id"));
    cJSON_AddStringToObject(json, "verdict", verdict_texts[verdict]);
    cJSON_AddNumberToObject(json, "judged", (double)judged);
    cJSON_AddNumberToObject(json, "same", (double)with_it);
    /* If no draw has the verdict, then the schedule decides, because the draws use random schedules and the
     * given verdict comes from another schedule. */
    const char *constant = !with_it ? "the schedule" : with_it < judged ? decides(draws, same, count) : "";
    if (*constant)
        cJSON_AddStringToObject(json, "decides", constant);
}

/* Describes a claim by the draws. `sources` are the results of the folder's device. `undrawn` are results of
 * the machine without drawn constants, at the draws' points only: if the claim's verdict differs there, the
 * draws have too few points, and the claim is left out. */
static void describe(cJSON *claims, const cJSON *claim, struct sources *sources, struct sources *undrawn,
                     struct draw *draws, size_t count)
{
    struct value v = claim_value(claim, text_of(claim, "formula"), sources),
                 few = claim_value(claim, text_of(claim, "formula"), undrawn);
    enum claim_verdict verdict = claim_verdict_on(claim, &v, sources->folder);
    if (!is_judged(verdict) || *few.missing)
        return;
    if (!is_varied(claim, &v, sources, undrawn))
        describe_not_varied(cJSON_AddObjectToObject(claims, text_of(claim, "id")), sources, undrawn);
    else if (claim_verdict_on(claim, &few, undrawn->folder) == verdict)
        describe_claim(claims, claim, verdict, draws, count);
}

cJSON *robustness_describe(const char *folder, const char *work)
{
    struct draw *draws = allocate(MOST_DRAWS * sizeof *draws);
    size_t count = read_draws(draws, folder, work);
    char path[512];
    snprintf(path, sizeof path, "%.400s/undrawn/%s", work, check_folder(folder));
    struct sources sources = {.folder = folder}, undrawn = {.folder = path};
    cJSON *papers = claims_read(), *json = cJSON_CreateObject();
    const cJSON *claim;
    if (!count)
        fail(EXIT_BAD_INPUT, "%s has no draws", work);
    cJSON_AddStringToObject(json, "schema", SCHEMA);
    cJSON_AddNumberToObject(json, "draws", (double)count);
    cJSON *claims = cJSON_AddObjectToObject(json, "claims");
    cJSON_ArrayForEach(claim, cJSON_GetObjectItem(papers, "claims"))
        describe(claims, claim, &sources, &undrawn, draws, count);
    for (size_t d = 0; d < count; d++) {
        sources_close(&draws[d].sources);
        cJSON_Delete(draws[d].constants);
    }
    free(draws);
    sources_close(&sources);
    sources_close(&undrawn);
    cJSON_Delete(papers);
    return json;
}

/* ---- cards ---- */

cJSON *robustness_of_cards(char **folders, int count)
{
    cJSON *papers = claims_read(), *json = cJSON_CreateObject();
    struct sources *sources = allocate((size_t)count * sizeof *sources);
    const cJSON *claim;
    for (int i = 0; i < count; i++)
        sources[i] = (struct sources){.folder = folders[i]};
    cJSON_ArrayForEach(claim, cJSON_GetObjectItem(papers, "claims"))
    {
        cJSON *verdicts = cJSON_CreateArray();
        bool differ = false;
        for (int i = 0; i < count; i++) {
            struct value v = claim_value(claim, text_of(claim, "formula"), &sources[i]);
            enum claim_verdict verdict = claim_verdict_on(claim, &v, folders[i]);
            const char *text = is_judged(verdict) ? verdict_texts[verdict] : NULL;
            const char *first = i ? cJSON_GetStringValue(cJSON_GetArrayItem(verdicts, 0)) : text;
            differ = differ || (text && first && strcmp(text, first) != 0);
            cJSON_AddItemToArray(verdicts, text ? cJSON_CreateString(text) : cJSON_CreateNull());
        }
        if (differ)
            cJSON_AddItemToObject(json, text_of(claim, "id"), verdicts);
        else
            cJSON_Delete(verdicts);
    }
    for (int i = 0; i < count; i++)
        sources_close(&sources[i]);
    free(sources);
    cJSON_Delete(papers);
    return json;
}
