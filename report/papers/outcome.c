#include "report/papers/outcome.h"
#include "base/failure.h"
#include "report/claim_text.h"
#include "report/claim_value.h"
#include "report/claims.h"
#include "report/sources.h"

#include <math.h>
#include <string.h>

#define MOST_FOLDERS 4

/* The verdicts for a selection of claims on several folders: for each folder, the number of claims with each
 * verdict. */
struct outcome {
    struct sources sources[MOST_FOLDERS];
    size_t folders, counts[MOST_FOLDERS][CLAIM_VERDICTS];
    /* numbers of claims that agree, without those that rest on wrong answers, and of those that rest on them */
    size_t agreeing[MOST_FOLDERS], on_wrong_answers[MOST_FOLDERS];
};

/* Does the claim's member "under", a list with blanks, have this figure? */
static bool is_under(const cJSON *claim, const char *figure)
{
    size_t length = strlen(figure);
    for (const char *at = text_of(claim, "under"); *at; at += strspn(at, " ")) {
        size_t word = strcspn(at, " ");
        if (word == length && strncmp(at, figure, length) == 0)
            return true;
        at += word;
    }
    return false;
}

/* Adds a cell with the value in three digits, the verdict, and the variant `wrong` that gave wrong answers;
 * "" means that no variant did. */
static void add_cell(struct table *t, const cJSON *claim, const struct value *v, const char *folder,
                     const char *wrong)
{
    char number[32], verdict[128], text[224];
    const char *unit = text_of(claim, "unit");
    const char *blank = strcmp(unit, "x") == 0 || strcmp(unit, "%") == 0 ? "" : " ";
    int digits = v->is == 0 || !isfinite(v->is) ? 0 : 2 - (int)floor(log10(fabs(v->is)));
    claim_verdict_text(claim, v, folder, verdict, sizeof verdict);
    snprintf(text, sizeof text, "%s%s%.60s%s", verdict, *wrong ? "; answers of " : "", wrong,
             *wrong ? " were wrong" : "");
    if (*v->missing)
        table_text(t, "not measured");
    else if (isinf(v->is))
        table_text(t, "%s: %s", v->is > 0 ? "never" : "always", text);
    else
        table_text(t, "%s%s%s: %s", fixed(number, v->is, digits < 0 ? 0 : digits), blank, unit, text);
}

static void add_claim(struct outcome *o, struct table *t, const cJSON *claim)
{
    table_row(t);
    table_text(t, "%s", text_of(claim, "says"));
    claim_add_paper(t, claim);
    for (size_t i = 0; i < o->folders; i++) {
        const char *folder = o->sources[i].folder;
        struct value v = claim_value(claim, text_of(claim, "formula"), &o->sources[i]);
        enum claim_verdict verdict = claim_verdict_on(claim, &v, folder);
        char name[64];
        bool is_wrong = supports(verdict) && *claim_wrong_variant(claim, &v, folder, name);
        o->counts[i][verdict]++;
        o->agreeing[i] += agrees(verdict) && !is_wrong;
        o->on_wrong_answers[i] += is_wrong;
        add_cell(t, claim, &v, folder, is_wrong ? name : "");
    }
}

/* Prints the verdict on all claims: how many of those that can be judged agree, and how many have each
 * verdict. */
static void print_sentence(const struct outcome *o, FILE *file)
{
    fputs("**Verdict**: ", file);
    for (size_t i = 0; i < o->folders; i++) {
        const size_t *counts = o->counts[i];
        size_t judged = 0;
        for (enum claim_verdict v = 0; v < CLAIM_VERDICTS; v++)
            judged += is_judged(v) ? counts[v] : 0;
        fprintf(file, "%son `%s` ", i ? ";\n" : "", check_folder(o->sources[i].folder));
        if (!judged) {
            fputs("nothing can be judged", file);
            continue;
        }
        fprintf(file, "%zu of %zu agree%s", o->agreeing[i], judged, judged == 1 ? "s" : "");
        if (o->on_wrong_answers[i])
            fprintf(file, ", %zu more by wrong answers", o->on_wrong_answers[i]);
        const char *before = " (";
        for (enum claim_verdict v = 0; v < CLAIM_VERDICTS; v++)
            if (is_judged(v) && counts[v]) {
                fprintf(file, "%s%zu %s", before, counts[v], verdict_texts[v]);
                before = ", ";
            }
        fputs(")", file);
    }
    fputs(".\n", file);
}

void print_outcome(const char *figure, char **folders, size_t count, FILE *file)
{
    cJSON *json = claims_read();
    struct table t = {NULL, 0};
    struct outcome o = {.folders = count};
    const cJSON *claim;
    size_t found = 0;
    if (count > MOST_FOLDERS)
        fail(EXIT_BAD_INPUT, "an outcome of more than %d folders", MOST_FOLDERS);
    table_row(&t);
    table_text(&t, "what the paper says");
    table_text(&t, "printed");
    for (size_t i = 0; i < count; i++) {
        o.sources[i].folder = folders[i];
        table_text(&t, "`%s`", check_folder(folders[i]));
    }
    cJSON_ArrayForEach(claim, cJSON_GetObjectItem(json, "claims"))
    {
        if (!is_under(claim, figure))
            continue;
        add_claim(&o, &t, claim);
        found++;
    }
    if (!found)
        fail(EXIT_BAD_INPUT, "results/papers/claims.json has no claim under %s", figure);
    print_sentence(&o, file);
    fputs("\n<details>\n<summary>Claim by claim</summary>\n\n", file);
    table_print(&t, FORM_MARKDOWN, file);
    fputs("\n</details>\n", file);
    table_free(&t);
    for (size_t i = 0; i < count; i++)
        sources_close(&o.sources[i]);
    cJSON_Delete(json);
}
