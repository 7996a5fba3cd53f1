#include "report/robustness.h"
#include "report/results.h"

#include <stdio.h>
#include <string.h>

struct robustness robustness_of(const char *folder)
{
    return (struct robustness){json_beside(folder, "robustness"), json_beside(folder, "cards")};
}

static const cJSON *said_of(const cJSON *json, const cJSON *claim)
{
    return cJSON_GetObjectItem(cJSON_GetObjectItem(json, "claims"), text_of(claim, "id"));
}

/* Writes "not varied (draws have 9, 30 blocks)" into `text`, with the numbers that the draws have. */
static void not_varied_text(const cJSON *of, char *text, size_t bytes)
{
    const cJSON *number, *numbers = cJSON_GetObjectItem(of, "draws_have");
    snprintf(text, bytes, "not varied (draws have ");
    cJSON_ArrayForEach(number, numbers)
    {
        size_t used = strlen(text);
        snprintf(text + used, bytes - used, "%s%g", number == numbers->child ? "" : ", ",
                 cJSON_GetNumberValue(number));
    }
    size_t used = strlen(text);
    snprintf(text + used, bytes - used, "%s)", strcmp(text_of(of, "axis"), "blocks") == 0 ? " blocks" : "");
}

static void draws_text(const cJSON *of, enum claim_verdict verdict, char *text, size_t bytes)
{
    const char *constant = text_of(of, "decides");
    if (is_false(of, "varied"))
        not_varied_text(of, text, bytes);
    else if (strcmp(text_of(of, "verdict"), verdict_texts[verdict]) == 0)
        snprintf(text, bytes, "%g of %g draws%s%s%s", number_of(of, "same"), number_of(of, "judged"),
                 *constant ? " (" : "", constant, *constant ? " decides)" : "");
}

static void cards_text(const cJSON *verdicts, enum claim_verdict now, char *text, size_t bytes)
{
    const char *own = cJSON_GetStringValue(cJSON_GetArrayItem(verdicts, 0));
    const cJSON *verdict;
    if (!own || strcmp(own, verdict_texts[now]) != 0)
        return;
    cJSON_ArrayForEach(verdict, verdicts)
    {
        if (cJSON_IsString(verdict) && strcmp(verdict->valuestring, own) != 0)
            snprintf(text, bytes, "another card: %s", verdict->valuestring);
    }
}

const char *robustness_text(const struct robustness *robustness, const cJSON *claim,
                            enum claim_verdict verdict, char *text, size_t bytes)
{
    *text = '\0';
    if (is_judged(verdict)) {
        draws_text(said_of(robustness->draws, claim), verdict, text, bytes);
        cards_text(said_of(robustness->cards, claim), verdict, text, bytes);
    }
    return text;
}
