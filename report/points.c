#include "report/points.h"
#include "base/failure.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_head(struct table *t)
{
    static const char *const names[] = {"result",        "variant", "blocks",  "threads", "size",
                                        "samples",       "time",    "low",     "high",    "unit",
                                        "per_operation", "ordered", "verified"};
    table_row(t);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        table_cells(t, "%s", names[i]);
}

static const char *yes_or_no(const cJSON *p, const char *member)
{
    return is_true(p, member) ? "yes" : is_false(p, member) ? "no" : "-";
}

static void add_number(struct table *t, double number, const char *format)
{
    char text[32];
    snprintf(text, sizeof text, format, number);
    table_cells(t, "%s", isfinite(number) ? text : "-");
}

/* Adds the row of a point. Its times stay in its own unit if the machine has no clock. */
static void add_point(struct table *t, const char *name, const struct result *r, const cJSON *p,
                      const struct arguments *options)
{
    bool is_clocked = strcmp(text_of(p, "unit"), "ns") == 0 || r->clock_hz > 0;
    if (options->in_unit && !is_clocked)
        fail(EXIT_BAD_INPUT, "%s: its machine has no clock, so its times are in no other unit than %s",
             r->path, text_of(p, "unit"));
    struct timing run = is_clocked ? timing_in(options->unit, r, run_time(r, p)) : run_as_measured(p);
    table_add(t, "%s | %s", name, text_of(p, "variant"));
    add_number(t, number_of(p, "blocks"), "%.15g");
    add_number(t, number_of(p, "threads"), "%.15g");
    add_number(t, number_of(p, "size"), "%.15g");
    table_cells(t, "%d", cJSON_GetArraySize(member_of(p, "samples")));
    add_number(t, run.us, "%.9g");
    add_number(t, run.low, "%.9g");
    add_number(t, run.high, "%.9g");
    table_cells(t, "%s", is_clocked ? unit_name(options->unit) : text_of(p, "unit"));
    add_number(t, run.us / number_of(p, "operations"), "%.9g");
    table_cells(t, "%s | %s", yes_or_no(p, "ordered"), yes_or_no(p, "verified"));
}

/* Returns whether the result NAME or NAME@SWEEP is one of the `count` named results, or none is named. */
static bool is_named(const char *name, char **names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(name, names[i], length) == 0 && (!name[length] || name[length] == '@'))
            return true;
    }
    return !count;
}

/* Exits if the folder does not have a result that the command names. */
static void check_names(const char *folder, char **found, size_t found_count, char **names, size_t count)
{
    char meant[NEAREST_BYTES];
    for (size_t i = 0; i < count; i++) {
        bool is_there = false;
        for (size_t f = 0; f < found_count; f++)
            is_there = is_there || is_named(found[f], &names[i], 1);
        if (!is_there)
            fail(EXIT_BAD_INPUT, "%s has no result %s%s", folder, names[i],
                 did_you_mean(meant, "", names[i], (const char *const *)found, found_count));
    }
}

void print_points(const char *folder, char **names, size_t count, const struct arguments *options, FILE *file)
{
    size_t found_count;
    struct table t = {NULL, 0};
    check_folder(folder);
    char **found = result_names(folder, &found_count);
    check_names(folder, found, found_count, names, count);
    add_head(&t);
    for (size_t f = 0; f < found_count; f++) {
        struct result *r = is_named(found[f], names, count) && result_is_one(folder, found[f])
                               ? result_open(folder, found[f])
                               : NULL;
        if (r)
            FOR_EACH_POINT(p, r) add_point(&t, found[f], r, p, options);
        free(found[f]);
    }
    free(found);
    table_end(&t, options->form, file);
}
