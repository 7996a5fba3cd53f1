#include "report/cards.h"
#include "report/devices.h"
#include "report/results.h"

#include <stdio.h>
#include <string.h>

static cJSON *read_cards(const char *folder)
{
    return has_file(folder, "cards") && !result_is_one(folder, "cards") ? result_json(folder, "cards") : NULL;
}

cJSON *cards_of_either(const char *a, const char *b)
{
    const char *const folders[] = {a, b};
    cJSON *cards = NULL;
    for (int i = 0; i < 2 && !cards; i++) {
        char reference[4096];
        snprintf(reference, sizeof reference, "%.3000s/%s", reference_folder(), check_folder(folders[i]));
        cards = read_cards(folders[i]);
        if (!cards)
            cards = read_cards(reference);
    }
    if (cards && strcmp(text_of(cards, "schema"), CARDS_SCHEMA) != 0) {
        cJSON_Delete(cards);
        cards = NULL;
    }
    return cards;
}

double cards_factor(const cJSON *cards, const char *name, const char *which)
{
    const cJSON *experiments = cJSON_GetObjectItem(cards, "experiments");
    return number_of(cJSON_GetObjectItemCaseSensitive(experiments, name), which);
}
