/*
 * Judges the papers' claims. For each claim results/papers/claims.json has the paper, the place in the paper,
 * a sentence, the paper's value, and the formula (report/formula.h) that computes the device's value.
 *
 * A claim with a `value` holds if the device's value is within `within_percent` of it. Otherwise the verdict
 * depends on whether both values lie on the same side of `neutral`, which is 1 for ratios and 0 for
 * differences; without the member `neutral` it is 0. A claim without a `value` holds if the device's value
 * lies on that side of `neutral` which the member `side` names. If the interval of the device's value
 * contains `neutral`, the verdict is "cannot tell".
 *
 * A claim is not judged on a model if a constant of the model was chosen from this very number (member
 * "fitted_on"), or if the model has the number by its definition ("defined_on"). Both members name folders,
 * or "models" for all models. If the claim's number depends on something besides the device, the claim has
 * the member "depends_on"; it is then shown and not judged, on the folders of "depends_where" or, without
 * that member, on all folders.
 */
#include "base/failure.h"
#include "base/memory.h"
#include "report/claims.h"
#include "report/folders.h"
#include "report/formula.h"
#include "report/results.h"
#include "report/robustness.h"
#include "report/suite_path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const verdict_texts[] = {
    "holds",   "same direction, another size", "reversed", "cannot tell", "fitted", "by definition",
    "depends", "not measurable here"};

static bool is_near(double value, double paper, double within)
{
    double share = 1 + 0.01 * within;
    return value >= fmin(paper / share, paper * share) && value <= fmax(paper / share, paper * share);
}

/* Returns on which side of `neutral` the value lies: 1 if it is greater, -1 if it is less, 0 if both are
 * equal. */
static int side_of(double value, double neutral)
{
    return (value > neutral) - (value < neutral);
}

static bool has_both_sides(const struct value *v, double neutral)
{
    return side_of(v->low, neutral) != side_of(v->high, neutral) || side_of(v->is, neutral) == 0;
}

static enum claim_verdict verdict_of_side(const cJSON *claim, const struct value *v, double neutral)
{
    int wanted = strcmp(text_of(claim, "side"), ">") == 0 ? 1 : -1;
    if (has_both_sides(v, neutral))
        return CLAIM_CANNOT_TELL;
    return side_of(v->is, neutral) == wanted ? CLAIM_HOLDS : CLAIM_REVERSED;
}

enum claim_verdict claim_verdict(const cJSON *claim, const struct value *v)
{
    double paper = number_of(claim, "value"), neutral = number_of(claim, "neutral"),
           within = number_of(claim, "within_percent");
    if (*v->missing)
        return CLAIM_NOT_MEASURABLE;
    if (isnan(paper))
        return verdict_of_side(claim, v, neutral);
    if (is_near(v->low, paper, within) && is_near(v->high, paper, within))
        return CLAIM_HOLDS;
    if (!isnan(neutral) && has_both_sides(v, neutral))
        return CLAIM_CANNOT_TELL;
    if (is_near(v->is, paper, within))
        return CLAIM_HOLDS;
    if (isinf(v->is)) /* an infinite value means that a crossing of two curves does not exist */
        return v->is > 0 ? CLAIM_REVERSED : CLAIM_OTHER_SIZE;
    double from = isnan(neutral) ? 0 : neutral;
    return side_of(v->is, from) == side_of(paper, from) ? CLAIM_OTHER_SIZE : CLAIM_REVERSED;
}

/* Writes the value with three significant digits into `text`, or "never" or "always" for an infinite value,
 * and returns the text. */
static const char *rounded(char text[32], double value)
{
    if (isinf(value))
        return value > 0 ? "never" : "always";
    int digits = value == 0 ? 0 : 2 - (int)floor(log10(fabs(value)));
    return fixed(text, value, digits < 0 ? 0 : digits);
}

/* Returns whether the claim is a time or a rate of a particular GPU that is not the folder's. Such a claim
 * has the folder of its GPU in its member "of". */
