#include "report/tsv.h"
#include "base/failure.h"
#include "base/memory.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_rows(const void *a, const void *b)
{
    return strcmp(((const struct tsv_row *)a)->cells[0], ((const struct tsv_row *)b)->cells[0]);
}

static struct tsv_row read_row(const struct lines *lines)
{
    struct tsv_row row;
    char *rest = lines->text;
    for (size_t i = 0; i < TSV_CELLS; i++) {
        char *cell = strsep(&rest, "\t");
        row.cells[i] = copy_text(cell ? cell : "");
    }
    if (rest)
        fail(EXIT_BAD_INPUT, "%s:%zu: more than %d cells", lines->path, lines->number, TSV_CELLS);
    return row;
}

struct tsv tsv_read(const char *folder, const char *file)
{
    char path[600];
    struct tsv tsv = {.heading = copy_text("")};
    snprintf(path, sizeof path, "%.400s/%.150s.tsv", folder, file);
    struct lines lines = lines_open(path);
    while (lines_next(&lines)) {
        if (strncmp(lines.text, "# ", 2) == 0) {
            free(tsv.heading);
            tsv.heading = copy_text(lines.text + 2);
            continue;
        }
        tsv.rows = with_room(tsv.rows, sizeof *tsv.rows, tsv.count, 1);
        tsv.rows[tsv.count++] = read_row(&lines);
    }
    lines_close(&lines);
    if (tsv.count)
        qsort(tsv.rows, tsv.count, sizeof *tsv.rows, compare_rows);
    return tsv;
}

void tsv_free(struct tsv *tsv)
{
    for (size_t i = 0; i < tsv->count; i++)
        for (size_t cell = 0; cell < TSV_CELLS; cell++)
            free(tsv->rows[i].cells[cell]);
    free(tsv->rows);
    free(tsv->heading);
}

const struct tsv_row *tsv_find(const struct tsv *tsv, const char *name, size_t from)
{
    for (size_t i = from; i < tsv->count; i++)
        if (strcmp(tsv->rows[i].cells[0], name) == 0)
            return &tsv->rows[i];
    return NULL;
}

double tsv_number(const struct tsv_row *row, size_t cell)
{
    double number;
    if (!parse_double(row->cells[cell], &number))
        fail(EXIT_BAD_INPUT, "%s: \"%s\" is no number", row->cells[0], row->cells[cell]);
    return number;
}
