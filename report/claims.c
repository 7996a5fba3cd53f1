/*
 * Judges the papers' claims and prints them. For each claim results/papers/claims.json has the paper, the
 * place in the paper, a sentence, the paper's value or the side on which it lies (report/verdict.c), and the
 * formula (report/formula.h) that computes the device's value, with the size that it rests on
 * (report/claim_value.c).
 */
#include "base/failure.h"
#include "base/memory.h"
#include "report/claims.h"
#include "report/devices.h"
#include "report/formula.h"
#include "report/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CLAIMS_WIDTH 100 /* columns of a line of claims in text */

void claim_add_value(struct table *t, const cJSON *claim, const struct value *v,
                     const struct sources *sources)
{
    table_cells(t, "%s%s", claim_value_text(claim, v), claim_notes(claim, v, sources));
}

const char *claim_paper_text(const cJSON *claim)
{
    double value = number_of(claim, "value");
    const char *unit = text_of(claim, "unit");
    return isnan(value) ? made("%s %.3F%s", text_of(claim, "side"), number_of(claim, "neutral"), unit)
                        : made("%.3F%s%s", value, strcmp(unit, "x") && strcmp(unit, "%") ? " " : "", unit);
}

const char *const claim_head[CLAIM_COLUMNS] = {"paper",       "claim",   "paper says",
                                               "this device", "verdict", "the same verdict in"};

void claim_add_row(struct table *t, const struct judged *judged, const struct sources *sources,
                   const struct robustness *robustness)
{
    const cJSON *claim = judged->claim;
    const struct value *v = &judged->value;
    table_cells(t, "%s, %s | %s | %s", text_of(claim, "paper"), text_of(claim, "place"),
                text_of(claim, "says"), claim_paper_text(claim));
    claim_add_value(t, claim, v, sources);
    const char *sure = robustness_text(robustness, claim, judged->verdict);
    table_cells(t, "%s | %s", claim_verdict_text(claim, v, sources->folder), *sure ? sure : "-");
}

/* Prints a table of claims and frees it: in text a record for each. */
static void print_records(struct table *t, enum form form, FILE *file)
{
    if (form == FORM_TEXT)
        table_print_records(t, CLAIMS_WIDTH, file);
    else
        table_print(t, form, file);
    table_free(t);
}

void print_claims(const char *folder, enum form form, FILE *file)
{
    struct table t = {NULL, 0};
    struct sources sources = {.folder = folder};
    struct robustness robustness = robustness_of(folder);
    const cJSON *claim;
    struct totals totals = {.count = 0};
    table_row(&t);
    for (size_t i = 0; i < CLAIM_COLUMNS; i++)
        table_cells(&t, "%s", claim_head[i]);
    cJSON_ArrayForEach(claim, all_claims())
    {
        struct judged judged = judge_claim(claim, &sources);
        table_row(&t);
        claim_add_row(&t, &judged, &sources, &robustness);
        totals_count(&totals, claim, &judged.value, folder);
    }
    sources_close(&sources);
    if (!is_for_programs(form))
        totals_print(&totals, 1, form, file);
    print_records(&t, form, file);
}

static struct totals totals_of(const char *folder)
{
    struct judging judging = judging_of(folder);
    free(judging.items);
    return judging.totals;
}

void print_claims_totals(const char *folder, enum form form, FILE *file)
{
    struct totals totals = totals_of(folder);
    totals_print(&totals, 1, form, file);
}

/* ---- all devices ---- */

/* Returns the text that stands in the matrix before a device's name: "your " for results of this computer, ""
 * for committed ones. Both may be of the same device. */
static const char *whose(const char *folder)
{
    return is_reference(folder) ? "" : "your ";
}

static void name_totals(struct totals *totals, const char *folder)
{
    snprintf(totals->name, sizeof totals->name, "%s%s", whose(folder), check_folder(folder));
}

/* Returns the cell of the matrix with the claim's value and verdict on the device added. If the cell is for
 * several devices, adds the device's name, too. print_claims also has the interval, the sizes and the other
 * readings. */
