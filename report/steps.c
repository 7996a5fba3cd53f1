/*
 * Tables I, II and III of Xiao and Feng 2010 and its Equation 4, of every step loop of a folder: of a problem about as
 * large as the paper's, where there is one.
 *
 * Table I: share of synchronization in the time of cpu-implicit, at its best number of blocks.
 *
 * Table II: rho, the share of computation there, and 1 / (1 - rho): Equation 5 with computation that
 * takes no time.
 *
 * Table III: time of the sequential reference over that of each variant at its best number of blocks
 * (on a GPU only: model time and the host's do not compare).
 *
 * Equation 4: the speedup over cpu-implicit that rho and the micro-benchmark's synchronization
 * speedup predict, with one block on every multiprocessor, against the measured one.
 */
#include "base/failure.h"
#include "base/memory.h"
#include "report/results.h"
#include "report/shares.h"
#include "report/suite_path.h"
#include "report/tables.h"
#include "report/timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct algorithms {
    struct result **results;
    size_t count;
    struct result *micro;
    cJSON *paper;
};

static double paper_of(const struct algorithms *a, size_t i, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s.%s.value", a->results[i]->experiment, name);
    return number_of(a->paper, path);
}

static double share_of_computation(const struct result *r)
{
    const cJSON *best = fastest_of(r, "cpu-implicit", -1);
    return run_us(r, "none", number_of(best, "blocks"), -1) / run_time(r, best).us;
}

static double at_all(const struct result *r, const char *variant)
{
    return run_us(r, variant, r->sms, -1);
}

/* Equation 4 with the micro-benchmark's S_S. */
static double predicted_gain(const struct algorithms *a, const struct result *r, const char *variant)
{
    double none = operation_us(a->micro, "none", r->sms);
    double speedup = (operation_us(a->micro, "cpu-implicit", r->sms) - none) /
                     (operation_us(a->micro, variant, r->sms) - none);
    double rho = at_all(r, "none") / at_all(r, "cpu-implicit");
    return 1 / (rho + (1 - rho) / speedup);
}

static bool was_wrong(const struct result *r, const char *variant)
{
    FOR_EACH_POINT(p, r)
    if (point_is(p, variant) && is_false(p, "verified"))
        return true;
    return false;
}

/* ---- rows: a cell for each algorithm ---- */

typedef double row_value(const struct algorithms *a, size_t i);

static double communication(const struct algorithms *a, size_t i)
{
    return 100 * (1 - share_of_computation(a->results[i]));
}
static double rho(const struct algorithms *a, size_t i)
{
    return share_of_computation(a->results[i]);
}
static double maximum(const struct algorithms *a, size_t i)
{
    return 1 / (1 - share_of_computation(a->results[i]));
}
static double sequential(const struct algorithms *a, size_t i)
{
    return number_of(a->results[i]->json, "reference.median") / 1e6;
}

static void add_row(struct table *t, const struct algorithms *a, const char *what, row_value *value,
                    int digits)
{
    table_row(t);
    table_text(t, "%s, %s", what, how(a->micro));
    for (size_t i = 0; i < a->count; i++)
        table_number(t, value(a, i), digits);
}

static void add_paper_row(struct table *t, const struct algorithms *a, const char *name)
{
    table_row(t);
    table_text(t, "- paper");
    for (size_t i = 0; i < a->count; i++)
        table_number(t, paper_of(a, i, name), 3);
}

static void add_speedups(struct table *t, const struct algorithms *a, const char *variant)
{
    char text[32], name[128];
    bool in_paper = false;
    table_row(t);
    table_text(t, "Table III: speedup of %s", variant);
    for (size_t i = 0; i < a->count; i++) {
        const struct result *r = a->results[i];
        double best = run_time(r, fastest_of(r, variant, -1)).us;
        double speedup = 1e-3 * number_of(r->json, "reference.median") / best;
        table_text(t, "%s%s", fixed(text, speedup, 1), was_wrong(r, variant) ? " (wrong)" : "");
        snprintf(name, sizeof name, "speedup.%s", variant);
        in_paper = in_paper || !isnan(paper_of(a, i, name));
    }
    if (in_paper)
        add_paper_row(t, a, name);
}

