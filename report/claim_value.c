#include "report/claim_value.h"
#include "report/results.h"
#include "report/timing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* Returns whether the result's sweep was measured with --extent quick, by the command that it notes. */
static bool is_quick(const struct result *r)
{
    const cJSON *word;
    cJSON_ArrayForEach(word, cJSON_GetObjectItem(r->json, "command"))
    {
        if (cJSON_IsString(word) && strcmp(word->valuestring, "--extent") == 0)
            return word->next && cJSON_IsString(word->next) && strcmp(word->next->valuestring, "quick") == 0;
    }
    return false;
}

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
    if (is_quick(r))
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
    size_t used = strlen(text);
    for (const struct read *read = s->reads; read < s->reads + s->read_count; read++)
        if (strcmp(read->result->experiment, program) == 0) {
            include(&sizes[read->searched], number_of(read->point, "size"));
            include(&blocks[read->searched], number_of(read->point, "blocks"));
            sampled = *text_of(read->result->parameters, "diagonals") ? ", sampled" : sampled;
        }
    bool searched = !sizes[0].high;
    snprintf(text + used, bytes - used, "; %s %s, %s block%s%s", program, ends_text(size, &sizes[searched]),
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
