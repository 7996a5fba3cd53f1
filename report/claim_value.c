#include "base/failure.h"
#include "report/results.h"
#include "report/table.h"
#include "report/devices.h"
#include "report/claims.h"

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

const char *grouped(double number)
{
    const char *digits = made("%.0f", number), *text = "";
    for (size_t left = strlen(digits), part; left; left -= part, digits += part) {
        part = (left - 1) % 3 + 1;
        text = made("%s%s%.*s", text, *text && strcmp(text, "-") != 0 ? "," : "", (int)part, digits);
    }
    return text;
}

/* ---- the sizes that a claim needs ---- */

/* Returns a missing value, with the reason, if the claim cannot be judged by the result `name`
 * ("fft@paper,main"). If it can, returns a value that is not missing. */
static struct value reason_against(const cJSON *claim, const char *name, struct sources *sources)
{
    struct value reason = value_exactly(0);
    const char *file = made("%.*s", (int)strcspn(name, "@"), name);
    double least = number_of(cJSON_GetObjectItem(claim, "size"), file);
    const struct result *r = isnan(least) ? NULL : sources_result(sources, name);
    if (!r)
        return reason;
    if (strcmp(result_extent(r), "quick") == 0)
        snprintf(reason.missing, sizeof reason.missing, "%s measured with QUICK=1 only", file);
    else if (r->largest_size < least)
        snprintf(reason.missing, sizeof reason.missing, "%.40s measured at %s only, the claim needs %s", file,
                 grouped(r->largest_size), grouped(least));
    return reason;
}

