#include "report/tables.h"
#include "report/causes.h"
#include "report/cost.h"
#include "report/needs.h"
#include "report/rows.h"
#include "report/shuffle.h"

#include <stdio.h>
#include <string.h>

/* What is no row of formulas: judgements of claims, models computed step by step, counts over points, searches for the
 * best. The others are in the tables.txt of the rooms. */
static const struct tables coded[] = {
    {"claims", "", "What the papers claim, and what holds here",
     "micro-barrier|micro-latency|micro-producer-consumer|study", NULL, print_claims, 0, 0},
    {"causes", "causes", "What the papers print and their GPUs' machines do not, and why", NULL, has_causes,
     print_causes, 0, 0},
    {"micro", "cost", "What a barrier costs", "micro-barrier", NULL, print_micro, 0, 0},
    {"cost", "cost", "What a barrier or a hop costs with a block on every multiprocessor", NULL,
     has_cost_of_all, print_cost_of_all, 0, 0},
    {"best", "algorithms", "Few barriers beside the libraries", "fft@few|bitonic@few|sum@one-pass-graph",
     NULL, print_best, 0, 0},
    {"residency", "cost", "While others hold multiprocessors", "micro-residency", NULL, print_residency, 0,
     0},
    {"shuffle", "shuffles", "Shuffles and shared memory", NULL, has_shuffle_model, print_shuffle, 0, 0},
    {"litmus", "memory", "Outcomes of litmus tests", "micro-litmus", NULL, print_litmus, 0, 0},
    {"weak-memory-seeds", "memory", "Weak memory: every barrier, lock and channel, many seeds",
     "weak-memory/seeds", NULL, print_weak_seeds, 0, 0},
    {"weak-memory-cost", "memory", "Weak memory: what it costs", "weak-memory/cost", NULL, print_weak_cost, 0,
     0},
    {"bounds", "sums", "The bounds of Nakano 2013, Table 1", "study", NULL, print_bounds, 0, 0},
    {"instructions", "machine", "Instructions, counted on the GPU and on the machine",
     "counts/machine-instructions", NULL, print_instructions, 0, 0},
    {"fidelity", "machine", "Predicted and measured", "predicted/micro-components", NULL, print_fidelity, 0,
     0},
    {"worst-predictions", "machine", "The ten variants whose predictions are worst, by their worst point",
     "predicted/micro-components", NULL, print_worst_predictions, 0, 0},
};
#define CODED (sizeof coded / sizeof *coded)

const struct tables *all_tables(size_t *count)
{
    static struct tables list[MOST_TABLES];
    static size_t known;
    if (!known) {
        memcpy(list, coded, sizeof coded);
        known = rows_add_tables(list, CODED);
    }
    *count = known;
    return list;
}

const struct tables *table_of_name(const char *name)
{
    size_t count;
    const struct tables *list = all_tables(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    return NULL;
}

void print_tables_of(const struct tables *table, const char *folder, enum form form, FILE *file)
{
    if (table->rows_end)
        rows_print(table->rows_first, table->rows_end, folder, form, file);
    if (table->print)
        table->print(folder, form, file);
}

bool table_is_possible(const struct tables *table, const char *folder)
{
    return table->has ? table->has(folder) : folder_has(folder, table->needs);
}
