#include "report/cards.h"
#include "report/devices.h"
#include "report/results.h"

#include <stdio.h>
#include <string.h>

const cJSON *cards_of_either(const char *a, const char *b)
{
    const char *const folders[] = {a, b};
    const cJSON *cards = NULL;
    for (int i = 0; i < 2 && !cards; i++) {
        char reference[4096];
        snprintf(reference, sizeof reference, "%.3000s/%s", reference_folder(), check_folder(folders[i]));
        cards = json_beside(folders[i], "cards");
        if (!cards)
            cards = json_beside(reference, "cards");
    }
    return strcmp(text_of(cards, "schema"), CARDS_SCHEMA) == 0 ? cards : NULL;
}

double cards_factor(const cJSON *cards, const char *name, const char *which)
{
    const cJSON *experiments = cJSON_GetObjectItem(cards, "experiments");
    return number_of(cJSON_GetObjectItemCaseSensitive(experiments, name), which);
}
