/*
 * Judges the papers' claims and prints them. For each claim results/papers/claims.json has the paper, the
 * place in the paper, a sentence, the paper's value or the side on which it lies (report/verdict.c), and the
 * formula (report/formula.h) that computes the device's value, with the size that it rests on
 * (report/claim_value.h).
 */
#include "base/failure.h"
#include "base/memory.h"
#include "report/claims.h"
#include "report/claim_text.h"
#include "report/claim_value.h"
#include "report/folders.h"
#include "report/suite_path.h"
#include "report/formula.h"
#include "report/results.h"
#include "report/robustness.h"
#include "report/totals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NOTED_BYTES 2048
#define CLAIMS_WIDTH 100 /* columns of a line of claims in text */

void claim_add_value(struct table *t, const cJSON *claim, const struct value *v,
                     const struct sources *sources)
{
    char text[VALUE_BYTES], whole[NOTED_BYTES];
    snprintf(whole, sizeof whole, "%s", claim_value_text(text, claim, v));
    claim_append_notes(claim, v, sources, whole, sizeof whole);
    table_cells(t, "%s", whole);
}

void claim_add_paper(struct table *t, const cJSON *claim)
{
    char text[32];
    double value = number_of(claim, "value");
    const char *unit = text_of(claim, "unit");
    if (isnan(value))
        table_cells(t, "%s %s%s", text_of(claim, "side"), fixed(text, number_of(claim, "neutral"), 3), unit);
    else
        table_cells(t, "%s%s%s", fixed(text, value, 3), strcmp(unit, "x") && strcmp(unit, "%") ? " " : "",
                    unit);
}

/* If the claim has no member "size", copies that of its paper, which is in the file's member "sizes". */
static void give_size(cJSON *claim, const cJSON *json)
{
    const cJSON *size = cJSON_GetObjectItem(cJSON_GetObjectItem(json, "sizes"), text_of(claim, "paper"));
    if (size && !cJSON_HasObjectItem(claim, "size"))
        cJSON_AddItemToObject(claim, "size", cJSON_Duplicate(size, true));
}

const cJSON *all_claims(void)
{
    cJSON *json = json_of_suite("results/papers/claims.json");
    if (strcmp(text_of(json, "schema"), "gpusync-claims/1") != 0)
        fail(EXIT_BAD_INPUT, "results/papers/claims.json is no file of claims");
    cJSON *claim, *claims = cJSON_GetObjectItem(json, "claims");
    cJSON_ArrayForEach(claim, claims) give_size(claim, json);
    return claims;
}

const char *const claim_head[CLAIM_COLUMNS] = {"paper",       "claim",   "paper says",
                                               "this device", "verdict", "the same verdict in"};

void claim_add_row(struct table *t, const cJSON *claim, const struct value *v, const struct sources *sources,
                   const struct robustness *robustness)
{
    const char *folder = sources->folder;
    char verdict[128], sure[128];
    table_cells(t, "%s, %s | %s", text_of(claim, "paper"), text_of(claim, "place"), text_of(claim, "says"));
    claim_add_paper(t, claim);
    claim_add_value(t, claim, v, sources);
    table_cells(t, "%s | %s", claim_verdict_text(claim, v, folder, verdict, sizeof verdict),
                *robustness_text(robustness, claim, claim_verdict_on(claim, v, folder), sure, sizeof sure)
                    ? sure
                    : "-");
}

void print_claims(const char *folder, enum form form, FILE *file)
{
    struct table t = {NULL, 0};
    struct sources sources = {.folder = folder};
    struct robustness robustness = robustness_of(folder);
    const cJSON *claim;
    struct totals totals = {NULL, 0, ""};
    table_row(&t);
    for (size_t i = 0; i < CLAIM_COLUMNS; i++)
        table_cells(&t, "%s", claim_head[i]);
    cJSON_ArrayForEach(claim, all_claims())
    {
        struct value v = claim_value(claim, text_of(claim, "formula"), &sources);
        table_row(&t);
        claim_add_row(&t, claim, &v, &sources, &robustness);
        totals_count(&totals, claim, &v, folder);
    }
    sources_close(&sources);
    if (!is_for_programs(form))
        totals_print(&totals, 1, form, file);
    if (form == FORM_TEXT)
        table_print_records(&t, CLAIMS_WIDTH, file);
    else
        table_print(&t, form, file);
    totals_free(&totals);
    table_free(&t);
}

static struct totals totals_of(const char *folder)
{
    struct sources sources = {.folder = folder};
    struct totals totals = {NULL, 0, ""};
    const cJSON *claim;
    cJSON_ArrayForEach(claim, all_claims())
    {
        struct value v = claim_value(claim, text_of(claim, "formula"), &sources);
        totals_count(&totals, claim, &v, folder);
    }
    sources_close(&sources);
    return totals;
}

void print_claims_totals(const char *folder, enum form form, FILE *file)
{
    struct totals totals = totals_of(folder);
    totals_print(&totals, 1, form, file);
    totals_free(&totals);
}

/* ---- all devices ---- */

/* A column in the matrix of claims: one device, or all models of the papers' GPUs together. */
struct column {
    struct folder {
        struct sources sources;
        struct robustness robustness;
        struct totals totals;
    } * folders;
    size_t count;
    bool of_models;
};

/* Returns the text that stands in the matrix before a device's name: "your " for results of this computer, ""
 * for committed ones. Both may be of the same device. */
static const char *whose(const char *folder)
{
    return is_reference(folder) ? "" : "your ";
}

static void add_folder(struct column *column, const char *folder)
{
    column->folders = with_room(column->folders, sizeof *column->folders, column->count, 1);
    column->folders[column->count++] =
        (struct folder){{.folder = folder}, robustness_of(folder), {NULL, 0, ""}};
}

