#include "report/tables.h"
#include "base/failure.h"
#include "report/changed.h"
#include "report/claim_value.h"
#include "report/claims.h"
#include "report/fidelity.h"
#include "report/results.h"
#include "report/rows.h"
#include "report/suite_path.h"
#include "report/table.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* ---- what tables need ---- */

static bool has_one(const char *folder, const char *need)
{
    char name[64];
    const char *variant = strchr(need, ':');
    snprintf(name, sizeof name, "%.*s", (int)strcspn(need, ":"), need);
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

/* Appends the value of the formula that shows the cause, in the unit of the cause or of the claim. */
static void append_shown(const cJSON *claim, const cJSON *cause, struct sources *sources, char *text,
                         size_t bytes)
{
    char number[VALUE_BYTES];
    struct value v = formula_value(text_of(cause, "shown_by"), sources);
    const cJSON *unit = *text_of(cause, "unit") ? cause : claim;
    append(text, bytes, "; shown: %s%s%s", text_of(cause, "shows"), *text_of(cause, "shows") ? ": " : "",
           claim_value_text(number, unit, &v));
}

/*
 * Writes the cause of a claim's difference into `text`, and returns `text`. A cause has an explanation
 * ("says") and a formula over a run that shows it ("shown_by"); "shows" describes the formula's value. A
 * cause that is only a text, or that has no such run, is a guess, and the question is open.
 */
static const char *cause_text(const cJSON *claim, struct sources *sources, char *text, size_t bytes)
{
    const cJSON *cause = cJSON_GetObjectItem(claim, "cause");
    const char *says = cJSON_IsString(cause) ? cause->valuestring : text_of(cause, "says");
    if (!*says)
        snprintf(text, bytes, "open");
    else if (!*text_of(cause, "shown_by"))
        snprintf(text, bytes, "open (guess: %s)", says);
    else {
        snprintf(text, bytes, "%s", says);
        append_shown(claim, cause, sources, text, bytes);
    }
    return text;
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

/* Adds a claim that came out otherwise than in its paper. In Markdown, for docs/claims.md, which has the
 * verdicts elsewhere, the row has only the cause, and a claim without a cause has no row. */
static void add_claim(struct table *t, const cJSON *claim, const struct value *v, enum form form,
                      struct sources *sources)
{
    char cause[512], verdict[128], paper[128];
    enum claim_verdict of = claim_verdict_on(claim, v, sources->folder);
    bool has = has_cause(claim, sources->folder);
    if (of == CLAIM_NOT_MEASURABLE || (!has && (needs_no_cause(of) || form == FORM_MARKDOWN)))
        return;
    if (form == FORM_MARKDOWN) {
        table_add(t, "%s: %s | %s", text_of(claim, "place"), text_of(claim, "says"),
                  cause_text(claim, sources, cause, sizeof cause));
        return;
    }
    table_add(t, "%s, %s | %s | %s", text_of(claim, "paper"), text_of(claim, "place"), text_of(claim, "says"),
              claim_paper_text(paper, claim));
    claim_add_value(t, claim, v, sources);
    table_cells(t, "%s | %s", claim_verdict_text(claim, v, sources->folder, verdict, sizeof verdict),
                needs_no_cause(of) && of != CLAIM_DEPENDS ? "(none is needed)"
                                                          : cause_text(claim, sources, cause, sizeof cause));
}

/* Prints the table `causes`. */
static void print_causes(const char *folder, enum form form, FILE *file)
{
    struct table t = {NULL, 0};
    struct sources sources = {.folder = folder};
    const cJSON *claim;
    table_add(&t, form == FORM_MARKDOWN ? "claim | cause"
                                        : "paper | claim | paper says | predicted | verdict | cause");
    cJSON_ArrayForEach(claim, all_claims())
    {
        if (!is_of_machine(claim, check_folder(folder)))
            continue;
        struct value v = claim_value(claim, text_of(claim, "formula"), &sources);
        add_claim(&t, claim, &v, form, &sources);
    }
    sources_close(&sources);
    if (form == FORM_MARKDOWN && t.count == 1)
        fprintf(file, "No claim about `%s` has a cause.\n", check_folder(folder));
    else
        table_print(&t, form, file);
    table_free(&t);
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
