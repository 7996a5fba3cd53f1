#include "report/robustness.h"
#include "report/results.h"

#include <stdio.h>
#include <string.h>

static cJSON *read_beside(const char *folder, const char *file)
{
    return has_file(folder, file) && !result_is_one(folder, file) ? result_json(folder, file) : NULL;
}

struct robustness robustness_open(const char *folder)
{
    return (struct robustness){read_beside(folder, "robustness"), read_beside(folder, "cards")};
}

void robustness_close(struct robustness *robustness)
{
    cJSON_Delete(robustness->draws);
    cJSON_Delete(robustness->cards);
}

static const cJSON *said_of(const cJSON *json, const cJSON *claim)
{
    return cJSON_GetObjectItem(cJSON_GetObjectItem(json, "claims"), text_of(claim, "id"));
}

const char *robustness_text(const struct robustness *robustness, const cJSON *claim, char *text, size_t bytes)
{
    const cJSON *of = said_of(robustness->draws, claim), *verdicts = said_of(robustness->cards, claim),
                *verdict;
    const char *constant = text_of(of, "decides"),
               *own = cJSON_GetStringValue(cJSON_GetArrayItem(verdicts, 0));
    *text = '\0';
    if (of)
        snprintf(text, bytes, "%g of %g draws%s%s%s", number_of(of, "same"), number_of(of, "judged"),
                 *constant ? " (" : "", constant, *constant ? " decides)" : "");
    cJSON_ArrayForEach(verdict,
                       verdicts) if (own && cJSON_IsString(verdict) && strcmp(verdict->valuestring, own) != 0)
        snprintf(text, bytes, "another card: %s", verdict->valuestring);
    return text;
}
