/* micro-barrier beside what Xiao and Feng 2010 and Feng and Xiao 2010 say of it. */
#include "report/results.h"
#include "report/suite_path.h"
#include "report/tables.h"
#include "report/timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct micro {
    struct result *r;
    cJSON *xiao_feng, *feng_xiao;
    double sms;
};

static double paper_of(const cJSON *paper, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "micro-barrier.%s.value", name);
    return number_of(paper, path);
}

/* Microseconds of a round, and of its synchronization alone. */
static double round_us(const struct micro *m, const char *variant)
{
    return operation_us(m->r, variant, m->sms);
}
static double sync_us(const struct micro *m, const char *variant)
{
    return round_us(m, variant) - round_us(m, "none");
}

static void add_ratio(struct table *t, double ratio)
{
    char text[32];
    table_text(t, isfinite(ratio) ? "%sx" : "%s", fixed(text, ratio, 2));
}

static void over_lock_free(struct table *t, const struct micro *m, const char *launches, const char *paper)
{
    table_row(t);
    table_text(t, "%s over lock-free, time of a round, %g blocks", launches, m->sms);
    add_ratio(t, paper_of(m->xiao_feng, paper));
    add_ratio(t, round_us(m, launches) / round_us(m, "lock-free"));
    table_row(t);
    table_text(t, "the same, synchronization alone");
    table_text(t, "-");
    add_ratio(t, sync_us(m, launches) / sync_us(m, "lock-free"));
}

static void milliseconds(struct table *t, const struct micro *m, const char *what, const char *variant,
                         const char *paper)
{
    char text[32];
    table_row(t);
    table_text(t, "%s, 10,000 rounds", what);
    table_text(t, "%s ms", fixed(text, paper_of(m->xiao_feng, paper), 3));
    table_text(t, "%s ms", fixed(text, 10 * round_us(m, variant), 2));
}

static void print_headline(const struct micro *m, enum form form, FILE *file)
{
    struct table t = {NULL, 0};
    table_row(&t);
    table_text(&t, "claim (GTX 280, 2010)");
    table_text(&t, "paper");
    table_text(&t, "%s", how(m->r));
    over_lock_free(&t, m, "cpu-explicit", "cpu_explicit_over_lock_free");
    over_lock_free(&t, m, "cpu-implicit", "cpu_implicit_over_lock_free");
    double cross = crossing_at(m->r, "lock-based", "cpu-implicit");
    table_row(&t);
    table_text(&t, "lock-based takes longer than cpu-implicit from");
    table_text(&t, "%g blocks", paper_of(m->xiao_feng, "lock_based_crosses_cpu_implicit_at_blocks"));
    if (isinf(cross))
        table_text(&t, "never up to %g blocks", m->sms);
    else
        table_text(&t, "%g blocks", cross);
    milliseconds(&t, m, "computation", "none", "computation_ms");
    milliseconds(&t, m, "cpu-implicit", "cpu-implicit", "cpu_implicit_ms");
    table_print(&t, form, file);
    table_free(&t);
}

/* ---- Feng and Xiao 2010, section VI ---- */

static void add_line(struct table *t, double slope, double constant)
{
    char a[32], b[32];
    if (isnan(slope) && isnan(constant))
        table_text(t, "-");
    else if (slope == 0 || constant == 0)
        table_text(t, slope == 0 ? "%s" : "%s n", fixed(b, slope == 0 ? constant : slope, 3));
    else
        table_text(t, "%s n + %s", fixed(a, slope, 3), fixed(b, constant, 3));
}

/* A fit of the result's, in ms for 10,000. */
static void add_fit(struct table *t, const struct micro *m, const char *path)
{
    const double ms = 10 * m->r->us;
    char name[128];
    snprintf(name, sizeof name, "analysis.%s.slope", path);
    double slope = number_of(m->r->json, name) * ms;
    snprintf(name, sizeof name, "analysis.%s.constant", path);
    add_line(t, slope, number_of(m->r->json, name) * ms);
    snprintf(name, sizeof name, "analysis.%s.r2", path);
    table_number(t, number_of(m->r->json, name), 3);
}

