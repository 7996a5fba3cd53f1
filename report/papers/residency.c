#include "report/papers/residency.h"
#include "report/results.h"
#include "report/timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SIZES 8

/* Reads the sizes of the first variant's points, in their order. A size is the number of multiprocessors that
 * other kernels hold. Returns the number of sizes. */
static size_t sizes_of(const struct result *r, double sizes[MOST_SIZES])
{
    const char *first = text_of(r->points->child, "variant");
    size_t count = 0;
    FOR_EACH_POINT(p, r)
    if (point_is(p, first) && count < MOST_SIZES)
        sizes[count++] = number_of(p, "size");
    return count;
}

static void print_residents(struct table *t, const cJSON *p)
{
    if (p)
        table_text(t, "%.0f of %.0f", number_of(p, "resident"), number_of(p, "blocks_of_all_grids"));
    else
        table_text(t, "-");
}

static const char *const OPENS = "opens", *const NEVER = "never opens";

/* Returns how many of the point's checked (verified) runs had this outcome. */
static double checked_runs(const cJSON *p, const char *outcome)
{
    double runs = number_of(cJSON_GetObjectItem(p, "outcomes_of_runs"), outcome);
    return isnan(runs) ? 0 : runs;
}

/* Returns how many of the point's timed runs had this outcome. If all checked runs had one outcome, the timed
 * runs had it, too. Otherwise a timed run counts as opened if it took less than half of the longest run,
 * because a barrier that does not open takes the whole time until it gives up. */
static double timed_runs(const cJSON *p, const char *outcome)
{
    const cJSON *samples = cJSON_GetObjectItem(p, "samples"), *sample;
    double all = cJSON_GetArraySize(samples), longest = 0, short_ones = 0;
    if (checked_runs(p, NEVER) <= 0)
        return checked_runs(p, outcome) > 0 ? all : 0;
    cJSON_ArrayForEach(sample, samples) longest = fmax(longest, sample->valuedouble);
    cJSON_ArrayForEach(sample, samples) short_ones += sample->valuedouble < longest / 2;
    return strcmp(outcome, NEVER) == 0 ? all - short_ones : strcmp(outcome, OPENS) == 0 ? short_ones : 0;
}

static double runs_of(const struct result *r, const char *variant, const char *outcome)
{
    double runs = 0;
    FOR_EACH_POINT(p, r)
    if (point_is(p, variant))
        runs += checked_runs(p, outcome) + timed_runs(p, outcome);
    return runs;
}

/* Adds a cell with the outcome of the variant's runs or, if they had several outcomes, each outcome with its
 * number of runs. */
static void print_outcomes(struct table *t, const struct result *r, const char *variant)
{
    const char *const outcomes[] = {NEVER, OPENS, "opens when the other has ended", "launch refused"};
    double runs[4], all = 0;
    char text[256] = "";
    for (int o = 0; o < 4; o++)
        all += runs[o] = runs_of(r, variant, outcomes[o]);
    for (int o = 0; o < 4; o++) {
        size_t used = strlen(text);
        if (runs[o] > 0)
            snprintf(text + used, sizeof text - used, "%s%s", used ? "; " : "", outcomes[o]);
        used = strlen(text);
        if (runs[o] > 0 && runs[o] < all)
            snprintf(text + used, sizeof text - used, " (%.0f of %.0f runs)", runs[o], all);
    }
    table_text(t, "%s", text);
}

void print_residency(const char *folder, enum form form, FILE *file)
{
    struct result *r = result_need(folder, "micro-residency");
    struct table t = {NULL, 0};
    double sizes[MOST_SIZES];
    size_t size_count = sizes_of(r, sizes), variant_count;
    const char **variants = result_variants(r, &variant_count);
    table_row(&t);
    table_text(&t, "a grid barrier, %s", how(r));
    table_text(&t, "launch");
    for (size_t s = 0; s < size_count; s++)
        table_text(&t, "resident, k = %.0f", sizes[s]);
    table_text(&t, "the barrier");
    table_text(&t, "ended after, us");
    for (size_t v = 0; v < variant_count; v++) {
        const cJSON *first = result_point(r, variants[v], -1, -1, sizes[0]);
        table_row(&t);
        table_text(&t, "%s", variants[v]);
        table_text(&t, "%s", text_of(first, "launch"));
        for (size_t s = 0; s < size_count; s++)
            print_residents(&t, result_point(r, variants[v], -1, -1, sizes[s]));
        print_outcomes(&t, r, variants[v]);
        table_number(&t, run_time(r, first).us, 0);
    }
    table_print(&t, form, file);
    table_free(&t);
    free(variants);
    result_close(r);
}