struct value claim_value(const cJSON *claim, const char *formula, struct sources *sources)
{
    sources_note_reads(sources);
    for (const char *at = formula; cJSON_HasObjectItem(claim, "size") && (at = strchr(at, '\''));) {
        size_t length = strcspn(at + 1, "'");
        struct value reason = reason_against(claim, made("%.*s", (int)length, at + 1), sources);
        at += length + 2;
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

static const char *ends_text(const struct ends *ends)
{
    return ends->low < ends->high ? made("%s to %s", grouped(ends->low), grouped(ends->high))
                                  : grouped(ends->low);
}

/* Returns a text about the points of one program that a formula read: the smallest and largest size, the
 * smallest and largest number of blocks, and ", sampled" if a run computes only a sample of the
 * anti-diagonals. Points among which the formula only searched count only if it read no other points of the
 * program. */
static const char *sizes_of(const struct sources *s, const char *program)
{
    struct ends sizes[2] = {{INFINITY, 0}, {INFINITY, 0}}, blocks[2] = {{INFINITY, 0}, {INFINITY, 0}};
    const char *sampled = "";
    for (const struct read *read = s->reads; read < s->reads + s->read_count; read++)
        if (strcmp(read->result->experiment, program) == 0) {
            include(&sizes[read->searched], number_of(read->point, "size"));
            include(&blocks[read->searched], number_of(read->point, "blocks"));
            sampled = *text_of(read->result->parameters, "diagonals") ? ", sampled" : sampled;
        }
    bool searched = !sizes[0].high;
    return made("; %s %s, %s block%s%s", program, ends_text(&sizes[searched]), ends_text(&blocks[searched]),
                blocks[searched].high > 1 ? "s" : "", sampled);
}

/* Returns the sizes and the numbers of blocks of those points in s->reads that solve a problem of some size,
 * by program: "; fft 262,144, 30 blocks". */
static const char *all_sizes(const struct sources *s)
{
    const char *text = "";
    for (size_t i = 0; i < s->read_count; i++) {
        const struct result *r = s->reads[i].result;
        bool known = size_counts_repetitions(r);
        for (size_t before = 0; before < i && !known; before++)
            known = strcmp(s->reads[before].result->experiment, r->experiment) == 0;
        if (!known)
            text = made("%s%s", text, sizes_of(s, r->experiment));
    }
    return text;
}

/* ---- the text about the value ---- */

const char *claim_value_text(const cJSON *claim, const struct value *v)
{
    const char *unit = text_of(claim, "unit");
    const char *blank = strcmp(unit, "x") == 0 || strcmp(unit, "%") == 0 ? "" : " ";
    if (*v->missing)
        return made("%s", v->missing);
    if (isinf(v->is))
        return rounded(v->is);
    return v->low == v->high
               ? made("%s%s%s", rounded(v->is), blank, unit)
               : made("%s [%s, %s]%s%s", rounded(v->is), rounded(v->low), rounded(v->high), blank, unit);
}

/* Some numbers of the papers' analysis are computed from the points of a variant. For the name of such a
 * number, returns this variant, otherwise the name itself. Equations 6 and 7 describe the lock-based and the
 * lock-free barrier, and section VI of feng-xiao-2010 takes t_c from the lock-based barrier. */
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
static const char *wrong_variant(const cJSON *claim, const char *folder)
{
    struct result *r = NULL;
    for (const char *at = text_of(claim, "formula"); (at = strchr(at, '\''));) {
        size_t length = strcspn(at + 1, "'");
        const char *name = variant_of(made("%.*s", (int)length, at + 1));
        at += length + 2;
        if (r && gave_wrong_answers(r, name))
            return name;
        if (result_is_one(folder, name))
            r = result_open(folder, name);
    }
    return "";
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

/* Returns the other meanings that the claim's sentence could have, each with its value and verdict. These
 * verdicts are not counted. */
static const char *readings_of(const cJSON *claim, const char *folder)
{
    const cJSON *reading;
    const char *text = "";
    struct sources sources = {.folder = folder};
    cJSON_ArrayForEach(reading, cJSON_GetObjectItem(claim, "readings"))
    {
        cJSON *read = claim_as_read(claim, reading);
        struct value v = claim_value(read, text_of(reading, "formula"), &sources);
        bool judged = is_judged(claim_verdict_on(read, &v, folder));
        if (!*v.missing)
            text = made("%s; %s: %s%s%s", text, text_of(reading, "says"), claim_value_text(read, &v),
                        judged ? ", " : "", judged ? claim_verdict_text(read, &v, folder) : "");
        cJSON_Delete(read);
    }
    sources_close(&sources);
    return text;
}

const char *claim_wrong_variant(const cJSON *claim, const struct value *v, const char *folder)
{
    bool is_about_wrong_answers = strstr(text_of(claim, "formula"), "wrong(");
    return *v->missing || is_about_wrong_answers ? "" : wrong_variant(claim, folder);
}

/* Returns the name of the host's processor if the claim's number is a speedup over it, or else "". */
static const char *host_of(const cJSON *claim, const struct value *v, const char *folder)
{
    const char *quote = strchr(text_of(claim, "formula"), '\'');
    if (*v->missing || !quote || strcmp(text_of(claim, "depends_on"), "the host's processor") != 0)
        return "";
    struct result *r = result_open(folder, made("%.*s", (int)strcspn(quote + 1, "'"), quote + 1));
    return r ? text_of(r->json, "host.processor") : "";
}

/* If the claim compares two runs with different numbers of rounds, returns a text with both numbers, else "".
 * The numbers can differ because launches are repeated less often than barriers. */
static const char *rounds_of(const cJSON *claim, const struct value *v, const char *folder)
{
    char file[64], one[64], other[64];
    if (*v->missing ||
        sscanf(text_of(claim, "formula"), "round('%63[^']', '%63[^']', %*[^)]) / round('%*[^']', '%63[^']'",
               file, one, other) != 3 ||
        !result_is_one(folder, file))
        return "";
    struct result *r = result_open(folder, file);
    double rounds = number_of(result_point(r, one, -1, -1, -1), "operations"),
           beside = number_of(result_point(r, other, -1, -1, -1), "operations");
    bool differ = strcmp(r->family, "micro") == 0 && rounds != beside && isfinite(rounds) && isfinite(beside);
    return differ ? made("; %s ran %g rounds, %s %g", one, rounds, other, beside) : "";
}

const char *claim_notes(const cJSON *claim, const struct value *v, const struct sources *sources)
{
    const char *folder = sources->folder, *host = host_of(claim, v, folder),
               *wrong = claim_wrong_variant(claim, v, folder);
    return made("%s%s%s%s%s%s%s%s", *v->missing ? "" : all_sizes(sources), readings_of(claim, folder),
                *host ? "; host: " : "", host, rounds_of(claim, v, folder), *wrong ? "; answers of " : "",
                wrong, *wrong ? " were wrong" : "");
}
