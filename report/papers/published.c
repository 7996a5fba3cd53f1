#include "report/papers/papers.h"
#include "base/failure.h"
#include "base/memory.h"
#include "report/devices.h"
#include "report/formula.h"
#include "report/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Indices of the cells in a row of published.tsv */
enum { ID, DEVICE, MEASURED, NUMBER, UNIT, FORMULA, LINK, WHY };

#define CONSTANT "constant('" /* how the call of a constant begins in a formula */
#define FAR_OFF 0.2 /* share of the published number by which a prediction may be off without a sentence */

enum kind { FREE, FITTED, UNPREDICTED, KINDS };
static const char *const kind_names[KINDS] = {"free", "fitted", "not predicted"};

struct comparison {
    const struct tsv_row *row;
    enum kind kind;
    double published, predicted; /* in the row's unit; `predicted` is NaN if there is no prediction */
};

static double ratio_of(const struct comparison *c)
{
    return c->predicted / c->published;
}

static bool is_near(const struct comparison *c)
{
    return fabs(ratio_of(c) - 1) <= FAR_OFF;
}

/* Returns the folder with the results of the device's machine: a preset's own, or the predictions for a GPU
 * that was measured, too. */
static const char *folder_of_machine(const char *device)
{
    const char *path = made("%s/machine-%s", reference_folder(), device);
    return access(path, F_OK) == 0 ? path : device_folder(made("%s-predicted", device));
}

/* Returns the name by which sources of constants refer to the publication of the link: the repository of a
 * file on GitHub, the number of a paper on arXiv, or else the link. */
static const char *publication_of(const char *link)
{
    static const char github[] = "https://github.com/", arxiv[] = "https://arxiv.org/abs/";
    if (strncmp(link, github, strlen(github)) != 0)
        return strncmp(link, arxiv, strlen(arxiv)) == 0 ? link + strlen(arxiv) : link;
    const char *owner = link + strlen(github), *slash = strchr(owner, '/');
    size_t length = slash ? (size_t)(slash - owner) + 1 + strcspn(slash + 1, "/") : strlen(owner);
    return made("%.*s", (int)length, owner);
}

/* Returns the place of the constant's call if the formula reads nothing but one constant, or else NULL. */
static const char *one_constant(const char *formula)
{
    const char *at = strstr(formula, CONSTANT);
    bool has_more =
        !at || strstr(at + 1, CONSTANT) || strstr(formula, "round(") || strstr(formula, "barrier(");
    return has_more ? NULL : at;
}

/* Returns whether the formula reads nothing but one constant, whose source names the publication. */
static bool is_fitted(const char *formula, const char *link, struct sources *sources)
{
    char file[96], name[96];
    const char *at = one_constant(formula);
    if (!at || sscanf(at + strlen(CONSTANT), "%95[^']', '%95[^']", file, name) != 2)
        return false;
    const struct result *result = sources_result(sources, file);
    return result && strstr(text_of(result->device, made("description.constants.%s.source", name)),
                            publication_of(link));
}

static struct comparison compare_row(const struct tsv_row *row)
{
    char *const *cells = row->cells;
    struct comparison c = {row, UNPREDICTED, tsv_number(row, NUMBER), NAN};
    if (strncmp(cells[LINK], "https://", 8) != 0)
        fail(EXIT_BAD_INPUT, "published.tsv: %s has no link", cells[ID]);
    struct sources sources = {.folder = folder_of_machine(cells[DEVICE])};
    if (strcmp(cells[FORMULA], "-") != 0) {
        struct value value = formula_value(cells[FORMULA], &sources);
        if (*value.missing)
            fail(EXIT_BAD_INPUT, "published.tsv: %s: %s", cells[ID], value.missing);
        c.predicted = value.is;
        c.kind = is_fitted(cells[FORMULA], cells[LINK], &sources) ? FITTED : FREE;
    }
    if (c.kind != FITTED && !is_near(&c) && !*cells[WHY])
        fail(EXIT_BAD_INPUT,
             "published.tsv: %s is off by more than %g %% (%g for %g %s) and does not say why", cells[ID],
             100 * FAR_OFF, c.predicted, c.published, cells[UNIT]);
    return c;
}

