#include "report/compare.h"
#include "base/failure.h"
#include "base/memory.h"
#include "report/results.h"
#include "report/table.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum verdict_of_b { FASTER, SLOWER, SAME, UNCLEAR, VERDICTS };
static const char *const verdict_names[] = {"faster", "slower", "same", "unclear"};

struct match {
    const char *variant;
    double blocks_a, blocks_b, ratio, low, high;
    enum verdict_of_b verdict;
};

struct pair {
    struct result *a, *b;
    struct match *points;
    size_t count;
    size_t wrong; /* left out */
};

static struct match compare_points(const cJSON *x, const cJSON *y)
{
    struct match m = {.variant = text_of(x, "variant"),
                      .blocks_a = number_of(x, "blocks"),
                      .blocks_b = number_of(y, "blocks"),
                      .ratio = number_of(y, "median") / number_of(x, "median"),
                      .low = interval_end(y, 0) / interval_end(x, 1),
                      .high = interval_end(y, 1) / interval_end(x, 0)};
    m.verdict = m.high < 0.98                     ? FASTER
                : m.low > 1.02                    ? SLOWER
                : m.low >= 0.98 && m.high <= 1.02 ? SAME
                                                  : UNCLEAR;
    return m;
}

/* Of an unordered variant, a time is what it would be if nothing had to be ordered; of others, nothing. */
static bool was_wrong(const cJSON *point)
{
    return is_true(point, "ordered") && is_false(point, "verified");
}

static void match_points(struct pair *pair)
{
    FOR_EACH_POINT(x, pair->a)
    {
        const cJSON *y = result_point(pair->b, text_of(x, "variant"), number_of(x, "blocks"),
                                      number_of(x, "threads"), number_of(x, "size"));
        if (!y)
            continue;
        if (strcmp(text_of(x, "unit"), text_of(y, "unit")) != 0)
            fail(EXIT_BAD_INPUT, "%s: %s is in %s there and in %s here: not comparable", pair->a->path,
                 text_of(x, "variant"), text_of(x, "unit"), text_of(y, "unit"));
        if (was_wrong(x) || was_wrong(y)) {
            pair->wrong++;
            continue;
        }
        pair->points = with_room(pair->points, sizeof *pair->points, pair->count, 1);
        pair->points[pair->count++] = compare_points(x, y);
    }
}

/* ---- printing ---- */

static void add_match(struct table *t, const struct match *m)
{
    char low[32], high[32];
    table_row(t);
    table_text(t, "  %s", m->variant);
    if (m->blocks_a == m->blocks_b)
        table_text(t, "%g blocks", m->blocks_a);
    else
        table_text(t, "%g and %g blocks", m->blocks_a, m->blocks_b);
    table_number(t, m->ratio, 3);
    table_text(t, "[%s, %s]", fixed(low, m->low, 3), fixed(high, m->high, 3));
    table_text(t, "%s", verdict_names[m->verdict]);
}

static double largest_size(const struct result *r)
{
    double most = 0;
    FOR_EACH_POINT(p, r) most = fmax(most, number_of(p, "size"));
    return most;
}

/* Each variant's best point on each device; of micro-benchmarks, those with all multiprocessors.
 * Returns how many of them are slower. */
static size_t add_best(struct table *t, const struct pair *pair)
{
    size_t count, slower = 0;
    const char **names = result_variants(pair->a, &count);
    double size = largest_size(pair->a);
    bool micro = strncmp(pair->a->experiment, "micro", 5) == 0;
    for (size_t i = 0; i < count && size == largest_size(pair->b); i++) {
        double sms = pair->a->sms;
        const cJSON *x =
            micro ? result_point(pair->a, names[i], sms, -1, size) : result_best(pair->a, names[i], size);
        const cJSON *y =
            micro ? result_point(pair->b, names[i], sms, -1, size) : result_best(pair->b, names[i], size);
        if (!x || !y)
            continue;
        struct match m = compare_points(x, y);
        slower += m.verdict == SLOWER;
        add_match(t, &m);
    }
    free(names);
    return slower;
}

static void print_notes(const struct pair *pair, const char *name, FILE *file)
{
    const char *const texts[] = {"device.name", "revision"};
    for (int i = 0; i < 2; i++)
        if (strcmp(text_of(pair->a->json, texts[i]), text_of(pair->b->json, texts[i])) != 0)
            fprintf(file, "note: %s: %s differs: %s, %s\n", name, texts[i], text_of(pair->a->json, texts[i]),
                    text_of(pair->b->json, texts[i]));
    if (is_true(pair->a->json, "dirty") || is_true(pair->b->json, "dirty"))
        fprintf(file, "note: %s: built from changed sources\n", name);
    const cJSON *parameter;
    cJSON_ArrayForEach(parameter, pair->a->parameters)
    {
        const cJSON *other = cJSON_GetObjectItem(pair->b->parameters, parameter->string);
        if (!cJSON_Compare(parameter, other, true) && strcmp(parameter->string, "blocks") != 0 &&
            strcmp(parameter->string, "variants") != 0)
            fprintf(file, "note: %s: the parameter %s differs\n", name, parameter->string);
    }
}