static bool is_of_another(const cJSON *claim, const char *folder)
{
    const char *of = text_of(claim, "of");
    return *of && strcmp(of, check_folder(folder)) != 0;
}

static bool is_model(const char *folder)
{
    const char *name = check_folder(folder);
    return strncmp(name, "machine-", 8) == 0 || strcmp(name, "memory-machine") == 0;
}

/* Returns whether the folder is of a model and the claim's member ("fitted_on", for example) is the folder's
 * name or "models". */
static bool names_folder(const cJSON *claim, const char *member, const char *folder)
{
    const char *names = text_of(claim, member);
    return is_model(folder) && (strcmp(names, "models") == 0 || strcmp(names, check_folder(folder)) == 0);
}

static bool depends_on_else(const cJSON *claim, const char *folder)
{
    return *text_of(claim, "depends_on") &&
           (!*text_of(claim, "depends_where") || names_folder(claim, "depends_where", folder));
}

enum claim_verdict claim_verdict_on(const cJSON *claim, const struct value *v, const char *folder)
{
    if (*v->missing || is_of_another(claim, folder))
        return CLAIM_NOT_MEASURABLE;
    return names_folder(claim, "fitted_on", folder)    ? CLAIM_FITTED
           : names_folder(claim, "defined_on", folder) ? CLAIM_BY_DEFINITION
           : depends_on_else(claim, folder)            ? CLAIM_DEPENDS
                                                       : claim_verdict(claim, v);
}

const char *claim_verdict_text(const cJSON *claim, const struct value *v, const char *folder, char *text,
                               size_t bytes)
{
    char factor[32];
    enum claim_verdict verdict = claim_verdict_on(claim, v, folder);
    double times = fabs(v->is / number_of(claim, "value"));
    if (verdict == CLAIM_OTHER_SIZE && isfinite(times))
        snprintf(text, bytes, "%s (%sx)", verdict_texts[verdict], rounded(factor, times));
    else if (verdict == CLAIM_DEPENDS)
        snprintf(text, bytes, "%s on %s", verdict_texts[verdict], text_of(claim, "depends_on"));
    else
        snprintf(text, bytes, "%s%s", verdict_texts[verdict],
                 is_of_another(claim, folder) && !*v->missing ? " (the paper's is of another GPU)" : "");
    return text;
}

#define VALUE_BYTES 256
static const char *value_text(char text[VALUE_BYTES], const cJSON *claim, const struct value *v)
{
    char is[32], low[32], high[32];
    const char *unit = text_of(claim, "unit"), *lacks = text_of(claim, "lacks");
    const char *blank = strcmp(unit, "x") == 0 || strcmp(unit, "%") == 0 ? "" : " ";
    if (*v->missing)
        snprintf(text, VALUE_BYTES, "%s", *lacks ? lacks : v->missing);
    else if (isinf(v->is))
        snprintf(text, VALUE_BYTES, "%s", rounded(is, v->is));
    else if (v->low == v->high)
        snprintf(text, VALUE_BYTES, "%s%s%s", rounded(is, v->is), blank, unit);
    else
        snprintf(text, VALUE_BYTES, "%s [%s, %s]%s%s", rounded(is, v->is), rounded(low, v->low),
                 rounded(high, v->high), blank, unit);
    return text;
}

/* Returns whether the variant gave wrong answers in the result, at points whose order the memory model does
 * not guarantee. */
static bool gave_wrong_answers(const struct result *r, const char *variant)
{
    FOR_EACH_POINT(p, r)
    if (point_is(p, variant) && !is_baseline(variant) && is_false(p, "ordered") && is_false(p, "verified"))
        return true;
    return false;
}

/* Returns the name of the first variant in the claim's formula that gave wrong answers, or "" if none did. In
 * a formula, the name of a result stands before the variants that are read from this result. */