static void add_equation_4(struct table *t, const struct algorithms *a, const char *variant)
{
    char x[32], y[32];
    if (strcmp(variant, "cpu-implicit") == 0 || !result_has(a->micro, variant))
        return;
    table_row(t);
    table_text(t, "Equation 4: %s over cpu-implicit, %s", variant,
               a->micro->machine ? "equation / machine" : "predicted / measured");
    for (size_t i = 0; i < a->count; i++) {
        const struct result *r = a->results[i];
        double gain = at_all(r, "cpu-implicit") / at_all(r, variant);
        table_text(t, "%s / %s", fixed(x, predicted_gain(a, r, variant), 2), fixed(y, gain, 2));
    }
}

static void add_shares(struct table *t, const struct algorithms *a, const char *variant)
{
    char x[32], y[32], z[32];
    if (!result_has(a->results[0], variant))
        return;
    table_row(t);
    table_text(t, "%s: percent computation / refill of L1 / waiting or launch", variant);
    for (size_t i = 0; i < a->count; i++) {
        struct shares s = shares_of(a->results[i], a->micro, variant);
        table_text(t, "%s / %s / %s", fixed(x, s.computation, 1), fixed(y, s.refill, 1), fixed(z, s.rest, 1));
    }
}

/* Table III compares with a program on a host: which one, decides as much as the GPU. */
static void add_hosts(struct table *t, const struct algorithms *a)
{
    table_row(t);
    table_text(t, "host of the sequential reference");
    for (size_t i = 0; i < a->count; i++)
        table_text(t, "%s", text_of(a->results[i]->json, "host.processor"));
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Of all algorithms, but for the loop without barriers; sorted. */
static const char **variants_of(const struct algorithms *a, size_t *count)
{
    const char **all = NULL;
    *count = 0;
    for (size_t i = 0; i < a->count; i++) {
        size_t some;
        const char **names = result_variants(a->results[i], &some);
        for (size_t n = 0; n < some; n++) {
            size_t at = 0;
            while (at < *count && strcmp(all[at], names[n]) != 0)
                at++;
            if (at < *count || is_baseline(names[n]) || is_library(names[n]))
                continue;
            all = with_room(all, sizeof *all, *count, 1);
            all[(*count)++] = names[n];
        }
        free(names);
    }
    if (all)
        qsort(all, *count, sizeof *all, compare_texts);
    return all;
}

static void make_table(struct table *t, const struct algorithms *a)
{
    size_t count;
    const char **names = variants_of(a, &count);
    table_row(t);
    table_text(t, "Xiao and Feng 2010");
    for (size_t i = 0; i < a->count; i++)
        table_text(t, "%s (%g)", a->results[i]->experiment, number_of(a->results[i]->points->child, "size"));
    add_row(t, a, "Table I: percent of time in communication", communication, 1);
    add_paper_row(t, a, "communication_percent");
    add_row(t, a, "Table II: rho", rho, 2);
    add_paper_row(t, a, "rho");
    add_row(t, a, "Table II: maximum speedup by computation alone", maximum, 2);
    add_paper_row(t, a, "possible_maximum_speedup");
    add_shares(t, a, "cpu-implicit");
    add_shares(t, a, "cpu-graph");
    add_shares(t, a, "counter");
    if (!a->micro->machine) {
        add_hosts(t, a);
        add_row(t, a, "sequential reference, ms", sequential, 2);
        for (size_t i = 0; i < count; i++)
            add_speedups(t, a, names[i]);
    }
    for (size_t i = 0; i < count; i++)
        add_equation_4(t, a, names[i]);
    free(names);
}

void print_steps(const char *folder, enum form form, FILE *file)
{
    struct algorithms a = {NULL, 0, NULL, NULL};
    struct table t = {NULL, 0};
    char **names = results_of_family(folder, "steps", &a.count);
    if (!a.count)
        fail(EXIT_BAD_INPUT, "%s has no result of an algorithm in steps (fft, swat, bitonic)", folder);
    a.micro = result_need(folder, "micro-barrier");
    a.paper = json_of_suite("results/papers/xiao-feng-2010.json");
    a.results = allocate(a.count * sizeof *a.results);
    for (size_t i = 0; i < a.count; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s@paper,main", names[i]);
        a.results[i] = result_open(folder, name);
    }
    make_table(&t, &a);
    table_print(&t, form, file);
    table_free(&t);
    for (size_t i = 0; i < a.count; i++) {
        result_close(a.results[i]);
        free(names[i]);
    }
    free(names);
    free(a.results);
    result_close(a.micro);
    cJSON_Delete(a.paper);
}