/* Returns how often B is slower. */
static size_t print_pair(const struct pair *pair, const char *name, bool all_points, FILE *file)
{
    size_t of[VERDICTS] = {0}, slower;
    double logs = 0;
    char mean[32];
    struct table t = {NULL, 0};
    for (size_t i = 0; i < pair->count; i++) {
        of[pair->points[i].verdict]++;
        logs += log(pair->points[i].ratio);
    }
    print_notes(pair, name, file);
    if (pair->wrong)
        fprintf(file, "note: %s: %zu points whose results were wrong are left out\n", name, pair->wrong);
    fprintf(file, "\n%s: %zu points in common: B is", name, pair->count);
    for (int v = 0; v < VERDICTS; v++)
        fprintf(file, "%s %s at %zu", v ? "," : "", verdict_names[v], of[v]);
    fprintf(file, "; geometric mean of the ratios %s\n", fixed(mean, exp(logs / (double)pair->count), 3));
    slower = of[SLOWER] + (strchr(name, '/') || strstr(name, "-sizes") ? 0 : add_best(&t, pair));
    for (size_t i = 0; all_points && i < pair->count; i++)
        add_match(&t, &pair->points[i]);
    table_print(&t, FORM_TEXT, file);
    table_free(&t);
    return slower;
}

/* ---- folders ---- */

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_name(char ***names, size_t *count, const char *name)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp((*names)[i], name) == 0)
            return;
    *names = with_room(*names, sizeof **names, *count, 1);
    (*names)[(*count)++] = copy_text(name);
}

/* The result files below a folder, one level down, without the ending, and without predictions; of those in sizes/, what they are
 * called together. */
static void list_files(const char *folder, const char *below, char ***names, size_t *count)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, below);
    struct dirent *entry;
    DIR *directory = opendir(path);
    while (directory && (entry = readdir(directory))) {
        size_t length = strlen(entry->d_name);
        struct stat facts;
        char name[600];
        snprintf(name, sizeof name, "%s%s%s", below, *below ? "/" : "", entry->d_name);
        snprintf(path, sizeof path, "%s/%s", folder, name);
        if (entry->d_name[0] == '.' || lstat(path, &facts) != 0)
            continue;
        if (S_ISDIR(facts.st_mode) && !*below && strcmp(name, "predicted") != 0)
            list_files(folder, entry->d_name, names, count);
        if (!S_ISREG(facts.st_mode) || length < 6 || strcmp(entry->d_name + length - 5, ".json") != 0)
            continue;
        name[strlen(name) - 5] = '\0';
        if (strcmp(below, "sizes") == 0) {
            char program[600];
            snprintf(program, sizeof program, "%.*s-sizes", (int)(strrchr(name, '-') - strchr(name, '/') - 1),
                     strchr(name, '/') + 1);
            add_name(names, count, program);
        } else {
            add_name(names, count, name);
        }
    }
    if (directory)
        closedir(directory);
}

static struct result *open_named(const char *folder, const char *name)
{
    char program[600];
    size_t length = strlen(name);
    if (length < 7 || strcmp(name + length - 6, "-sizes") != 0)
        return result_open(folder, name);
    snprintf(program, sizeof program, "%.*s", (int)length - 6, name);
    return result_open_sizes(folder, program);
}

/* Returns whether the two had a point in common. */
static bool compare_files(const char *a, const char *b, const char *name, bool all_points, FILE *file,
                          size_t *slower)
{
    struct pair pair = {.a = open_named(a, name), .b = open_named(b, name)};
    if (pair.a && pair.b && pair.a->machine != pair.b->machine)
        fail(EXIT_BAD_INPUT, "%s: one is measured, the other predicted: not comparable", name);
    if (pair.a && pair.b)
        match_points(&pair);
    if (pair.count)
        *slower += print_pair(&pair, name, all_points, file);
    result_close(pair.a);
    result_close(pair.b);
    free(pair.points);
    return pair.count;
}

bool compare_folders(const char *a, const char *b, bool all_points, FILE *file)
{
    char **names = NULL;
    size_t count = 0, slower = 0, common = 0;
    check_folder(a);
    check_folder(b);
    list_files(a, "", &names, &count);
    if (names)
        qsort(names, count, sizeof *names, compare_texts);
    fprintf(file, "A: %s\nB: %s\nratio: time of B over time of A; below 1, B is faster\n", a, b);
    for (size_t i = 0; i < count; i++) {
        common += compare_files(a, b, names[i], all_points, file, &slower);
        free(names[i]);
    }
    free(names);
    if (!common)
        fail(EXIT_BAD_INPUT, "%s and %s have no experiment or no point in common", a, b);
    return slower;
}

void print_best_ratios(const char *a, const char *b, enum form form, FILE *file)
{
    static const char *const programs[] = {"micro-barrier", "fft",        "swat",
                                           "bitonic",       "swat-batch", "pairhmm"};
    struct table t = {NULL, 0};
    table_row(&t);
    table_text(&t, "program, variant");
    table_text(&t, "where");
    table_text(&t, "time of %s over %s", check_folder(b), check_folder(a));
    table_text(&t, "interval");
    table_text(&t, "verdict");
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct pair pair = {.a = result_open(a, programs[i]), .b = result_open(b, programs[i])};
        if (pair.a && pair.b) {
            table_row(&t);
            table_text(&t, "%s", programs[i]);
            add_best(&t, &pair);
        }
        result_close(pair.a);
        result_close(pair.b);
    }
    table_print(&t, form, file);
    table_free(&t);
}