static const char *wrong_variant(const cJSON *claim, const char *folder, char name[64])
{
    struct result *r = NULL;
    const char *at = text_of(claim, "formula"), *found = "";
    while (!*found && (at = strchr(at, '\''))) {
        size_t length = strcspn(at + 1, "'");
        snprintf(name, 64, "%.*s", (int)length, at + 1);
        at += length + 2;
        if (r && gave_wrong_answers(r, name))
            found = name;
        else if (result_is_one(folder, name)) {
            result_close(r);
            r = result_open(folder, name);
        }
    }
    result_close(r);
    return found;
}

/* Appends to `text` the other meanings that the claim's sentence could have, each with its value and verdict.
 * These verdicts are not counted. */
static void append_readings(const cJSON *claim, const char *folder, char *text, size_t bytes)
{
    const cJSON *reading;
    struct sources sources = {.folder = folder};
    cJSON_ArrayForEach(reading, cJSON_GetObjectItem(claim, "readings"))
    {
        char value[VALUE_BYTES];
        size_t used = strlen(text);
        struct value v = formula_value(text_of(reading, "formula"), &sources);
        enum claim_verdict verdict = claim_verdict_on(claim, &v, folder);
        bool judged = verdict <= CLAIM_CANNOT_TELL;
        if (!*v.missing)
            snprintf(text + used, bytes - used, "; %s: %s%s%s", text_of(reading, "says"),
                     value_text(value, claim, &v), judged ? ", " : "", judged ? verdict_texts[verdict] : "");
    }
    sources_close(&sources);
}

/* Appends a warning to `text` if a barrier in the claim's formula gave wrong answers, because its time is
 * then not the time of a barrier. A claim about the share of wrong answers needs no warning. */
static void append_warning(const cJSON *claim, const struct value *v, const char *folder, char *text,
                           size_t bytes)
{
    char name[64];
    size_t used = strlen(text);
    if (!*v->missing && !strstr(text_of(claim, "formula"), "wrong(") && *wrong_variant(claim, folder, name))
        snprintf(text + used, bytes - used, "; answers of %s were wrong", name);
}

/* If the claim's number is a speedup over the host's processor, appends the processor's name to `text`. */
static void append_host(const cJSON *claim, const struct value *v, const char *folder, char *text,
                        size_t bytes)
{
    char name[64];
    size_t used = strlen(text);
    const char *quote = strchr(text_of(claim, "formula"), '\'');
    if (*v->missing || !quote || strcmp(text_of(claim, "depends_on"), "the host's processor") != 0)
        return;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(quote + 1, "'"), quote + 1);
    struct result *r = result_open(folder, name);
    const char *processor = r ? text_of(r->json, "host.processor") : "";
    if (*processor)
        snprintf(text + used, bytes - used, "; host: %s", processor);
    result_close(r);
}

/* Returns the number of rounds (operations) that a run of the variant has, or NaN if the variant was not
 * measured. */
static double rounds_of(const struct result *r, const char *variant)
{
    FOR_EACH_POINT(p, r)
    if (point_is(p, variant))
        return number_of(p, "operations");
    return NAN;
}

/* If the claim compares two runs with different numbers of rounds, appends these numbers to `text`. They
 * differ because launches are repeated less often than barriers. */
static void append_rounds(const cJSON *claim, const struct value *v, const char *folder, char *text,
                          size_t bytes)
{
    char file[64], one[64], other[64];
    size_t used = strlen(text);
    if (*v->missing ||
        sscanf(text_of(claim, "formula"), "round('%63[^']', '%63[^']', %*[^)]) / round('%*[^']', '%63[^']'",
               file, one, other) != 3 ||
        !result_is_one(folder, file))
        return;
    struct result *r = result_open(folder, file);
    double rounds = rounds_of(r, one), beside = rounds_of(r, other);
    if (strcmp(r->family, "micro") == 0 && rounds != beside && isfinite(rounds) && isfinite(beside))
        snprintf(text + used, bytes - used, "; %s ran %g rounds, %s %g", one, rounds, other, beside);
    result_close(r);
}

