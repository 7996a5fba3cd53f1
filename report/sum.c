/*
 * Do few barriers pay? For each algorithm of `sum` over the whole grid under one barrier: how many
 * it has, what they cost by the micro-benchmark, what was measured, and how many times as long as
 * CUB it took.
 */
#include "base/failure.h"
#include "report/results.h"
#include "report/tables.h"
#include "report/timing.h"

#include <string.h>

#define BARRIER "counter"

/* Does the name end with +BARRIER? */
static bool is_under_barrier(const char *variant)
{
    const char *plus = strrchr(variant, '+');
    return plus && strcmp(plus + 1, BARRIER) == 0;
}

static void add_sum(struct table *t, const struct result *sum, const cJSON *p, double cost)
{
    const char *variant = text_of(p, "variant");
    char cub[64];
    double barriers = number_of(p, "barriers") * cost, time = run_time(sum, p).us;
    snprintf(cub, sizeof cub, "%.*s-cub", (int)strcspn(variant, "-"), variant);
    table_row(t);
    table_text(t, "%.*s", (int)strcspn(variant, "+"), variant);
    table_number(t, number_of(p, "size"), 0);
    table_number(t, number_of(p, "barriers"), 0);
    table_number(t, barriers, 1);
    table_number(t, time, 1);
    table_number(t, 100 * barriers / time, 0);
    table_number(t, time / run_us(sum, cub, -1, number_of(p, "size")), 2);
}

void print_sum(const char *folder, enum form form, FILE *file)
{
    struct result *sum = result_need(folder, "sum"), *micro = result_need(folder, "micro-barrier");
    if (!result_has(micro, BARRIER))
        fail(EXIT_BAD_INPUT, "%s has nothing with the barrier %s", micro->path, BARRIER);
    double cost = operation_us(micro, BARRIER, sum->sms) - operation_us(micro, "none", sum->sms);
    struct table t = {NULL, 0};
    char text[32];
    table_row(&t);
    table_text(&t, BARRIER ", us");
    table_text(&t, "numbers");
    table_text(&t, "barriers");
    table_text(&t, "barriers x %s us", fixed(text, cost, 2));
    table_text(&t, "%s", how(sum));
    table_text(&t, "share of barriers, %%");
    table_text(&t, "times CUB");
    FOR_EACH_POINT(p, sum)
    if (is_under_barrier(text_of(p, "variant")))
        add_sum(&t, sum, p, cost);
    table_print(&t, form, file);
    table_free(&t);
    result_close(sum);
    result_close(micro);
}
