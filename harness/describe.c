/* The result file: its head, what was left out, and what came of the sweep. */
#include "base/file.h"
#include "harness/result.h"
#include "harness/sweep.h"
#include "revision.h"

#include <inttypes.h>

#include <time.h>

static const char *const family_names[] = {"micro", "steps", "batches", "other"};

/* One value as a number, several as an array. */
static void add_list(cJSON *json, const char *name, const struct int_list *list)
{
    cJSON_AddItemToObject(json, name,
                          list->count == 1 ? cJSON_CreateNumber(list->values[0])
                                           : cJSON_CreateIntArray(list->values, (int)list->count));
}

/* The content of a file that the command line names; nothing if it is none. */
static void add_hash(cJSON *parameters, const char *name, const char *path)
{
    char text[24];
    uint64_t hash = file_hash(path);
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    if (hash)
        cJSON_AddStringToObject(parameters, name, text);
}

cJSON *describe_sweep(const struct sweep *s)
{
    const struct options *o = &s->options;
    cJSON *header = cJSON_CreateObject(), *parameters = cJSON_CreateObject(), *names = cJSON_CreateArray();
    cJSON_AddStringToObject(header, "schema", SCHEMA);
    const struct experiment *e = s->experiment;
    cJSON_AddStringToObject(header, "experiment", e->sample_of ? e->sample_of : e->name);
    cJSON_AddStringToObject(header, "family", family_names[e->family]);
    cJSON_AddStringToObject(header, "revision", GPUSYNC_REVISION);
    cJSON_AddBoolToObject(header, "dirty", GPUSYNC_DIRTY);
    cJSON_AddItemToObject(header, "device", describe_device(&s->device));
    cJSON_AddItemToObject(header, "host", describe_host());
    cJSON_AddItemToObject(header, "parameters", parameters);
    if (!s->experiment->launches.shape && !threads_by_size(s, o->sizes.values[0]))
        add_list(parameters, "threads", &o->threads);
    add_list(parameters, "size", &o->sizes);
    cJSON_AddNumberToObject(parameters, "runs", o->runs);
    if (!s->device.machine) {
        cJSON_AddNumberToObject(parameters, "processes", o->processes);
        cJSON_AddNumberToObject(parameters, "within_percent", o->within);
        cJSON_AddStringToObject(parameters, "timed", o->in_graph ? "in a graph" : "in a stream");
    }
    if (o->early)
        cJSON_AddTrueToObject(parameters, "early");
    cJSON_AddNumberToObject(parameters, "seed", (double)o->seed);
    if (!s->experiment->launches.shape)
        cJSON_AddItemToObject(parameters, "blocks",
                              cJSON_CreateIntArray(o->blocks.values, (int)o->blocks.count));
    cJSON_AddItemToObject(parameters, "variants", names);
    for (size_t i = 0; i < s->variant_count; i++)
        cJSON_AddItemToArray(names, cJSON_CreateString(s->variants[i]->name));
    if (o->input) {
        cJSON_AddStringToObject(parameters, "input", o->input);
        add_hash(parameters, "input_hash", o->input);
    }
    for (const struct extra_option *x = s->experiment->options; x && x->name; x++) {
        const char *text = option_text(s->experiment, x->name);
        char name[64];
        cJSON_AddStringToObject(parameters, x->name, text);
        snprintf(name, sizeof name, "%s_hash", x->name);
        if (x->text) /* which may name a file */
            add_hash(parameters, name, text);
    }
    return header;
}

/* Variants that this device cannot run, or a library would not, so that a reader need not wonder why they are
 * missing. */
static cJSON *make_skipped(const struct sweep *s)
{
    cJSON *skipped = cJSON_CreateArray();
    for (int i = 0; i < s->experiment->variant_count; i++) {
        const struct variant *v = &s->experiment->variants[i];
        char needs[256];
        if (variant_is_possible(s, v))
            continue;
        cJSON *entry = cJSON_CreateObject();
        cJSON_AddStringToObject(entry, "variant", v->name);
        cJSON_AddStringToObject(entry, "needs", variant_needs(v, needs, sizeof needs));
        cJSON_AddItemToArray(skipped, entry);
    }
    while (s->cannot->child)
        cJSON_AddItemToArray(skipped, cJSON_DetachItemFromArray(s->cannot, 0));
    return skipped;
}

cJSON *describe_result(struct sweep *s, int argc, char **argv)
{
    time_t now = time(NULL);
    char created[32];
    strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    cJSON *result = cJSON_Duplicate(s->header, true);
    cJSON *command = cJSON_CreateStringArray((const char *const *)argv, argc);
    cJSON_AddItemToObject(result, "command", command);
    cJSON_AddStringToObject(result, "created", created);
    cJSON_AddItemToObject(result, "skipped", make_skipped(s));
    if (s->conditions->child)
        cJSON_AddItemToObject(result, "conditions", s->conditions);
    if (cJSON_GetArraySize(s->references) == 1)
        cJSON_AddItemToObject(result, "reference", cJSON_DetachItemFromArray(s->references, 0));
    else if (s->references->child)
        cJSON_AddItemToObject(result, "reference", cJSON_Duplicate(s->references, true));
    if (s->experiment->analyse)
        cJSON_AddItemToObject(result, "analysis", s->experiment->analyse(s->points, s->device.sm_count));
    cJSON_AddItemToObject(result, "points", s->points);
    return result;
}
