#include "report/describe_cards.h"
#include "base/failure.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "report/cards.h"
#include "report/describe_robustness.h"
#include "report/timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct factors {
    /* |log(ratio of the times)| for each pair of points that the first card and another card have in
     * common */
    double *logs;
    size_t count;
    double mean; /* the largest |mean of log(ratio)| among the compared cards */
};

static void add_factors(struct factors *f, const struct result *one, const struct result *other)
{
    double sum = 0;
    size_t before = f->count;
    FOR_EACH_POINT(x, one)
    {
        const cJSON *y = result_point(other, text_of(x, "variant"), number_of(x, "blocks"),
                                      number_of(x, "threads"), number_of(x, "size"));
        double off = log(time_ratio(compared_time(other, y), compared_time(one, x)).us);
        if (!isfinite(off))
            continue;
        sum += off;
        f->logs = with_room(f->logs, sizeof *f->logs, f->count, 1);
        f->logs[f->count++] = fabs(off);
    }
    if (f->count > before)
        f->mean = fmax(f->mean, fabs(sum / (double)(f->count - before)));
}

static void describe_experiment(cJSON *experiments, const char *name, char **folders, int count)
{
    struct factors f = {NULL, 0, 0};
    struct result *first = result_open(folders[0], name);
    for (int i = 1; i < count; i++) {
        struct result *other = result_is_one(folders[i], name) ? result_open(folders[i], name) : NULL;
        if (other && strcmp(other->device_name, first->device_name) != 0)
            fail(EXIT_BAD_INPUT, "%s is of another model than %s", other->path, first->path);
        if (other)
            add_factors(&f, first, other);
        result_close(other);
    }
    result_close(first);
    if (!f.count)
        return;
    cJSON *json = cJSON_AddObjectToObject(experiments, name);
    cJSON_AddNumberToObject(json, "ratios", (double)f.count);
    cJSON_AddNumberToObject(json, "median_factor", exp(quantile(f.logs, f.count, 0.5)));
    cJSON_AddNumberToObject(json, "factor", exp(quantile(f.logs, f.count, 0.95)));
    cJSON_AddNumberToObject(json, "mean_factor", exp(f.mean));
    free(f.logs);
}

/* Adds to the list of cards the description of a card, which is taken from the folder's first result. */
static void describe_card(cJSON *cards, const char *folder)
{
    size_t count;
    char **names = result_names(folder, &count);
    struct result *r = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!r && result_is_one(folder, names[i]))
            r = result_open(folder, names[i]);
        free(names[i]);
    }
    free(names);
    if (!r)
        fail(EXIT_BAD_INPUT, "%s has no results", folder);
    cJSON *card = cJSON_CreateObject();
    cJSON_AddStringToObject(card, "name", r->device_name);
    cJSON_AddStringToObject(card, "uuid", text_of(r->device, "uuid"));
    cJSON_AddStringToObject(card, "created", text_of(r->json, "created"));
    cJSON_AddStringToObject(card, "revision", text_of(r->json, "revision"));
    cJSON_AddItemToArray(cards, card);
    result_close(r);
}

cJSON *cards_describe(char **folders, int count)
{
    size_t names_count;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "schema", CARDS_SCHEMA);
    cJSON *cards = cJSON_AddArrayToObject(json, "cards");
    cJSON *experiments = cJSON_AddObjectToObject(json, "experiments");
    for (int f = 0; f < count; f++)
        describe_card(cards, folders[f]);
    char **names = result_names(folders[0], &names_count);
    for (size_t i = 0; i < names_count; i++) {
        if (strcmp(names[i], "cards") != 0 && result_is_one(folders[0], names[i]))
            describe_experiment(experiments, names[i], folders, count);
        free(names[i]);
    }
    free(names);
    if (!experiments->child)
        fail(EXIT_BAD_INPUT, "%s has no point in common with the others", folders[0]);
    cJSON_AddItemToObject(json, "claims", robustness_of_cards(folders, count));
    return json;
}
