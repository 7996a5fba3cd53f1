#include "report/tables.h"
#include "base/failure.h"
#include "report/claims.h"
#include "report/fidelity.h"
#include "report/results.h"
#include "report/rows.h"
#include "report/devices.h"
#include "report/table.h"
#include "base/text.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <math.h>

/* ---- what tables need ---- */

static bool has_one(const char *folder, const char *need)
{
    const char *variant = strchr(need, ':'), *name = made("%.*s", (int)strcspn(need, ":"), need);
    if (!variant)
        return has_file(folder, name);
    struct result *r = result_open(folder, name);
    return r && result_has(r, variant + 1);
}

static bool has_any(const char *folder, char *alternatives)
{
    char *rest;
    for (char *need = strtok_r(alternatives, "|", &rest); need; need = strtok_r(NULL, "|", &rest))
        if (has_one(folder, need))
            return true;
    return false;
}

bool folder_has(const char *folder, const char *needs)
{
    char copy[256], *rest;
    snprintf(copy, sizeof copy, "%s", needs);
    for (char *need = strtok_r(copy, " ", &rest); need; need = strtok_r(NULL, " ", &rest))
        if (!has_any(folder, need))
            return false;
    return true;
}

/* ---- causes ---- */

/* The table of causes: why the machines that model the papers' GPUs do not reproduce some of the papers'
 * numbers. */

/* Returns whether the machine `name` models the GPU of the claim's paper. */
static bool is_of_machine(const cJSON *claim, const char *name)
{
    const cJSON *machine,
        *machines = cJSON_GetObjectItem(json_of_suite("results/papers/claims.json"), "machines");
    cJSON_ArrayForEach(machine, cJSON_GetObjectItem(machines, text_of(claim, "paper")))
    {
        if (cJSON_IsString(machine) && strcmp(machine->valuestring, name) == 0)
            return true;
    }
    return false;
}

/* Returns whether the folder has results of a machine that models a paper's GPU. */
static bool has_causes(const char *folder)
{
    bool has = false;
    const cJSON *claim;
    cJSON_ArrayForEach(claim, all_claims())
    {
        has = has || is_of_machine(claim, check_folder(folder));
    }
    return has;
}

/* Returns the explanation of a claim's difference, or "" if there is none. */
static const char *explanation(const cJSON *claim)
{
    const cJSON *cause = cJSON_GetObjectItem(claim, "cause");
    return cJSON_IsString(cause) ? cause->valuestring : text_of(cause, "says");
}

/*
 * Returns the cause of a claim's difference. A cause has an explanation ("says") and a formula over a run
 * that shows it ("shown_by"), whose value is in the unit of the cause or of the claim; "shows" describes the
 * value. A cause that is only a text, or that has no such run, is a guess, and the question is open. With
 * `again`, for a row after another one with the same explanation, the text does not repeat it.
 */
static const char *cause_text(const cJSON *claim, struct sources *sources, bool again)
{
    const cJSON *cause = cJSON_GetObjectItem(claim, "cause");
    const char *says = again ? "the same" : explanation(claim);
    if (!*says)
        return "open";
    if (!*text_of(cause, "shown_by"))
        return made("open (guess: %s)", says);
    struct value v = formula_value(text_of(cause, "shown_by"), sources);
    const char *shows = text_of(cause, "shows");
    return made("%s; shown: %s%s%s", says, shows, *shows ? ": " : "",
                claim_value_text(*text_of(cause, "unit") ? cause : claim, &v));
}

/* Returns whether a claim with this verdict needs no explanation, because the paper's number is reproduced or
 * the claim tests nothing. */
static bool needs_no_cause(enum claim_verdict verdict)
{
    return !is_judged(verdict) || verdict == CLAIM_HOLDS || verdict == CLAIM_WITHIN_10 ||
           verdict == CLAIM_WITHIN_25;
}

/* Returns whether the claim has a cause for the device whose results are in the folder. A cause with a member
 * "of" is only for the device that it names. */
static bool has_cause(const cJSON *claim, const char *folder)
{
    const cJSON *cause = cJSON_GetObjectItem(claim, "cause"), *of = cJSON_GetObjectItem(cause, "of");
    const char *slash = strrchr(folder, '/');
    return cause && (!cJSON_IsString(of) || strcmp(of->valuestring, slash ? slash + 1 : folder) == 0);
}

/* Returns whether the claim is about the folder's machine, can be measured there, and has a cause. */
static bool is_explained(const cJSON *claim, struct sources *sources)
{
    if (!has_cause(claim, sources->folder) || !is_of_machine(claim, check_folder(sources->folder)))
        return false;
    struct value v = claim_value(claim, text_of(claim, "formula"), sources);
    return claim_verdict_on(claim, &v, sources->folder) != CLAIM_NOT_MEASURABLE;
}

