/*
 * Tables 1, 2 and 3 of Li 2015. Where warps poll, the machine's times are medians over schedules drawn at random, with
 * the least and the most; a GPU's over its rounds.
 *
 * Tables 1 and 2: shared memory beyond the data and lock bits in use, as counted; cycles of the
 * reduction phase with 16 warps, and how many times as fast as atom-lock.
 *
 * Table 3: microseconds of the launch for the widest diagonal of tiles, and of all launches. The
 * paper's columns data-parallel and tiny-lock are of the former kind, its column atomic-lock is of
 * the latter (docs/experiments.md says why we think so).
 */
#include "report/results.h"
#include "report/suite_path.h"
#include "report/tables.h"
#include "report/timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void head(struct table *t, const char *how, const char *const *cells, size_t count)
{
    table_row(t);
    for (size_t i = 0; i < count; i++)
        table_text(t, cells[i], how);
}

static void print_schemes(const struct result *chain, const cJSON *paper, enum form form, FILE *file)
{
    struct table t = {NULL, 0};
    double warps = number_of(paper, "micro-producer-consumer.warps.value"), threads = 32 * warps;
    double atom = run_in_units(result_point(chain, "atom-lock", -1, threads, -1));
    table_row(&t);
    table_text(&t, "Tables 1 and 2: %g warps", warps);
    table_text(&t, "shared bytes");
    table_text(&t, "lock bits");
    table_text(&t, "cycles, %s", how(chain));
    table_text(&t, "least to most");
    table_text(&t, "times atom-lock, %s", how(chain));
    table_text(&t, "shared bytes, paper");
    table_text(&t, "lock bits, paper");
    table_text(&t, "times atom-lock, paper");
    table_text(&t, "%s / paper", how(chain));
    FOR_EACH_POINT(p, chain)
    {
        char path[128], least[32], most[32];
        if (number_of(p, "threads") != threads)
            continue;
        snprintf(path, sizeof path, "micro-producer-consumer.schemes.%s.performance", text_of(p, "variant"));
        double speed = atom / run_in_units(p), theirs = number_of(paper, path);
        table_row(&t);
        table_text(&t, "%s%s", text_of(p, "variant"), is_true(p, "verified") ? "" : " (wrong)");
        table_number(&t, number_of(p, "shared_bytes"), 0);
        table_number(&t, number_of(p, "counters.lock_bits"), 0);
        table_number(&t, run_in_units(p), 3);
        table_text(&t, "%s to %s", fixed(least, number_of(p, "min"), 0), fixed(most, number_of(p, "max"), 0));
        table_number(&t, speed, 2);
        snprintf(path, sizeof path, "micro-producer-consumer.schemes.%s.shared_bytes", text_of(p, "variant"));
        table_number(&t, number_of(paper, path), 0);
        snprintf(path, sizeof path, "micro-producer-consumer.schemes.%s.lock_bits", text_of(p, "variant"));
        table_number(&t, number_of(paper, path), 0);
        table_number(&t, theirs, 2);
        table_number(&t, speed / theirs, 2);
    }
    table_print(&t, form, file);
    table_free(&t);
}

/* Table 3's number, or NaN. */
static double paper_time(const cJSON *paper, const char *variant, double size)
{
    const cJSON *nw = cJSON_GetObjectItem(paper, "nw"), *sizes = cJSON_GetObjectItem(nw, "sizes");
    const cJSON *times = cJSON_GetObjectItem(nw, variant);
    for (int i = 0; i < cJSON_GetArraySize(times); i++)
        if (cJSON_GetNumberValue(cJSON_GetArrayItem(sizes, i)) == size)
            return cJSON_GetNumberValue(cJSON_GetArrayItem(times, i));
    return NAN;
}

static void print_nw(const struct result *widest, const struct result *all, const cJSON *paper,
                     enum form form, FILE *file)
{
    static const char *const cells[] = {"Table 3: us, %s", "size",           "widest launch", "all launches",
                                        "paper",           "widest / paper", "all / paper"};
    struct table t = {NULL, 0};
    size_t count;
    const char **names = result_variants(widest, &count);
    head(&t, how(all), cells, sizeof cells / sizeof *cells);
    for (size_t i = 0; i < count; i++)
        FOR_EACH_POINT(p, widest)
        {
            if (!point_is(p, names[i]))
                continue;
            double size = number_of(p, "size"), one = run_time(widest, p).us;
            double sum = run_us(all, names[i], -1, size), theirs = paper_time(paper, names[i], size);
            table_row(&t);
            table_text(&t, "%s", names[i]);
            table_number(&t, size, 0);
            table_number(&t, one, 1);
            table_number(&t, sum, 1);
            table_number(&t, theirs, 1);
            table_number(&t, one / theirs, 2);
            table_number(&t, sum / theirs, 2);
        }
    free(names);
    table_print(&t, form, file);
    table_free(&t);
}

void print_fine_grained(const char *folder, enum form form, FILE *file)
{
    struct result *chain = result_need(folder, "micro-producer-consumer"), *nw = result_need(folder, "nw"),
                  *widest = result_need(folder, "nw@widest");
    cJSON *paper = json_of_suite("results/papers/li-2015.json");
    print_schemes(chain, paper, form, file);
    if (form != FORM_JSON)
        fputc('\n', file);
    print_nw(widest, nw, paper, form, file);
    result_close(chain);
    result_close(nw);
    result_close(widest);
    cJSON_Delete(paper);
}
