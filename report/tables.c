#include "report/tables.h"
#include "base/failure.h"
#include "report/causes.h"
#include "report/changed.h"
#include "report/claims.h"
#include "report/fidelity.h"
#include "report/needs.h"
#include "report/rows.h"

#include <stdio.h>
#include <string.h>

#define MOST_TABLES 64

static const struct tables general_tables[] = {
    {"claims-totals", "", "How many claims of each paper have which verdict here",
     "micro-barrier|micro-latency|micro-producer-consumer|study", NULL, print_claims_totals, NULL},
    {"causes", "causes", "What the papers print and their GPUs' machines do not, and why", NULL, has_causes,
     print_causes, NULL},
    {"changed", "changed", "Results whose kernel has changed since they were measured", NULL,
     has_changed_kernels, print_changed_kernels, NULL},
    {"fidelity", "machine", "Predicted and measured", "predicted/micro-components", NULL, print_fidelity,
     NULL},
    {"worst-predictions", "machine", "The ten variants whose predictions are worst, by their worst point",
     "predicted/micro-components", NULL, print_worst_predictions, NULL},
};

static struct tables *find(struct tables *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    return NULL;
}

static void add(struct tables *list, size_t *count, const struct tables *tables, size_t more)
{
    if (*count + more > MOST_TABLES)
        fail(EXIT_BAD_INPUT, "more than %d tables", MOST_TABLES);
    memcpy(&list[*count], tables, more * sizeof *tables);
    *count += more;
}

static void add_rows(struct tables *list, size_t *count, const struct row_group *rows)
{
    struct tables *coded = find(list, *count, rows->name);
    const struct tables alone = {.name = rows->name,
                                 .question = rows->question,
                                 .title = rows->title,
                                 .needs = rows->needs,
                                 .rows = rows};
    if (coded)
        coded->rows = rows;
    else
        add(list, count, &alone, 1);
}

const struct tables *all_tables(size_t *count)
{
    static struct tables list[MOST_TABLES];
    static size_t known;
    if (!known) {
        size_t groups;
        const struct row_group *rows = row_groups(&groups);
        add(list, &known, paper_tables, paper_tables_count);
        add(list, &known, general_tables, sizeof general_tables / sizeof *general_tables);
        for (size_t i = 0; i < groups; i++)
            add_rows(list, &known, &rows[i]);
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
    if (table->rows)
        rows_print(table->rows, folder, form, file);
    if (table->print)
        table->print(folder, form, file);
}

bool table_is_possible(const struct tables *table, const char *folder)
{
    return table->has ? table->has(folder) : folder_has(folder, table->needs);
}