static void close_folder(struct folder *folder)
{
    sources_close(&folder->sources);
    totals_free(&folder->totals);
}

/* Appends to a cell of the matrix the value and the verdict of the claim on the column's folder number
 * `f`. */
static void add_verdict(struct column *column, size_t f, const cJSON *claim, char *cell, size_t bytes)
{
    char text[VALUE_BYTES], said[128], sure[128];
    size_t length = strlen(cell);
    struct sources *from = &column->folders[f].sources;
    struct value v = claim_value(claim, text_of(claim, "formula"), from);
    totals_count(&column->folders[f].totals, claim, &v, from->folder);
    enum claim_verdict verdict = claim_verdict_on(claim, &v, from->folder);
    if (verdict == CLAIM_NOT_MEASURABLE)
        return;
    snprintf(cell + length, bytes - length, "%s", length ? "; " : "");
    if (column->of_models && column->count > 1)
        snprintf(cell + strlen(cell), bytes - strlen(cell), "%s%s ", whose(from->folder),
                 check_folder(from->folder));
    snprintf(cell + strlen(cell), bytes - strlen(cell), "%s: %s", claim_value_text(text, claim, &v),
             claim_verdict_text(claim, &v, from->folder, said, sizeof said));
    if (*robustness_text(&column->folders[f].robustness, claim, verdict, sure, sizeof sure))
        snprintf(cell + strlen(cell), bytes - strlen(cell), ", %s", sure);
    claim_append_notes(claim, &v, from, cell, bytes);
}

static void add_claim(struct table *t, struct column *columns, size_t count, const cJSON *claim)
{
    table_add(t, "%s, %s: %s", text_of(claim, "paper"), text_of(claim, "place"), text_of(claim, "says"));
    claim_add_paper(t, claim);
    for (size_t c = 0; c < count; c++) {
        char cell[4 * NOTED_BYTES] = "";
        for (size_t f = 0; f < columns[c].count; f++)
            add_verdict(&columns[c], f, claim, cell, sizeof cell);
        table_cells(t, "%s", *cell ? cell : "-");
    }
}

/* Prints the totals of all folders, each with its name. */
static void print_totals(const struct column *columns, size_t count, enum form form, FILE *file)
{
    struct totals *totals = NULL;
    size_t of = 0;
    for (size_t c = 0; c < count; c++)
        for (size_t f = 0; f < columns[c].count; f++) {
            totals = with_room(totals, sizeof *totals, of, 1);
            totals[of] = columns[c].folders[f].totals;
            snprintf(totals[of++].name, sizeof totals->name, "%s%s",
                     whose(columns[c].folders[f].sources.folder),
                     check_folder(columns[c].folders[f].sources.folder));
        }
    fputs(form == FORM_HTML ? "<div class=\"wide totals\" tabindex=\"0\">\n" : "", file);
    totals_print(totals, of, form, file);
    fputs(form == FORM_HTML ? "</div>\n" : "", file);
    free(totals);
}

void print_totals_of_claims(char **folders, size_t count, enum form form, FILE *file)
{
    struct totals *totals = allocate((count + 1) * sizeof *totals);
    for (size_t f = 0; f < count; f++) {
        const char *name = check_folder(folders[f]);
        totals[f] = totals_of(folders[f]);
        if (count > 1)
            snprintf(totals[f].name, sizeof totals->name, "%s%s", whose(folders[f]), name);
    }
    totals_print(totals, count, form, file);
    if (form == FORM_TEXT)
        fputs("10 %, 25 %, factor 2: the device's value is within that of the paper's.\n"
              "side: it is farther off, but on the paper's side.\n"
              "size: it is farther off, and the claim has no sides.\n"
              "tie: the device shows no difference.\n"
              "wrong: it agrees by a barrier whose answers were wrong. --all prints each claim.\n",
              file);
    for (size_t f = 0; f < count; f++)
        totals_free(&totals[f]);
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

static void add_head(struct table *t, const char *folder)
{
    table_cells(t, "%s%s", whose(folder), check_folder(folder));
}

void print_claims_matrix(char **folders, size_t folders_count, enum form form, FILE *file)
{
    struct table t = {NULL, 0};
    struct column *columns = allocate((folders_count + 1) * sizeof *columns);
    size_t count = 1;
    columns[0].of_models = true;
    for (size_t f = 0; f < folders_count; f++)
        add_folder(is_model(folders[f]) ? &columns[0] : &columns[count++], folders[f]);
    struct column *first = columns[0].count ? columns : columns + 1;
    count -= (size_t)(first - columns);
    table_add(&t, "claim | paper says");
    for (size_t c = 0; c < count; c++)
        if (first[c].of_models)
            table_cells(&t, "models of the papers' GPUs");
        else
            add_head(&t, first[c].folders->sources.folder);
    const cJSON *claim;
    cJSON_ArrayForEach(claim, all_claims()) add_claim(&t, first, count, claim);
    if (form != FORM_CSV)
        print_totals(first, count, form, file);
    fputs(form == FORM_HTML ? "<div class=\"matrix\">\n" : "", file);
    if (form == FORM_TEXT)
        table_print_records(&t, CLAIMS_WIDTH, file);
    else
        table_print(&t, form, file);
    fputs(form == FORM_HTML ? "</div>\n" : "", file);
    table_free(&t);
    for (size_t c = 0; c <= folders_count; c++) {
        for (size_t f = 0; f < columns[c].count; f++)
            close_folder(&columns[c].folders[f]);
        free(columns[c].folders);
    }
    free(columns);
}
