#include "report/compare_table.h"
#include "base/failure.h"
#include "base/memory.h"
#include "base/nearest.h"

#include <stdlib.h>
#include <string.h>

/* ---- one table, for every form but text ---- */

static void add_ratio(struct table *t, struct timing ratio, enum verdict_of_b verdict)
{
    table_number(t, ratio.us, 4);
    table_number(t, ratio.low, 4);
    table_number(t, ratio.high, 4);
    table_text(t, "%s", verdict_names[verdict]);
}

static void head_of_table(struct table *t, const char *const *names, size_t count)
{
    static const char *const ratio[] = {"ratio", "low", "high", "verdict"};
    table_row(t);
    for (size_t i = 0; i < count; i++)
        table_text(t, "%s", names[i]);
    for (size_t i = 0; i < sizeof ratio / sizeof *ratio; i++)
        table_text(t, "%s", ratio[i]);
}

void print_table_of_questions(const struct pair *pairs, size_t count, enum form form, FILE *file)
{
    static const char *const names[] = {"question", "points"};
    size_t lines_count;
    struct summary_line *lines = summary_of(pairs, count, &lines_count);
    struct table t = {NULL, 0};
    head_of_table(&t, names, sizeof names / sizeof *names);
    for (size_t i = 0; i < lines_count; i++) {
        struct timing ratio = mean_of(&lines[i].mean);
        table_row(&t);
        table_text(&t, "%s", lines[i].label);
        table_text(&t, "%zu", lines[i].mean.count);
        add_ratio(&t, ratio, verdict_on(ratio, lines[i].cards));
    }
    table_print(&t, form, file);
    table_free(&t);
    free(lines);
}

void print_table_of_points(const struct pair *pairs, size_t count, const struct arguments *options,
                           FILE *file)
{
    static const char *const names[] = {"result",   "variant", "size", "threads", "blocks A",
                                        "blocks B", "A",       "B",    "unit"};
    struct table t = {NULL, 0};
    head_of_table(&t, names, sizeof names / sizeof *names);
    for (size_t i = 0; i < count; i++)
        for (const struct match *m = pairs[i].points; m < pairs[i].points + pairs[i].count; m++) {
            table_row(&t);
            table_text(&t, "%s", pairs[i].name);
            table_text(&t, "%s", m->variant);
            table_text(&t, "%.15g", number_of(m->a, "size"));
            table_text(&t, "%.15g", number_of(m->a, "threads"));
            table_text(&t, "%g", m->blocks_a);
            table_text(&t, "%g", m->blocks_b);
            table_text(&t, "%.9g", timing_in(options->unit, pairs[i].a, compared_time(pairs[i].a, m->a)).us);
            table_text(&t, "%.9g", timing_in(options->unit, pairs[i].b, compared_time(pairs[i].b, m->b)).us);
            table_text(&t, "%s", unit_name(options->unit));
            add_ratio(&t, m->ratio, m->verdict);
        }
    table_print(&t, options->form, file);
    table_free(&t);
}

/* ---- --only and --fail-slower ---- */

void check_only(const char *folder, char **results, size_t count, const char *only)
{
    const char **names = NULL;
    size_t known = 0, length;
    char name[128], meant[NEAREST_BYTES];
    for (size_t i = 0; only && i < count; i++) {
        struct result *r = result_is_one(folder, results[i]) ? result_open(folder, results[i]) : NULL;
        if (!r)
            continue;
        size_t variants_count;
        const char **variants = result_variants(r, &variants_count);
        names = with_room(names, sizeof *names, known, variants_count + 1);
        names[known++] = results[i];
        for (size_t v = 0; v < variants_count; v++)
            names[known++] = copy_text(variants[v]);
        free(variants);
        result_close(r);
    }
    for (; only && *only; only += length + (only[length] == ',')) {
        bool found = false;
        length = strcspn(only, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, only);
        for (size_t i = 0; i < known; i++)
            found = found || (strncmp(names[i], name, strlen(name)) == 0 &&
                              (!names[i][strlen(name)] || names[i][strlen(name)] == '@'));
        if (!found)
            fail(EXIT_BAD_INPUT, "--only: %s has no result and no variant %s%s", folder, name,
                 did_you_mean(meant, "", name, names, known));
    }
    free(names);
}

#define MOST_NAMED 20

size_t name_slower(const struct pair *pairs, size_t count, double allowed)
{
    size_t slower = 0;
    char ratio[32], low[32], high[32];
    for (size_t i = 0; i < count; i++)
        for (const struct match *m = pairs[i].points; m < pairs[i].points + pairs[i].count; m++)
            if (m->ratio.low > 1 + allowed && slower++ < MOST_NAMED)
                fprintf(stderr,
                        "slower: %s, %s, %g blocks of %g threads, size %.15g: %s times as long [%s, %s]\n",
                        pairs[i].name, m->variant, m->blocks_b, number_of(m->b, "threads"),
                        number_of(m->b, "size"), fixed(ratio, m->ratio.us, 3), fixed(low, m->ratio.low, 3),
                        fixed(high, m->ratio.high, 3));
    if (slower > MOST_NAMED)
        fprintf(stderr, "slower: and %zu more\n", slower - MOST_NAMED);
    if (slower)
        fprintf(stderr, "%s: B is slower by more than %g %% at %zu points\n", program_name(), 100 * allowed,
                slower);
    return slower;
}