static void append_notes(const cJSON *claim, const struct value *v, const char *folder, char *text,
                         size_t bytes)
{
    append_readings(claim, folder, text, bytes);
    append_host(claim, v, folder, text, bytes);
    append_rounds(claim, v, folder, text, bytes);
    append_warning(claim, v, folder, text, bytes);
}

void claim_add_value(struct table *t, const cJSON *claim, const struct value *v, const char *folder)
{
    char text[VALUE_BYTES], whole[2 * VALUE_BYTES];
    snprintf(whole, sizeof whole, "%s", value_text(text, claim, v));
    append_notes(claim, v, folder, whole, sizeof whole);
    table_text(t, "%s", whole);
}

void claim_add_paper(struct table *t, const cJSON *claim)
{
    char text[32];
    double value = number_of(claim, "value");
    const char *unit = text_of(claim, "unit");
    if (isnan(value))
        table_text(t, "%s %s%s", text_of(claim, "side"), fixed(text, number_of(claim, "neutral"), 3), unit);
    else
        table_text(t, "%s%s%s", fixed(text, value, 3), strcmp(unit, "x") && strcmp(unit, "%") ? " " : "",
                   unit);
}

cJSON *claims_read(void)
{
    cJSON *json = json_of_suite("results/papers/claims.json");
    if (strcmp(text_of(json, "schema"), "gpusync-claims/1") != 0)
        fail(EXIT_BAD_INPUT, "results/papers/claims.json is no file of claims");
    return json;
}

const char *const claim_head[CLAIM_COLUMNS] = {"paper",       "claim",   "paper says",
                                               "this device", "verdict", "the same verdict in"};

void claim_add_row(struct table *t, const cJSON *claim, const struct value *v, const char *folder,
                   const struct robustness *robustness)
{
    char verdict[128], sure[128];
    table_text(t, "%s, %s", text_of(claim, "paper"), text_of(claim, "place"));
    table_text(t, "%s", text_of(claim, "says"));
    claim_add_paper(t, claim);
    claim_add_value(t, claim, v, folder);
    table_text(t, "%s", claim_verdict_text(claim, v, folder, verdict, sizeof verdict));
    table_text(t, "%s", *robustness_text(robustness, claim, sure, sizeof sure) ? sure : "-");
}

void print_claims(const char *folder, enum form form, FILE *file)
{
    cJSON *json = claims_read();
    struct table t = {NULL, 0};
    struct sources sources = {.folder = folder};
    struct robustness robustness = robustness_open(folder);
    const cJSON *claim;
    table_row(&t);
    for (size_t i = 0; i < CLAIM_COLUMNS; i++)
        table_text(&t, "%s", claim_head[i]);
    cJSON_ArrayForEach(claim, cJSON_GetObjectItem(json, "claims"))
    {
        struct value v = formula_value(text_of(claim, "formula"), &sources);
        table_row(&t);
        claim_add_row(&t, claim, &v, folder, &robustness);
    }
    robustness_close(&robustness);
    sources_close(&sources);
    table_print(&t, form, file);
    table_free(&t);
    cJSON_Delete(json);
}

/* ---- all devices ---- */

/* A column in the matrix of claims: one device, or all models of the papers' GPUs together. */
struct column {
    struct folder {
        struct sources sources;
        struct robustness robustness;
    } * folders;
    size_t count, counts[CLAIM_VERDICTS];
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
    column->folders[column->count++] = (struct folder){{.folder = folder}, robustness_open(folder)};
}

static void close_folder(struct folder *folder)
{
    sources_close(&folder->sources);
    robustness_close(&folder->robustness);
}

/* Appends to a cell of the matrix the value and the verdict of the claim on the column's folder number
 * `f`. */
