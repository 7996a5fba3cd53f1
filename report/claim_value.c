#include "report/claim_value.h"
#include "base/failure.h"
#include "report/results.h"
#include "report/table.h"
#include "report/suite_path.h"
#include "report/timing.h"
#include "report/verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* If the claim has no member "size", copies the size of its paper from the file's member "sizes". */
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

const char *grouped(char text[32], double number)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%.0f", number), at = 0;
    for (int i = 0; i < length && at < 30; i++) {
        if (i && (length - i) % 3 == 0 && digits[i - 1] != '-')
            text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = '\0';
    return text;
}

/* ---- the sizes that a claim needs ---- */

/* Returns a missing value, with the reason, if the claim cannot be judged by the result `name`
 * ("fft@paper,main"). If it can, returns a value that is not missing. */
static struct value reason_against(const cJSON *claim, const char *name, struct sources *sources)
{
    char file[64], has[32], needs[32];
    struct value reason = value_exactly(0);
    snprintf(file, sizeof file, "%.*s", (int)strcspn(name, "@"), name);
    double least = number_of(cJSON_GetObjectItem(claim, "size"), file);
    const struct result *r = isnan(least) ? NULL : sources_result(sources, name);
    if (!r)
        return reason;
    if (strcmp(result_extent(r), "quick") == 0)
        snprintf(reason.missing, sizeof reason.missing, "%s measured with QUICK=1 only", file);
    else if (r->largest_size < least)
        snprintf(reason.missing, sizeof reason.missing, "%.40s measured at %s only, the claim needs %s", file,
                 grouped(has, r->largest_size), grouped(needs, least));
    return reason;
}

struct value claim_value(const cJSON *claim, const char *formula, struct sources *sources)
{
    char name[64];
    sources_note_reads(sources);
    for (const char *at = formula; cJSON_HasObjectItem(claim, "size") && (at = strchr(at, '\''));) {
        size_t length = strcspn(at + 1, "'");
        snprintf(name, sizeof name, "%.*s", (int)length, at + 1);
        at += length + 2;
        struct value reason = reason_against(claim, name, sources);
        if (*reason.missing)
            return reason;
    }
    struct value v = formula_value(formula, sources);
    if (*v.missing && *text_of(claim, "lacks"))
        snprintf(v.missing, sizeof v.missing, "%s", text_of(claim, "lacks"));
    return v;
}

/* ---- the sizes at which it was measured ---- */

struct ends {
    double low, high;
};

static void include(struct ends *ends, double number)
{
    ends->low = fmin(ends->low, number);
    ends->high = fmax(ends->high, number);
}

static const char *ends_text(char text[80], const struct ends *ends)
{
    char low[32], high[32];
    snprintf(text, 80, "%s%s%s", grouped(low, ends->low), ends->low < ends->high ? " to " : "",
             ends->low < ends->high ? grouped(high, ends->high) : "");
    return text;
}

/* Appends the smallest and largest size, and the smallest and largest number of blocks, of one program's
 * points, and whether these are samples of the anti-diagonals. Points that the formula only searched count
 * only if it read no other points of the program. */
static void append_sizes_of(const struct sources *s, const char *program, char *text, size_t bytes)
{
    struct ends sizes[2] = {{INFINITY, 0}, {INFINITY, 0}}, blocks[2] = {{INFINITY, 0}, {INFINITY, 0}};
    char size[80], block[80];
    const char *sampled = "";
    for (const struct read *read = s->reads; read < s->reads + s->read_count; read++)
        if (strcmp(read->result->experiment, program) == 0) {
            include(&sizes[read->searched], number_of(read->point, "size"));
            include(&blocks[read->searched], number_of(read->point, "blocks"));
            sampled = *text_of(read->result->parameters, "diagonals") ? ", sampled" : sampled;
        }
    bool searched = !sizes[0].high;
    append(text, bytes, "; %s %s, %s block%s%s", program, ends_text(size, &sizes[searched]),
           ends_text(block, &blocks[searched]), blocks[searched].high > 1 ? "s" : "", sampled);
}

void append_sizes(const struct sources *s, char *text, size_t bytes)
{
    for (size_t i = 0; i < s->read_count; i++) {
        const struct result *r = s->reads[i].result;
        bool known = size_counts_repetitions(r);
        for (size_t before = 0; before < i && !known; before++)
            known = strcmp(s->reads[before].result->experiment, r->experiment) == 0;
        if (!known)
            append_sizes_of(s, r->experiment, text, bytes);
    }
}

/* ---- the text about the value ---- */

const char *claim_value_text(char text[VALUE_BYTES], const cJSON *claim, const struct value *v)
{
    char is[32], low[32], high[32];
    const char *unit = text_of(claim, "unit");
    const char *blank = strcmp(unit, "x") == 0 || strcmp(unit, "%") == 0 ? "" : " ";
    if (*v->missing)
        snprintf(text, VALUE_BYTES, "%s", v->missing);
    else if (isinf(v->is))
        snprintf(text, VALUE_BYTES, "%s", rounded(is, v->is));
    else if (v->low == v->high)
        snprintf(text, VALUE_BYTES, "%s%s%s", rounded(is, v->is), blank, unit);
    else
        snprintf(text, VALUE_BYTES, "%s [%s, %s]%s%s", rounded(is, v->is), rounded(low, v->low),
                 rounded(high, v->high), blank, unit);
    return text;
}