/* Adds a claim that came out otherwise than in its paper. */
static void add_claim(struct table *t, const cJSON *claim, const struct value *v, struct sources *sources)
{
    enum claim_verdict of = claim_verdict_on(claim, v, sources->folder);
    if (of == CLAIM_NOT_MEASURABLE || (!has_cause(claim, sources->folder) && needs_no_cause(of)))
        return;
    table_add(t, "%s, %s | %s | %s", text_of(claim, "paper"), text_of(claim, "place"), text_of(claim, "says"),
              claim_paper_text(claim));
    claim_add_value(t, claim, v, sources);
    table_cells(t, "%s | %s", claim_verdict_text(claim, v, sources->folder),
                needs_no_cause(of) && of != CLAIM_DEPENDS ? "(none is needed)"
                                                          : cause_text(claim, sources, false));
}

/* Adds to a table in Markdown, for a document that has the verdicts elsewhere, the claims with a cause. Those
 * with the same explanation stand together. */
static void add_causes(struct table *t, struct sources *sources)
{
    const char **told = NULL;
    size_t count = 0;
    const cJSON *first, *claim;
    cJSON_ArrayForEach(first, all_claims())
    {
        bool again = false;
        for (size_t i = 0; i < count; i++)
            again = again || strcmp(told[i], explanation(first)) == 0;
        if (again || !is_explained(first, sources))
            continue;
        told = with_room(told, sizeof *told, count, 1);
        told[count++] = explanation(first);
        for (claim = first; claim; claim = claim->next)
            if (strcmp(explanation(claim), explanation(first)) == 0 && is_explained(claim, sources))
                table_add(t, "%s: %s | %s", text_of(claim, "place"), text_of(claim, "says"),
                          cause_text(claim, sources, claim != first));
    }
    free(told);
}

/* Prints the table `causes`. */
static void print_causes(const char *folder, enum form form, FILE *file)
{
    struct table t = {NULL, 0};
    struct sources sources = {.folder = folder};
    const cJSON *claim;
    table_add(&t, form == FORM_MARKDOWN ? "claim | cause"
                                        : "paper | claim | paper says | predicted | verdict | cause");
    if (form == FORM_MARKDOWN) {
        add_causes(&t, &sources);
    } else {
        cJSON_ArrayForEach(claim, all_claims())
        {
            if (!is_of_machine(claim, check_folder(folder)))
                continue;
            struct value v = claim_value(claim, text_of(claim, "formula"), &sources);
            add_claim(&t, claim, &v, &sources);
        }
    }
    sources_close(&sources);
    if (form == FORM_MARKDOWN && t.count == 1)
        fprintf(file, "No claim about `%s` has a cause.\n", check_folder(folder));
    else
        table_print(&t, form, file);
    table_free(&t);
}

/* ---- the table `changed` ---- */

#define CHANGED "results/reference/changed.json"

/* Returns the folder's rows of the file, or NULL if there are none or no such file. */
static const cJSON *rows_of(const char *folder)
{
    const char *slash = strrchr(folder, '/');
    if (!is_reference(folder) || access(suite_path(CHANGED), R_OK) != 0)
        return NULL;
    return cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItem(json_of_suite(CHANGED), "folders"),
                                            slash ? slash + 1 : folder);
}

bool has_changed_kernels(const char *folder)
{
    const cJSON *rows = rows_of(folder);
    return rows && rows->child;
}

static void add_row(struct table *t, const cJSON *row)
{
    const cJSON *file;
    const char *list = "";
    int count = 0;
    cJSON_ArrayForEach(file, cJSON_GetObjectItem(row, "files"))
    {
        if (count++ < 3 && cJSON_IsString(file))
            list = made("%s%s%s", list, *list ? ", " : "", file->valuestring);
    }
    table_add(t, "%s | %s | %s | %s%s", text_of(row, "result"), text_of(row, "program"),
              text_of(row, "revision"), list, count > 3 ? made(" and %d more", count - 3) : "");
}

/* Prints the table `changed`: result, revision that measured it, and files of its kernel that differ now. */
static void print_changed_kernels(const char *folder, enum form form, FILE *file)
{
    struct table t = {0};
    const cJSON *row;
    table_add(&t, "result | program | measured at revision | files of the kernel that have changed since");
    cJSON_ArrayForEach(row, rows_of(folder)) add_row(&t, row);
    table_end(&t, form, file);
}

/* ---- the command `points` ---- */

static void add_head(struct table *t)
{
    static const char *const names[] = {"result",     "variant",   "blocks",  "threads", "size",
                                        "samples",    "time",      "low",     "high",    "unit",
                                        "operations", "each_time", "ordered", "verified"};
    table_row(t);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        table_cells(t, "%s", names[i]);
}