static void print_composition(const struct micro *m, enum form form, FILE *file)
{
    static const char *const parts[][2] = {{"t_a", "t_a, an atomic addition"},
                                           {"t_c", "t_c, checking the mutex"},
                                           {"t_s", "t_s, __syncthreads"},
                                           {"t_f", "t_f, __threadfence"}};
    struct table t = {NULL, 0};
    char path[128];
    table_row(&t);
    table_text(&t, "time composition, ms for 10,000 rounds, n blocks");
    table_text(&t, "paper");
    table_text(&t, "%s", how(m->r));
    table_text(&t, "R^2");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        table_row(&t);
        table_text(&t, "%s", parts[i][1]);
        snprintf(path, sizeof path, "micro-barrier.%s_ms.slope", parts[i][0]);
        double slope = number_of(m->feng_xiao, path);
        snprintf(path, sizeof path, "micro-barrier.%s_ms.constant", parts[i][0]);
        add_line(&t, slope, number_of(m->feng_xiao, path));
        snprintf(path, sizeof path, "section_6.%s", parts[i][0]);
        add_fit(&t, m, path);
    }
    table_row(&t);
    table_text(&t, "Equation 6, lock-based");
    table_text(&t, "N t_a + t_c + t_s");
    add_fit(&t, m, "equation_6");
    table_row(&t);
    table_text(&t, "Equation 7, lock-free");
    table_text(&t, "constant");
    add_fit(&t, m, "equation_7");
    table_print(&t, form, file);
    table_free(&t);
}

/* ---- in words ---- */

static void print_wrong(const struct micro *m, FILE *file)
{
    size_t count, wrong = 0;
    const char **names = result_variants(m->r, &count);
    for (size_t i = 0; i < count; i++) {
        bool found = false;
        FOR_EACH_POINT(p, m->r)
        found = found || (point_is(p, names[i]) && is_false(p, "ordered") && is_false(p, "verified"));
        if (found && !is_baseline(names[i]))
            fprintf(file, wrong++ ? ", %s" : "Unordered barriers with wrong results in some run: %s",
                    names[i]);
    }
    fputs(wrong ? ".\n" : "Unordered barriers: no wrong result in any run.\n", file);
    free(names);
}

static void print_words(const struct micro *m, FILE *file)
{
    const cJSON *best = fastest_point(m->r, m->sms, -1, is_ordered_barrier);
    char a[32], b[32], c[32];
    if (!best) {
        fputs("No ordered grid barrier was verified.\n", file);
    } else {
        const char *name = text_of(best, "variant");
        fprintf(
            file,
            "Fastest ordered grid barrier at %g blocks: %s, %s us a barrier; cpu-implicit takes %sx as long",
            m->sms, name, fixed(a, sync_us(m, name), 2),
            fixed(b, sync_us(m, "cpu-implicit") / sync_us(m, name), 2));
        if (result_has(m->r, "grid-sync"))
            fprintf(file, ", grid-sync %sx", fixed(c, sync_us(m, "grid-sync") / sync_us(m, name), 2));
        fputs(".\n", file);
    }
    print_wrong(m, file);
}

void print_micro(const char *folder, enum form form, FILE *file)
{
    struct micro m = {.r = result_need(folder, "micro-barrier"),
                      .xiao_feng = json_of_suite("results/papers/xiao-feng-2010.json"),
                      .feng_xiao = json_of_suite("results/papers/feng-xiao-2010.json")};
    m.sms = m.r->sms;
    print_headline(&m, form, file);
    if (form != FORM_JSON)
        fputc('\n', file);
    print_composition(&m, form, file);
    if (form != FORM_JSON) {
        fputs(form == FORM_HTML ? "<p>" : "\n", file);
        print_words(&m, file);
        fputs(form == FORM_HTML ? "</p>\n" : "", file);
    }
    cJSON_Delete(m.xiao_feng);
    cJSON_Delete(m.feng_xiao);
    result_close(m.r);
}