/* Returns the variant whose points a number of the analysis is computed from, or the name itself if it is not
 * such a number: Equations 6 and 7 are of the lock-based and the lock-free barrier, and section VI of
 * feng-xiao-2010 takes t_c from the lock-based one. */
static const char *variant_of(const char *name)
{
    static const char *const of[][2] = {
        {"equation_6", "lock-based"}, {"equation_7", "lock-free"}, {"section_6.t_c", "lock-based"}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (strncmp(name, of[i][0], strlen(of[i][0])) == 0)
            return of[i][1];
    return name;
}

/* Returns the name of the first variant in the claim's formula that gave wrong answers, or "" if none did. In
 * a formula, the name of a result stands before the variants that are read from this result. */
static const char *wrong_variant(const cJSON *claim, const char *folder, char name[64])
{
    struct result *r = NULL;
    const char *at = text_of(claim, "formula"), *found = "";
    while (!*found && (at = strchr(at, '\''))) {
        size_t length = strcspn(at + 1, "'");
        char quoted[64];
        snprintf(quoted, sizeof quoted, "%.*s", (int)length, at + 1);
        snprintf(name, 64, "%s", variant_of(quoted));
        at += length + 2;
        if (r && gave_wrong_answers(r, name))
            found = name;
        else if (result_is_one(folder, name)) {
            r = result_open(folder, name);
        }
    }
    return found;
}

/* Returns a copy of the claim in which the reading's own members, such as another `value`, replace the
 * claim's. */
static cJSON *claim_as_read(const cJSON *claim, const cJSON *reading)
{
    cJSON *read = cJSON_Duplicate(claim, true);
    const cJSON *member;
    cJSON_ArrayForEach(member, reading)
    {
        cJSON_DeleteItemFromObject(read, member->string);
        cJSON_AddItemToObject(read, member->string, cJSON_Duplicate(member, true));
    }
    return read;
}

/* Appends to `text` the other meanings that the claim's sentence could have, each with its value and verdict.
 * These verdicts are not counted. */
static void append_readings(const cJSON *claim, const char *folder, char *text, size_t bytes)
{
    const cJSON *reading;
    struct sources sources = {.folder = folder};
    cJSON_ArrayForEach(reading, cJSON_GetObjectItem(claim, "readings"))
    {
        char value[VALUE_BYTES], verdict[128];
        cJSON *read = claim_as_read(claim, reading);
        struct value v = claim_value(read, text_of(reading, "formula"), &sources);
        bool judged = is_judged(claim_verdict_on(read, &v, folder));
        if (!*v.missing)
            append(text, bytes, "; %s: %s%s%s", text_of(reading, "says"), claim_value_text(value, read, &v),
                   judged ? ", " : "",
                   judged ? claim_verdict_text(read, &v, folder, verdict, sizeof verdict) : "");
        cJSON_Delete(read);
    }
    sources_close(&sources);
}

const char *claim_wrong_variant(const cJSON *claim, const struct value *v, const char *folder, char name[64])
{
    bool is_about_wrong_answers = strstr(text_of(claim, "formula"), "wrong(");
    return *v->missing || is_about_wrong_answers ? "" : wrong_variant(claim, folder, name);
}

/* Appends a warning to `text` if a barrier in the claim's formula gave wrong answers. */
static void append_warning(const cJSON *claim, const struct value *v, const char *folder, char *text,
                           size_t bytes)
{
    char name[64];
    if (*claim_wrong_variant(claim, v, folder, name))
        append(text, bytes, "; answers of %s were wrong", name);
}

/* If the claim's number is a speedup over the host's processor, appends the processor's name to `text`. */
static void append_host(const cJSON *claim, const struct value *v, const char *folder, char *text,
                        size_t bytes)
{
    char name[64];
    const char *quote = strchr(text_of(claim, "formula"), '\'');
    if (*v->missing || !quote || strcmp(text_of(claim, "depends_on"), "the host's processor") != 0)
        return;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(quote + 1, "'"), quote + 1);
    struct result *r = result_open(folder, name);
    const char *processor = r ? text_of(r->json, "host.processor") : "";
    if (*processor)
        append(text, bytes, "; host: %s", processor);
}

/* If the claim compares two runs with different numbers of rounds, appends these numbers to `text`. They
 * differ because launches are repeated less often than barriers. */
static void append_rounds(const cJSON *claim, const struct value *v, const char *folder, char *text,
                          size_t bytes)
{
    char file[64], one[64], other[64];
    if (*v->missing ||
        sscanf(text_of(claim, "formula"), "round('%63[^']', '%63[^']', %*[^)]) / round('%*[^']', '%63[^']'",
               file, one, other) != 3 ||
        !result_is_one(folder, file))
        return;
    struct result *r = result_open(folder, file);
    double rounds = number_of(result_point(r, one, -1, -1, -1), "operations"),
           beside = number_of(result_point(r, other, -1, -1, -1), "operations");
    if (strcmp(r->family, "micro") == 0 && rounds != beside && isfinite(rounds) && isfinite(beside))
        append(text, bytes, "; %s ran %g rounds, %s %g", one, rounds, other, beside);
}

void claim_append_notes(const cJSON *claim, const struct value *v, const struct sources *sources, char *text,
                        size_t bytes)
{
    const char *folder = sources->folder;
    if (!*v->missing)
        append_sizes(sources, text, bytes);
    append_readings(claim, folder, text, bytes);
    append_host(claim, v, folder, text, bytes);
    append_rounds(claim, v, folder, text, bytes);
    append_warning(claim, v, folder, text, bytes);
}