static const char *with_verdict(const char *cell, struct sources *from, bool named, const cJSON *claim,
                                struct totals *totals)
{
    struct judged judged = judge_claim(claim, from);
    totals_count(totals, claim, &judged.value, from->folder);
    if (judged.verdict == CLAIM_NOT_MEASURABLE)
        return cell;
    bool has_wrong = is_judged(judged.verdict) && *claim_wrong_variant(claim, &judged.value, from->folder);
    judged.value.low = judged.value.high = judged.value.is;
    return made("%s%s%s%s%s%s: %s%s", cell, *cell ? "; " : "", named ? whose(from->folder) : "",
                named ? check_folder(from->folder) : "", named ? " " : "",
                claim_value_text(claim, &judged.value),
                claim_verdict_text(claim, &judged.value, from->folder), has_wrong ? ", wrong answers" : "");
}

void print_totals_of_claims(char **folders, size_t count, enum form form, FILE *file)
{
    struct totals *totals = allocate((count + 1) * sizeof *totals);
    for (size_t f = 0; f < count; f++) {
        check_folder(folders[f]);
        totals[f] = totals_of(folders[f]);
        if (count > 1)
            name_totals(&totals[f], folders[f]);
    }
    totals_print(totals, count, form, file);
    if (form == FORM_TEXT)
        fputs("10 %, 25 %, factor 2: the device's value is within that of the paper's.\n"
              "side: it is farther off, but on the paper's side.\n"
              "size: it is farther off, and the claim has no sides.\n"
              "tie: the device shows no difference.\n"
              "wrong: it agrees by a barrier whose answers were wrong. --all prints each claim.\n",
              file);
    free(totals);
}

void print_all_claims(char **folders, size_t count, enum form form, FILE *file)
{
    if (count > 1 && form != FORM_TEXT) {
        print_claims_matrix(folders, count, form, file);
        return;
    }
    for (size_t f = 0; f < count; f++) {
        check_folder(folders[f]);
        if (count > 1)
            fprintf(file, "%s%s\n\n", f ? "\n" : "", folders[f]);
        print_claims(folders[f], form, file);
    }
}

void print_claims_matrix(char **folders, size_t count, enum form form, FILE *file)
{
    /* The devices: first the models of the papers' GPUs, which share a column, then the others. */
    struct sources *devices = allocate((count + 1) * sizeof *devices);
    struct totals *totals = allocate((count + 1) * sizeof *totals);
    struct table t = {NULL, 0};
    size_t models = 0, known = 0;
    for (size_t f = 0; f < count; f++)
        models += is_model(folders[f]);
    table_add(&t, models ? "claim | paper says | models of the papers' GPUs" : "claim | paper says");
    for (size_t f = 0; f < 2 * count; f++) {
        const char *folder = folders[f % count];
        if (is_model(folder) != (f < count))
            continue;
        devices[known] = (struct sources){.folder = folder};
        name_totals(&totals[known], folder);
        if (known >= models)
            table_cells(&t, "%s", totals[known].name);
        known++;
    }
    const cJSON *claim;
    cJSON_ArrayForEach(claim, all_claims())
    {
        const char *cell = "";
        /* in Markdown, only the first claim of a paper names it */
        const char *of = text_of(claim, "paper");
        bool is_named = form != FORM_MARKDOWN || claim == all_claims()->child ||
                        strcmp(of, text_of(claim->prev, "paper")) != 0;
        table_add(&t, "%s%s%s: %s | %s", is_named ? of : "", is_named ? ", " : "", text_of(claim, "place"),
                  text_of(claim, "says"), claim_paper_text(claim));
        for (size_t d = 0; d < count; d++) {
            cell = with_verdict(cell, &devices[d], d < models && models > 1, claim, &totals[d]);
            if (d + 1 < models)
                continue;
            table_cells(&t, "%s", *cell ? cell : "-");
            cell = "";
        }
    }
    if (!is_for_programs(form)) {
        fputs(form == FORM_HTML ? "<div class=\"wide totals\" tabindex=\"0\">\n" : "", file);
        totals_print(totals, count, form, file);
        fputs(form == FORM_HTML ? "</div>\n" : "", file);
    }
    fputs(form == FORM_HTML ? "<div class=\"matrix\">\n" : "", file);
    print_records(&t, form, file);
    fputs(form == FORM_HTML ? "</div>\n" : "", file);
    for (size_t d = 0; d < count; d++)
        sources_close(&devices[d]);
    free(devices);
    free(totals);
}