static void add_row(struct table *t, const struct comparison *c, enum form form)
{
    char *const *cells = c->row->cells;
    int digits = c->published < 1 ? 3 : strcmp(cells[UNIT], "us") == 0 ? 2 : c->published < 100 ? 1 : 0;
    table_row(t);
    if (is_for_programs(form)) {
        table_cells(t, "%s | %s", cells[ID], kind_names[c->kind]);
    }
    table_cells(t, "%s | %s %s | %.*F | %.2F", cells[MEASURED], cells[NUMBER], cells[UNIT], digits,
                c->predicted, ratio_of(c));
    table_cells(t, "%s", cells[form == FORM_MARKDOWN ? WHY : LINK]);
}

static void add_head(struct table *t, enum form form)
{
    static const char *const heads[] = {
        "row", "kind", "measured", "published", "predicted", "predicted / published", "where"};
    table_row(t);
    for (size_t i = is_for_programs(form) ? 0 : 2; i < sizeof heads / sizeof *heads; i++)
        table_cells(t, "%s", form == FORM_MARKDOWN && i == 6 ? "why" : heads[i]);
}

/* Prints how many predictions are near the published numbers. Predictions that are a single constant are
 * counted separately; the machine computes the others, from runs or from several constants. */
static void print_count(const struct comparison *all, size_t count, FILE *file)
{
    size_t rows[2] = {0}, near[2] = {0};
    for (size_t i = 0; i < count; i++) {
        bool made = !one_constant(all[i].row->cells[FORMULA]);
        rows[made] += all[i].kind == FREE;
        near[made] += all[i].kind == FREE && is_near(&all[i]);
    }
    size_t near_all = near[0] + near[1], rows_all = rows[0] + rows[1];
    fprintf(
        file,
        "Of %zu predictions that are not fitted, %zu (%.0f %%) are within %g %%: %zu of the %zu that come\n"
        "from runs of the machine or from several constants, and %zu of the %zu that are one constant\n"
        "beside the number of another publication.\n\n",
        rows_all, near_all, 100.0 * (double)near_all / (double)rows_all, 100 * FAR_OFF, near[1], rows[1],
        near[0], rows[0]);
}

/* Prints a sentence and a table about the rows of one kind, and the sentences that say why a prediction is
 * far off. In Markdown, which documents have, the table has only those predictions, with the reason
 * in place of the link. */
static void print_kind(const struct comparison *all, size_t count, enum kind kind, enum form form, FILE *file)
{
    struct table t = {NULL, 0};
    size_t rows = 0;
    add_head(&t, form);
    for (size_t i = 0; i < count; i++) {
        bool is_shown = form != FORM_MARKDOWN || (kind == FREE && !is_near(&all[i]));
        if (all[i].kind == kind && is_shown)
            add_row(&t, &all[i], form);
        rows += all[i].kind == kind;
    }
    if (kind == FREE)
        print_count(all, count, file);
    else
        fprintf(file,
                kind == FITTED ? "%zu are fitted: a constant comes from the publication itself%s\n\n"
                               : "%zu published times are not predicted%s\n\n",
                rows, t.count > 1 ? ":" : ".");
    if (t.count > 1)
        table_print(&t, form, file);
    fputs(t.count > 1 ? "\n" : "", file);
    for (size_t i = 0; i < count && form != FORM_MARKDOWN; i++)
        if (all[i].kind == kind && *all[i].row->cells[WHY])
            fprintf(file, "- %s: %s.\n", all[i].row->cells[MEASURED], all[i].row->cells[WHY]);
    table_free(&t);
}

int print_published(struct arguments *a, FILE *file)
{
    enum form form = a->form;
    const struct tsv *tsv = tsv_need(made("%s/published", suite_path("results/papers")));
    struct comparison *all = allocate(tsv->count * sizeof *all);
    for (size_t i = 0; i < tsv->count; i++)
        all[i] = compare_row(&tsv->rows[i]);
    if (is_for_programs(form)) {
        struct table t = {NULL, 0};
        add_head(&t, form);
        for (size_t i = 0; i < tsv->count; i++)
            add_row(&t, &all[i], form);
        table_end(&t, form, file);
    } else {
        for (enum kind kind = FREE; kind < KINDS; kind++) {
            fputs(kind == FREE ? "" : "\n", file);
            print_kind(all, tsv->count, kind, form, file);
        }
    }
    free(all);
    return EXIT_VERIFIED;
}
