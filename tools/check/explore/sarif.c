#include "tools/check/explore/sarif.h"
#include "base/failure.h"
#include "base/file.h"
#include "base/memory.h"
#include "tools/check/explore/reports.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void json_write(cJSON *json, const char *path)
{
    char *text = cJSON_Print(json);
    if (!text)
        fail(EXIT_CANNOT, "out of memory");
    struct new_file file = file_begin(path);
    fprintf(file.file, "%s\n", text);
    file_finish(&file);
    free(text);
    cJSON_Delete(json);
}

static void add_text(cJSON *json, const char *name, const char *text)
{
    cJSON_AddStringToObject(cJSON_AddObjectToObject(json, name), "text", text);
}

/* Writes a path as a URI: relative to the folder of the check, or with the scheme "file". */
static void write_uri(const char *path, char *uri, size_t size)
{
    size_t used = (size_t)snprintf(uri, size, "%s", *path == '/' ? "file://" : "");
    for (; *path && used + 4 < size; path++)
        used += (size_t)snprintf(uri + used, size - used,
                                 isalnum((unsigned char)*path) || strchr("/._-~", *path) ? "%c" : "%%%02X",
                                 (unsigned char)*path);
}

static cJSON *location_of(const struct frame *frame)
{
    char uri[3 * PATH_MAX + 8];
    cJSON *location = cJSON_CreateObject(), *physical = cJSON_AddObjectToObject(location, "physicalLocation");
    write_uri(frame->source->path, uri, sizeof uri);
    cJSON_AddStringToObject(cJSON_AddObjectToObject(physical, "artifactLocation"), "uri", uri);
    cJSON_AddNumberToObject(cJSON_AddObjectToObject(physical, "region"), "startLine", frame->line);
    if (frame->function) {
        cJSON *logical = cJSON_CreateObject();
        cJSON_AddStringToObject(logical, "name", frame->function->name);
        cJSON_AddStringToObject(logical, "kind", "function");
        cJSON_AddItemToArray(cJSON_AddArrayToObject(location, "logicalLocations"), logical);
    }
    return location;
}

static void add_location(cJSON *array, const struct frame *frame, const char *text)
{
    cJSON *location = location_of(frame);
    cJSON_AddNumberToObject(location, "id", cJSON_GetArraySize(array) + 1);
    add_text(location, "message", text);
    cJSON_AddItemToArray(array, location);
}

/* Adds the lines of the races for which the report is printed, too. */
static void add_others(cJSON *related, size_t number)
{
    static const char *const texts[] = {"an access of the same finding",
                                        "the earlier access of the one before"};
    for (size_t i = 0; i < reports_count(); i++) {
        const struct report *r = reports_at(i);
        for (unsigned t = 0; i != number && r->finding == number && t < 2; t++)
            if (frames_named(r->trails[t]))
                add_location(related, frames_named(r->trails[t]), texts[t]);
    }
}

/* Adds the report's other lines, and for each line the calls that led to it. */
static void add_related(cJSON *result, const struct report *r)
{
    cJSON *related = cJSON_AddArrayToObject(result, "relatedLocations");
    for (unsigned t = 0; t < r->trail_count; t++) {
        const struct trail *trail = r->trails[t];
        if (t && frames_named(trail))
            add_location(related, frames_named(trail), r->race ? "the earlier access" : "also here");
        for (unsigned i = 0; i < trail->count; i++)
            if (i != trail->named)
                add_location(related, &trail->frames[i],
                             i < trail->named ? "the instruction is here" : "called here");
    }
}

static void add_stacks(cJSON *result, const struct report *r)
{
    cJSON *stacks = cJSON_AddArrayToObject(result, "stacks");
    for (unsigned t = 0; t < r->trail_count; t++) {
        cJSON *stack = cJSON_CreateObject(), *frames = cJSON_AddArrayToObject(stack, "frames");
        for (unsigned i = 0; i < r->trails[t]->count; i++) {
            cJSON *frame = cJSON_CreateObject();
            cJSON_AddItemToObject(frame, "location", location_of(&r->trails[t]->frames[i]));
            cJSON_AddItemToArray(frames, frame);
        }
        cJSON_AddItemToArray(stacks, stack);
    }
}