static const char *yes_or_no(const cJSON *p, const char *member)
{
    return is_true(p, member) ? "yes" : is_false(p, member) ? "no" : "-";
}

static void add_number(struct table *t, double number, int digits)
{
    if (isfinite(number))
        table_cells(t, digits == 15 ? "%.15g" : "%.9g", number);
    else
        table_cells(t, "-");
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
    add_number(t, number_of(p, "blocks"), 15);
    add_number(t, number_of(p, "threads"), 15);
    add_number(t, number_of(p, "size"), 15);
    table_cells(t, "%d", cJSON_GetArraySize(member_of(p, "samples")));
    add_number(t, run.us, 9);
    add_number(t, run.low, 9);
    add_number(t, run.high, 9);
    table_cells(t, "%s", is_clocked ? unit_name(options->unit) : text_of(p, "unit"));
    add_number(t, number_of(p, "operations"), 15);
    add_number(t, run.us / number_of(p, "operations"), 9);
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
static void check_names(const char *folder, struct texts found, char **names, size_t count)
{
    char meant[NEAREST_BYTES];
    for (size_t i = 0; i < count; i++) {
        bool is_there = false;
        for (size_t f = 0; f < found.count; f++)
            is_there = is_there || is_named(found.items[f], &names[i], 1);
        if (!is_there)
            fail(EXIT_BAD_INPUT, "%s has no result %s%s", folder, names[i],
                 did_you_mean(meant, "", names[i], found.items, found.count));
    }
}

int print_points(struct arguments *a, FILE *file)
{
    const char *folder = device_folder(a->words[0]);
    char **names = a->words + 1;
    size_t count = (size_t)a->count - 1;
    struct table t = {NULL, 0};
    check_folder(folder);
    struct texts found = result_names(folder);
    check_names(folder, found, names, count);
    add_head(&t);
    for (size_t f = 0; f < found.count; f++) {
        const char *name = found.items[f];
        struct result *r =
            is_named(name, names, count) && result_is_one(folder, name) ? result_open(folder, name) : NULL;
        if (r)
            FOR_EACH_POINT(p, r) add_point(&t, name, r, p, a);
    }
    free(found.items);
    table_end(&t, a->form, file);
    return EXIT_VERIFIED;
}

/* ---- tables ---- */

#define MOST_TABLES 64

static const struct tables general_tables[] = {
    {"claims-totals", "", "How many claims of each paper have which verdict here",
     "micro-barrier|micro-latency|micro-producer-consumer|study", NULL, print_claims_totals, NULL},
    {"causes", "causes", "What the papers print and their GPUs' machines do not, and why", NULL, has_causes,
     print_causes, NULL},
    {"changed", "changed", "Results whose kernel has changed since they were measured", NULL,
     has_changed_kernels, print_changed_kernels, NULL},
    {"fidelity", "machine", "Predicted and measured", "predicted/micro-components", NULL, print_fidelity,
     NULL},
    {"worst-predictions", "machine", "The ten variants whose predictions are worst, by their worst point",
     "predicted/micro-components", NULL, print_worst_predictions, NULL},
};

static const struct tables *find(const struct tables *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    return NULL;
}

static void add(struct tables *list, size_t *count, const struct tables *tables, size_t more)
{
    if (*count + more > MOST_TABLES)
        fail(EXIT_BAD_INPUT, "more than %d tables", MOST_TABLES);
    memcpy(&list[*count], tables, more * sizeof *tables);
    *count += more;
}

static void add_rows(struct tables *list, size_t *count, const struct row_group *rows)
{
    const struct tables *coded = find(list, *count, rows->name);
    const struct tables alone = {.name = rows->name,
                                 .question = rows->question,
                                 .title = rows->title,
                                 .needs = rows->needs,
                                 .rows = rows};
    if (coded)
        list[coded - list].rows = rows;
    else
        add(list, count, &alone, 1);
}

const struct tables *all_tables(size_t *count)
{
    static struct tables list[MOST_TABLES];
    static size_t known;
    if (!known) {
        size_t groups;
        const struct row_group *rows = row_groups(&groups);
        add(list, &known, paper_tables, paper_tables_count);
        add(list, &known, general_tables, sizeof general_tables / sizeof *general_tables);
        for (size_t i = 0; i < groups; i++)
            add_rows(list, &known, &rows[i]);
    }
    *count = known;
    return list;
}

const struct tables *table_of_name(const char *name)
{
    size_t count;
    const struct tables *list = all_tables(&count);
    return find(list, count, name);
}

void print_tables_of(const struct tables *table, const char *folder, enum form form, FILE *file)
{
    if (table->rows)
        rows_print(table->rows, folder, form, file);
    if (table->print)
        table->print(folder, form, file);
}

bool table_is_possible(const struct tables *table, const char *folder)
{
    return table->has ? table->has(folder) : folder_has(folder, table->needs);
}
