#include "report/papers/papers.h"
#include "base/memory.h"
#include "report/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const policies[] = {"l1", "oldest", "random"};
enum { POLICIES = 3 };

static const cJSON *at(const cJSON *row, int column)
{
    return cJSON_GetArrayItem(row, column);
}

static bool text_is(const cJSON *row, int column, const char *text)
{
    const char *value = cJSON_GetStringValue(at(row, column));
    return value && strcmp(value, text) == 0;
}

static double number_at(const cJSON *row, int column)
{
    return cJSON_GetNumberValue(at(row, column));
}

static cJSON *read_study(const char *folder, const char *name)
{
    return json_need(made("%s/weak-memory/%s.json", folder, name));
}

/* ---- costs ---- */

/* indices of the columns in a row of cost.json that describes a barrier */
enum { BARRIER, ORDERED, MEMORY, SECONDS, REQUESTS };
enum { OF_MEMORY, DATA, BYTES }; /* indices of the columns in a row of cost.json that describes memory */

/* Returns the row for this barrier with coherent memory, to which the other rows are compared. */
static const cJSON *coherent_of(const cJSON *rows, const char *barrier)
{
    const cJSON *row, *found = NULL;
    cJSON_ArrayForEach(row, rows)
    {
        if (text_is(row, BARRIER, barrier) && text_is(row, MEMORY, "coherent"))
            found = row;
    }
    return found;
}

static double ratio_of(const cJSON *row, const cJSON *coherent, bool per_request)
{
    double ratio = number_at(row, SECONDS) / number_at(coherent, SECONDS);
    return per_request ? ratio * number_at(coherent, REQUESTS) / number_at(row, REQUESTS) : ratio;
}

struct slowest {
    const char *name;
    double ratio;
};

static struct slowest slowest_of(const cJSON *rows, const char *memory, bool ordered_alone, bool per_request)
{
    struct slowest slowest = {"", 0};
    const cJSON *row;
    cJSON_ArrayForEach(row, rows)
    {
        if (!text_is(row, MEMORY, memory) || (ordered_alone && !cJSON_IsTrue(at(row, ORDERED))))
            continue;
        const char *barrier = cJSON_GetStringValue(at(row, BARRIER));
        double ratio = ratio_of(row, coherent_of(rows, barrier), per_request);
        if (ratio > slowest.ratio)
            slowest = (struct slowest){barrier, ratio};
    }
    return slowest;
}

static double all_seconds(const cJSON *rows, const char *memory)
{
    double sum = 0;
    const cJSON *row;
    cJSON_ArrayForEach(row, rows) if (text_is(row, MEMORY, memory)) sum += number_at(row, SECONDS);
    return sum;
}

static void add_slowest(struct table *t, struct slowest slowest)
{
    table_cells(t, "%.1f (%s)", slowest.ratio, slowest.name);
}

void print_weak_cost(const char *folder, enum form form, FILE *file)
{
    cJSON *cost = read_study(folder, "cost");
    const cJSON *barriers = cJSON_GetObjectItem(cost, "barriers"),
                *memory = cJSON_GetObjectItem(cost, "memory"), *row;
    struct table t = {NULL, 0};
    table_add(&t, "memory | time of all barriers, times coherent | of ordered ones, at most | of any, at "
                  "most | and for a memory request | bytes for a byte of data");
    for (int p = 0; p < POLICIES; p++) {
        table_add(&t, "%s | %.1f", policies[p],
                  all_seconds(barriers, policies[p]) / all_seconds(barriers, "coherent"));
        add_slowest(&t, slowest_of(barriers, policies[p], true, false));
        add_slowest(&t, slowest_of(barriers, policies[p], false, false));
        add_slowest(&t, slowest_of(barriers, policies[p], false, true));
        cJSON_ArrayForEach(row, memory) if (text_is(row, OF_MEMORY, policies[p]))
            table_cells(&t, "%.1f", number_at(row, BYTES) / number_at(row, DATA));
    }
    table_end(&t, form, file);
}

/* ---- many seeds ---- */

enum { WHAT, IS_ORDERED, POLICY, BLOCKS, RUNS, WRONG, DEADLOCKS, RACES };

struct sum {
    const char *name;
    double blocks;
    double runs, wrong[POLICIES], deadlocks;
    /* number of cases, and number of cases with data races; a case is a barrier under one policy */
    unsigned cases, with_races;
};

/* Returns the name under which the table sums up a row: "ordered barriers" or "unordered barriers" if the row
 * has a barrier's name, otherwise the sentence in the row itself. */
static const char *name_of(const cJSON *row)
{
    const char *what = cJSON_GetStringValue(at(row, WHAT));
    return strchr(what, ' ')                   ? what
           : cJSON_IsTrue(at(row, IS_ORDERED)) ? "ordered barriers"
                                               : "unordered barriers";
}

static struct sum *sum_of(struct sum *sums, size_t *count, const cJSON *row)
{
    struct sum sum = {.name = name_of(row), .blocks = number_at(row, BLOCKS)};
    for (size_t i = 0; i < *count; i++)
        if (strcmp(sums[i].name, sum.name) == 0 && sums[i].blocks == sum.blocks)
            return &sums[i];
    sums[*count] = sum;
    return &sums[(*count)++];
}

static void add_row(struct sum *sum, const cJSON *row)
{
    sum->runs += number_at(row, RUNS);
    sum->deadlocks += number_at(row, DEADLOCKS);
    sum->cases++;
    sum->with_races += cJSON_GetArraySize(at(row, RACES)) > 0;
    for (int p = 0; p < POLICIES; p++)
        if (text_is(row, POLICY, policies[p]))
            sum->wrong[p] += number_at(row, WRONG);
}

static int by_name_and_blocks(const void *a, const void *b)
{
    const struct sum *x = a, *y = b;
    int names = strcmp(x->name, y->name);
    return names ? names : (x->blocks > y->blocks) - (x->blocks < y->blocks);
}

static void print_sums(const struct sum *sums, size_t count, enum form form, FILE *file)
{
    struct table t = {NULL, 0};
    table_add(&t, "what | blocks | runs | wrong: l1 | oldest | random | hung | with a race, of cases");
    for (size_t i = 0; i < count; i++) {
        table_add(&t, "%s | %.0F | %.0F", sums[i].name, sums[i].blocks > 0 ? sums[i].blocks : NAN,
                  sums[i].runs);
        for (int p = 0; p < POLICIES; p++)
            table_cells(&t, "%.0F", sums[i].wrong[p]);
        table_cells(&t, "%.0F | %u of %u", sums[i].deadlocks, sums[i].with_races, sums[i].cases);
    }
    table_end(&t, form, file);
}

void print_weak_seeds(const char *folder, enum form form, FILE *file)
{
    cJSON *study = read_study(folder, "seeds");
    const cJSON *rows = cJSON_GetObjectItem(study, "rows"), *row;
    struct sum *sums = allocate(((size_t)cJSON_GetArraySize(rows) + 1) * sizeof *sums);
    size_t count = 0;
    cJSON_ArrayForEach(row, rows) add_row(sum_of(sums, &count, row), row);
    if (count)
        qsort(sums, count, sizeof *sums, by_name_and_blocks);
    print_sums(sums, count, form, file);
    free(sums);
}