/* Adds the steps of the short schedule. */
static void add_flow(cJSON *result, const struct short_schedule *s)
{
    if (!s || !s->step_count)
        return;
    cJSON *flow = cJSON_CreateObject(), *thread = cJSON_CreateObject();
    cJSON_AddItemToArray(cJSON_AddArrayToObject(result, "codeFlows"), flow);
    cJSON_AddItemToArray(cJSON_AddArrayToObject(flow, "threadFlows"), thread);
    cJSON *locations = cJSON_AddArrayToObject(thread, "locations");
    for (unsigned i = 0; i < s->step_count; i++) {
        const struct frame *frame = frames_named(s->steps[i].trail);
        cJSON *step = cJSON_CreateObject(), *location = frame ? location_of(frame) : cJSON_CreateObject();
        add_text(location, "message", s->steps[i].what);
        cJSON_AddItemToObject(step, "location", location);
        cJSON_AddItemToArray(locations, step);
    }
}

/* A result that is not suppressed must say so by an empty list. */
static void add_suppression(cJSON *result, const struct suppression *by)
{
    cJSON *suppressions = cJSON_AddArrayToObject(result, "suppressions");
    if (!by)
        return;
    cJSON *suppression = cJSON_CreateObject();
    cJSON_AddStringToObject(suppression, "kind", by->is_comment ? "inSource" : "external");
    cJSON_AddStringToObject(suppression, "justification", by->place);
    cJSON_AddItemToArray(suppressions, suppression);
}

static cJSON *result_of(size_t number)
{
    const struct report *r = reports_at(number);
    cJSON *result = cJSON_CreateObject();
    const struct frame *named = r->trail_count ? frames_named(r->trails[0]) : NULL;
    size_t bytes = strlen(r->what) + (r->mend ? strlen(r->mend) : 0) + 16;
    char *text = allocate(bytes);
    snprintf(text, bytes, r->mend ? "%s; mend: %s" : "%s%s", r->what, r->mend ? r->mend : "");
    cJSON_AddStringToObject(result, "ruleId", r->kind);
    cJSON_AddStringToObject(result, "level", r->is_note ? "note" : "error");
    add_text(result, "message", text);
    free(text);
    cJSON *locations = cJSON_AddArrayToObject(result, "locations");
    if (named)
        cJSON_AddItemToArray(locations, location_of(named));
    add_related(result, r);
    add_others(cJSON_GetObjectItem(result, "relatedLocations"), number);
    add_stacks(result, r);
    add_flow(result, r->schedule);
    add_suppression(result, r->suppressed_by);
    return result;
}

void sarif_write(const char *path)
{
    cJSON *json = cJSON_CreateObject(), *run = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "$schema",
                            "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/"
                            "sarif-schema-2.1.0.json");
    cJSON_AddStringToObject(json, "version", "2.1.0");
    cJSON_AddItemToArray(cJSON_AddArrayToObject(json, "runs"), run);
    cJSON *driver = cJSON_AddObjectToObject(cJSON_AddObjectToObject(run, "tool"), "driver");
    cJSON_AddStringToObject(driver, "name", "gpusync-check");
    cJSON *rules = cJSON_AddArrayToObject(driver, "rules");
    for (size_t i = 0; i < FINDING_KINDS; i++) {
        cJSON *rule = cJSON_CreateObject();
        cJSON_AddStringToObject(rule, "id", finding_kinds[i].name);
        add_text(rule, "shortDescription", finding_kinds[i].says);
        cJSON_AddItemToArray(rules, rule);
    }
    cJSON *results = cJSON_AddArrayToObject(run, "results");
    for (size_t i = 0; i < reports_count(); i++)
        if (reports_at(i)->finding == i)
            cJSON_AddItemToArray(results, result_of(i));
    json_write(json, path);
}