static void add_verdict(struct column *column, size_t f, const cJSON *claim, char *cell, size_t bytes)
{
    char text[VALUE_BYTES], said[128], sure[128];
    size_t length = strlen(cell);
    struct sources *from = &column->folders[f].sources;
    struct value v = formula_value(text_of(claim, "formula"), from);
    enum claim_verdict verdict = claim_verdict_on(claim, &v, from->folder);
    if (verdict == CLAIM_NOT_MEASURABLE)
        return;
    column->counts[verdict]++;
    snprintf(cell + length, bytes - length, "%s", length ? "; " : "");
    if (column->of_models && column->count > 1)
        snprintf(cell + strlen(cell), bytes - strlen(cell), "%s%s ", whose(from->folder),
                 check_folder(from->folder));
    snprintf(cell + strlen(cell), bytes - strlen(cell), "%s: %s", value_text(text, claim, &v),
             claim_verdict_text(claim, &v, from->folder, said, sizeof said));
    if (*robustness_text(&column->folders[f].robustness, claim, sure, sizeof sure))
        snprintf(cell + strlen(cell), bytes - strlen(cell), ", %s", sure);
    append_notes(claim, &v, from->folder, cell, bytes);
}

static void add_claim(struct table *t, struct column *columns, size_t count, const cJSON *claim)
{
    table_row(t);
    table_text(t, "%s, %s: %s", text_of(claim, "paper"), text_of(claim, "place"), text_of(claim, "says"));
    claim_add_paper(t, claim);
    for (size_t c = 0; c < count; c++) {
        char cell[1024] = "";
        for (size_t f = 0; f < columns[c].count; f++)
            add_verdict(&columns[c], f, claim, cell, sizeof cell);
        columns[c].counts[CLAIM_NOT_MEASURABLE] += !*cell;
        table_text(t, "%s", *cell ? cell : "-");
    }
}

static void add_counts(struct table *t, const struct column *columns, size_t count)
{
    for (int verdict = 0; verdict < CLAIM_VERDICTS; verdict++) {
        if (verdict == CLAIM_DEPENDS)
            continue;
        table_row(t);
        table_text(t, "in all: %s", verdict_texts[verdict]);
        table_text(t, "%s", "");
        for (size_t c = 0; c < count; c++)
            table_text(t, "%zu", columns[c].counts[verdict]);
    }
}

static void add_head(struct table *t, const char *folder)
{
    table_text(t, "%s%s", whose(folder), check_folder(folder));
}

void print_claims_matrix(char **folders, size_t folders_count, enum form form, FILE *file)
{
    cJSON *json = claims_read();
    struct table t = {NULL, 0};
    struct column *columns = allocate((folders_count + 1) * sizeof *columns);
    size_t count = 1;
    columns[0].of_models = true;
    for (size_t f = 0; f < folders_count; f++)
        add_folder(is_model(folders[f]) ? &columns[0] : &columns[count++], folders[f]);
    struct column *first = columns[0].count ? columns : columns + 1;
    count -= (size_t)(first - columns);
    table_row(&t);
    table_text(&t, "claim");
    table_text(&t, "paper says");
    for (size_t c = 0; c < count; c++)
        if (first[c].of_models)
            table_text(&t, "models of the papers' GPUs");
        else
            add_head(&t, first[c].folders->sources.folder);
    const cJSON *claim;
    cJSON_ArrayForEach(claim, cJSON_GetObjectItem(json, "claims")) add_claim(&t, first, count, claim);
    add_counts(&t, first, count);
    fputs(form == FORM_HTML ? "<div class=\"matrix\">\n" : "", file);
    table_print(&t, form, file);
    fputs(form == FORM_HTML ? "</div>\n" : "", file);
    table_free(&t);
    for (size_t c = 0; c <= folders_count; c++) {
        for (size_t f = 0; f < columns[c].count; f++)
            close_folder(&columns[c].folders[f]);
        free(columns[c].folders);
    }
    free(columns);
    cJSON_Delete(json);
}
