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

#define FIELD(name, low, high)                                                                               \
    {                                                                                                        \
#name, offsetof(struct machine_description, name), low, high, 1                                      \
    }
/* a constant that is a fraction in the JSON text; the machine keeps it multiplied by `times`, as a whole
 * number */
#define FIELD_TIMES(times, name, member, low, high)                                                          \
    {                                                                                                        \
#name, offsetof(struct machine_description, member), low, high, times                                \
    }

/* The constants of a description and their limits. A constant whose lower limit is 0 may be left out of the
 * file. It then counts as 0: its mechanism does not exist or takes no time, or its instructions are not
 * counted. */
static const struct field {
    const char *name;
    size_t offset;
    double low, high, times;
} fields[] = {
    FIELD(compute_capability, 10, PURE_CAPABILITY),
    FIELD(sm_count, 1, 4096),
    FIELD(warp_size, 2, MACHINE_MAX_WARP),
    FIELD(max_threads_per_block, 1, 1 << 20),
    FIELD(max_threads_per_sm, 1, 1 << 20),
    FIELD(max_blocks_per_sm, 1, 1024),
    FIELD(shared_bytes_per_sm, 0, 256 * 1024),
    FIELD_TIMES(1000, issue_per_unit, issue_per_1000_units, 0.001, 64),
    FIELD(issue_latency, 0, 1e6),
    FIELD(arithmetic_latency, 0, 1e6),
    FIELD_TIMES(1000, instruction_time, instruction_per_1000, 0, 1000),
    FIELD_TIMES(1000, long_instruction_time, long_instruction_per_1000, 0, 1000),
    FIELD(divide_latency, 0, 1e6),
    FIELD(branch_latency, 0, 1e6),
    FIELD(poll_latency, 0, 1e6),
    FIELD(poll_apart_latency, 0, 1e6),
    FIELD(poll_leave_latency, 0, 1e6),
    FIELD(shared_poll_latency, 0, 1e6),
    FIELD(shared_poll_apart_latency, 0, 1e6),
    FIELD(mbarrier_poll_latency, 0, 1e6),
    FIELD(poll_meet_latency, 0, 1e6),
    FIELD(sleep_latency, 0, 1e6),
    FIELD(clock_latency, 0, 1e6),
    FIELD(loads_under_way, 1, MOST_IN_FLIGHT),
    FIELD(l1_latency, 0, 1e6),
    FIELD(global_latency, 1, 1e6),
    FIELD(global_spread, 0, 1e6),
    FIELD(global_width, 1, 4096),
    FIELD_TIMES(1000, global_groups_per_unit, global_groups_per_1000_units, 0.001, 4096),
    FIELD(store_delay, 0, 1e6),
    FIELD(shared_latency, 1, 1e6),
    FIELD(shared_banks, 1, MACHINE_MAX_WARP),
    FIELD(atomic_latency, 1, 1e6),
    FIELD(atomic_far_latency, 0, 1e6),
    FIELD(atomic_near_multiprocessors, 0, 4096),
    FIELD_TIMES(1000, atomic_same_address, atomic_same_address_per_1000, 0, 1e6),
    FIELD(atomic_units, 0, 1024),
    FIELD(atomic_unit_lines, 0, 1024),
    FIELD(atomic_polled_latency, 0, 1e6),
    FIELD(shared_atomic_latency, 1, 1e6),
    FIELD(shared_atomic_same_address, 0, 1e6),
    FIELD(shared_atomic_lane, 0, 1e6),
    FIELD(shared_atomic_serial, 0, 1e6),
    FIELD(shared_swap_lane, 0, 1e6),
    FIELD(shared_swap_serial, 0, 1e6),
    FIELD(shared_loop_lane, 0, 1e6),
    FIELD(shared_loop_64_lane, 0, 1e6),
    FIELD(shared_loop_serial, 0, 1e6),
    FIELD(mbarrier_serial, 0, 1e6),
    FIELD(mbarrier_lane, 0, 1e6),
    FIELD(lock_bits, 0, MACHINE_MAX_LOCK_BITS),
    FIELD(lock_load_spread, 0, 1e6),
    FIELD(fence_block_latency, 0, 1e6),
    FIELD(fence_latency, 0, 1e6),
    FIELD(fence_serial, 0, 1e6),
    FIELD(fence_store_latency, 0, 1e6),
    FIELD(fence_store_far_latency, 0, 1e6),
    FIELD(fence_load_latency, 0, 1e6),
    FIELD(fence_load_far_latency, 0, 1e6),
    FIELD(fence_release_latency, 0, 1e6),
    FIELD(fence_acquire_latency, 0, 1e6),
    FIELD(fence_system_latency, 0, 1e6),
    FIELD(fence_release_system_latency, 0, 1e6),
    FIELD(fence_acquire_system_latency, 0, 1e6),
    FIELD(crossing_latency, 0, 1e6),
    FIELD(link_latency, 0, 1e6),
    FIELD_TIMES(1000, link_groups_per_unit, link_groups_per_1000_units, 0.001, 4096),
    FIELD(syncthreads_latency, 0, 1e6),
    FIELD(syncthreads_latency_of_32, 0, 1e6),
    FIELD(syncthreads_count_latency, 0, 1e6),
    FIELD(cluster_barrier_latency, 0, 1e6),
    FIELD(cluster_barrier_latency_of_32, 0, 1e6),
    FIELD(cluster_load_latency, 0, 1e6),
    FIELD_TIMES(1000, cluster_groups_per_unit, cluster_groups_per_1000_units, 0, 4096),
    FIELD(syncwarp_latency, 0, 1e6),
    FIELD(shuffle_latency, 0, 1e6),
    FIELD(match_value_latency, 0, 1e6),
    FIELD(launch_asynchronous, 0, 1e9),
    FIELD(launch_block, 0, 1e6),
    FIELD(memset_asynchronous, 0, 1e9),
    FIELD(launch_behind, 0, 1e9),
    FIELD(copy_latency, 0, 1e9),
    FIELD_TIMES(1000, copy_bytes_per_unit, copy_bytes_per_1000_units, 0, 1e6),
    FIELD(launch_synchronous, 0, 1e9),
    FIELD(launch_graph, 0, 1e9),
    FIELD(launch_graph_pdl, 0, 1e9),
    FIELD_TIMES(1000, launch_graph_block, launch_graph_block_per_1000, 0, 1000),
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
