#include "check/explore/coverage.h"

#include <inttypes.h>

static void print_sweep(const struct sweep *s, FILE *file)
{
    const char *delays = s->delays == 1 ? "delay" : "delays";
    unsigned long long runs = s->schedules * 2;
    if (s->is_whole)
        fprintf(file, "; all %llu schedules with %u %s", s->schedules, s->delays, delays);
    else
        fprintf(file, "; %llu of the %llu runs with %u %s", s->runs, runs, s->delays, delays);
}

void coverage_print(const struct coverage *coverage, unsigned long long steps, FILE *file)
{
    struct machine_orders orders = machine_orders_so_far();
    fprintf(file, "covered: %llu steps; %zu of %zu pairs of accesses in both orders%s", steps, orders.both,
            orders.pairs, orders.all ? "" : " (of those that were noted: there are more)");
    for (unsigned i = 0; i < coverage->sweep_count; i++)
        print_sweep(&coverage->sweeps[i], file);
    if (coverage->sweep_count)
        fprintf(file, " at %zu places, with coherent memory and the oldest values", coverage->places);
    fputc('\n', file);
}

cJSON *coverage_json(const struct coverage *coverage)
{
    struct machine_orders orders = machine_orders_so_far();
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "pairs", (double)orders.pairs);
    cJSON_AddNumberToObject(json, "pairs_in_both_orders", (double)orders.both);
    cJSON_AddBoolToObject(json, "all_pairs_are_noted", orders.all);
    cJSON_AddNumberToObject(json, "places", (double)coverage->places);
    cJSON *sweeps = cJSON_AddArrayToObject(json, "sweeps");
    for (unsigned i = 0; i < coverage->sweep_count; i++) {
        const struct sweep *s = &coverage->sweeps[i];
        cJSON *one = cJSON_CreateObject();
        cJSON_AddNumberToObject(one, "delays", s->delays);
        cJSON_AddNumberToObject(one, "schedules", (double)s->schedules);
        cJSON_AddNumberToObject(one, "runs", (double)s->runs);
        cJSON_AddBoolToObject(one, "all", s->is_whole);
        cJSON_AddItemToArray(sweeps, one);
    }
    return json;
}
