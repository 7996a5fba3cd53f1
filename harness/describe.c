#include "harness/describe.h"
#include "base/file.h"
#include "harness/host.h"
#include "harness/result.h"
#include "revision.h"

#include <inttypes.h>
#include <time.h>

static const char *const family_names[] = {"micro", "steps", "batches", "other"};

/* Adds the list to the JSON: as a number if it has one value, otherwise as an array. */
static void add_list(cJSON *json, const char *name, const struct int_list *list)
{
    cJSON_AddItemToObject(json, name,
                          list->count == 1 ? cJSON_CreateNumber(list->values[0])
                                           : cJSON_CreateIntArray(list->values, (int)list->count));
}

/* Adds the hash of the file's content as the member `name`; adds nothing if there is no such file. */
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
    for (int i = 0; s->experiment->options && s->experiment->options[i].name; i++) {
        const struct extra_option *x = &s->experiment->options[i];
        const char *text = o->extras[i];
        char name[64];
        cJSON_AddStringToObject(parameters, x->name, text);
        snprintf(name, sizeof name, "%s_hash", x->name);
        if (x->text) /* adds the hash of the file, too, if the option's text is the path of a file */
            add_hash(parameters, name, text);
    }
    return header;
}

cJSON *describe_result(struct sweep *s)
{
    time_t now = time(NULL);
    char created[32];
    strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    cJSON *result = cJSON_Duplicate(s->header, true);
    cJSON *command = cJSON_CreateStringArray((const char *const *)s->argv, s->argc);
    cJSON_AddItemToObject(result, "command", command);
    cJSON_AddStringToObject(result, "created", created);
    cJSON_AddItemToObject(result, "skipped", s->skipped);
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
