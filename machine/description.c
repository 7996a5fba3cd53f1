/* Reads machine descriptions: JSON files of constants, each with its unit and its source. */
#include "machine/machine.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static char message[512];

static const char *problem(const char *format, ...) __attribute__((format(printf, 1, 2)));
static const char *problem(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return message;
}

static const struct field {
    const char *name;
    size_t offset;
    double low, high, times;
} fields[] = {
#define CONSTANT(name, low, high) {#name, offsetof(struct machine_description, name), low, high, 1},
#define FRACTION(name, member, low, high)                                                                    \
    {#name, offsetof(struct machine_description, member), low, high, 1000},
#include "machine/constants.def"
};

/* Reads a constant into *out, in time units; a value in ns is converted by the clock rate. Returns NULL,
 * or a message that says what is wrong. */
static const char *read_constant(const cJSON *constants, const struct field *field, double clock_hz, int *out,
                                 const char *label)
{
    const cJSON *constant = cJSON_GetObjectItemCaseSensitive(constants, field->name);
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(constant, "value");
    const cJSON *unit = cJSON_GetObjectItemCaseSensitive(constant, "unit");
    const cJSON *source = cJSON_GetObjectItemCaseSensitive(constant, "source");
    *out = 0;
    if (!constant && field->low == 0)
        return NULL;
    if (!cJSON_IsNumber(value))
        return problem("%s: the constant %s is missing or no number", label, field->name);
    if (!cJSON_IsString(source) || !source->valuestring[0])
        return problem("%s: the constant %s names no source", label, field->name);
    double number = value->valuedouble;
    bool in_ns = cJSON_IsString(unit) && strcmp(unit->valuestring, "ns") == 0;
    if (unit && !in_ns)
        return problem("%s: the constant %s has a unit that is not ns; without one it is in time units",
                       label, field->name);
    if (in_ns)
        number = round(number * 1e-9 * clock_hz * field->times) / field->times;
    double kept = field->times == 1 ? number : round(number * field->times);
    if (!(number >= field->low && number <= field->high) || kept != floor(kept))
        return problem("%s: the constant %s must be a %snumber from %g to %g%s, not %.15g%s", label,
                       field->name, field->times == 1 ? "whole " : "", field->low, field->high,
                       in_ns ? " time units" : "", value->valuedouble, in_ns ? " ns" : "");
    *out = (int)kept;
    return NULL;
}

static const struct field lockstep_field = {"lockstep", 0, 0, 1, 1};

/* Returns a message if a constant's name is unknown: without this check, a misspelled constant would count as
 * left out. */
static const char *check_names(const cJSON *constants, const char *label)
{
    const cJSON *constant;
    cJSON_ArrayForEach(constant, constants)
    {
        bool found = strcmp(constant->string, lockstep_field.name) == 0;
        for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
            found = found || strcmp(constant->string, fields[i].name) == 0;
        if (!found)
            return problem("%s: there is no constant %.64s", label, constant->string);
    }
    return NULL;
}

static const char *parse(const cJSON *root, struct machine_description *out, const char *label)
{
    const cJSON *schema = cJSON_GetObjectItemCaseSensitive(root, "schema");
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(root, "name");
    const cJSON *clock = cJSON_GetObjectItemCaseSensitive(root, "clock_hz");
    const cJSON *constants = cJSON_GetObjectItemCaseSensitive(root, "constants");
    if (!cJSON_IsString(schema) || strcmp(schema->valuestring, "gpusync-machine/1") != 0)
        return problem("%s: not a machine description (schema gpusync-machine/1)", label);
    if (!cJSON_IsString(name) || !name->valuestring[0] || strlen(name->valuestring) >= sizeof out->name)
        return problem("%s: the name is missing or too long", label);
    for (const char *c = name->valuestring; *c; c++)
        if (*c < ' ' || *c > '~')
            return problem("%s: the name has something else than ASCII's printable characters", label);
    if (!cJSON_IsNumber(clock) || !(clock->valuedouble > 0) || !isfinite(clock->valuedouble))
        return problem("%s: clock_hz is missing or not positive", label);
    *out = (struct machine_description){.clock_hz = clock->valuedouble, .posted_stores = true};
    snprintf(out->name, sizeof out->name, "%s", name->valuestring);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        int *target = (int *)(void *)((char *)out + fields[i].offset);
        const char *wrong = read_constant(constants, &fields[i], out->clock_hz, target, label);
        if (wrong)
            return wrong;
    }
    if (out->max_threads_per_block < out->warp_size || out->max_threads_per_sm < out->warp_size)
        return problem("%s: not even one warp of %d threads fits in a block and on a multiprocessor", label,
                       out->warp_size);
    if (out->atomic_units && !out->atomic_unit_lines)
        return problem("%s: the constant atomic_unit_lines is 0 or missing, though there are atomic_units",
                       label);
    int value = 0;
    const char *wrong = read_constant(constants, &lockstep_field, out->clock_hz, &value, label);
    out->lockstep = value;
    return wrong ? wrong : check_names(constants, label);
}

const char *machine_description_parse(const char *text, const char *label, struct machine_description *out)
{
    cJSON *root = cJSON_Parse(text);
    const char *wrong = root ? parse(root, out, label) : problem("%s: not JSON", label);
    cJSON_Delete(root);
    return wrong;
}

struct machine_description machine_pure_dmm(int width, int latency)
{
    struct machine_description d = machine_pure_umm(width, latency);
    d.global_banks = width;
    snprintf(d.name, sizeof d.name, "dmm-w%d-l%d", width, latency);
    return d;
}

struct machine_description machine_pure_umm(int width, int latency)
{
    struct machine_description d = {
        .compute_capability = PURE_CAPABILITY,
        .sm_count = 1,
        .warp_size = width,
        .max_threads_per_block = 1 << 20,
        .max_threads_per_sm = 1 << 20,
        .max_blocks_per_sm = 1,
        .shared_bytes_per_sm = 256 * 1024,
        .charges_memory_only = true,
        .issue_per_1000_units = 1000,
        .global_latency = latency,
        .global_width = width,
        .global_groups_per_1000_units = 1000,
        .link_groups_per_1000_units = 1000,
        .loads_under_way = 1,
        .shared_latency = latency,
        .shared_banks = width,
        .atomic_latency = latency,
        .atomic_same_address_per_1000 = 1000,
        .shared_atomic_latency = latency,
        .shared_atomic_same_address = 1,
        /* all threads of a warp execute each instruction together (Nakano 2013, section 2) */
        .lockstep = true,
    };
    snprintf(d.name, sizeof d.name, "umm-w%d-l%d", width, latency);
    return d;
}
