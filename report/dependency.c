/*
 * Hops between blocks: what each way costs, by partners and by bytes; and the chain of layers that waits in these ways
 * (micro-dependency, micro-megakernel).
 */
#include "base/memory.h"
#include "report/results.h"
#include "report/tables.h"
#include "report/timing.h"

#include <stdlib.h>
#include <string.h>

/* "yes", or what was seen of one that is unordered. */
static const char *standing(const cJSON *p)
{
    if (is_true(p, "ordered"))
        return is_true(p, "verified") ? "yes" : "WRONG";
    return is_true(p, "verified") ? "no; not seen to fail" : "no; wrong data";
}

static void print_ways(const struct result *r, enum form form, FILE *file)
{
    struct table t = {NULL, 0};
    table_row(&t);
    table_text(&t, "a hop of %g bytes, one block to one", number_of(r->points->child, "size"));
    table_text(&t, "%s, ns", how(r));
    table_text(&t, "ordered");
    table_text(&t, "watts, all wait");
    FOR_EACH_POINT(p, r)
    {
        table_row(&t);
        table_text(&t, "%s", text_of(p, "variant"));
        table_number(&t, 1000 * operation_time(r, p).us, 0);
        table_text(&t, "%s", standing(p));
        table_number(&t, number_of(p, "watts_waiting"), 0);
    }
    table_print(&t, form, file);
    table_free(&t);
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The values that a member has, each once, rising; to be freed. */
static double *values_of(const struct result *r, const char *member, size_t *count)
{
    double *values = NULL;
    size_t all = 0;
    FOR_EACH_POINT(p, r)
    {
        values = with_room(values, sizeof *values, all, 1);
        values[all++] = number_of(p, member);
    }
    if (values)
        qsort(values, all, sizeof *values, compare_numbers);
    *count = 0;
    for (size_t i = 0; i < all; i++)
        if (!i || values[i] != values[i - 1])
            values[(*count)++] = values[i];
    return values;
}

/* Nanoseconds of an operation: a row for each variant, a column for each value of `member`. */
static void print_against(const struct result *r, const char *title, const char *member, double less,
                          enum form form, FILE *file)
{
    struct table t = {NULL, 0};
    size_t columns, rows;
    double *values = values_of(r, member, &columns);
    const char **names = result_variants(r, &rows);
    table_row(&t);
    table_text(&t, title, how(r));
    for (size_t c = 0; c < columns; c++)
        table_text(&t, "%g", values[c] - less);
    for (size_t v = 0; v < rows; v++) {
        table_row(&t);
        const cJSON *any = result_point(r, names[v], -1, -1, -1);
        table_text(&t, is_false(any, "ordered") ? "%s (unordered)" : "%s", names[v]);
        for (size_t c = 0; c < columns; c++) {
            const cJSON *p = strcmp(member, "size") == 0 ? result_point(r, names[v], -1, -1, values[c])
                                                         : result_point(r, names[v], values[c], -1, -1);
            char text[32];
            fixed(text, 1000 * operation_time(r, p).us, 0);
            table_text(&t, is_false(p, "verified") ? "%s, wrong" : "%s", text);
        }
    }
    table_print(&t, form, file);
    table_free(&t);
    free(values);
    free(names);
}

static void print_file(const char *folder, const char *name, const char *title, const char *member,
                       double less, enum form form, FILE *file)
{
    struct result *r = result_need(folder, name);
    print_against(r, title, member, less, form, file);
    result_close(r);
}

void print_hops(const char *folder, enum form form, FILE *file)
{
    struct result *r = result_need(folder, "micro-dependency");
    print_ways(r, form, file);
    result_close(r);
}

void print_hop_partners(const char *folder, enum form form, FILE *file)
{
    print_file(folder, "micro-dependency@fan", "ns a hop, %s, by partners", "blocks", 1, form, file);
}

void print_hop_bytes(const char *folder, enum form form, FILE *file)
{
    print_file(folder, "micro-dependency@bytes", "ns a hop, %s, by bytes", "size", 0, form, file);
}

void print_layers(const char *folder, enum form form, FILE *file)
{
    print_file(folder, "micro-megakernel", "ns a layer, %s, by its numbers", "size", 0, form, file);
}
