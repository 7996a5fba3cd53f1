#include "check/termination/expected.h"
#include "base/failure.h"
#include "base/memory.h"
#include "base/text.h"
#include "check/termination/decide.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 16, OF_FILE = -1, OF_NOTHING = -2 };

struct columns {
    /* for each column of the table: the number of the model whose verdicts the column has, OF_FILE for the
     * column `file`, or OF_NOTHING for a comment */
    int of[MOST_COLUMNS];
    int count;
};

static struct columns read_columns(const struct lines *lines)
{
    struct columns columns = {.count = 0};
    int files = 0, models = 0;
    for (char *rest = lines->text, *cell; (cell = strsep(&rest, ",")); columns.count++) {
        if (columns.count == MOST_COLUMNS)
            fail(EXIT_BAD_INPUT, "%s:1: more than %d columns", lines->path, MOST_COLUMNS);
        int model = (int)progress_model_of(cell);
        bool is_file = strcmp(cell, "file") == 0, is_model = model < PROGRESS_MODELS;
        files += is_file;
        models += is_model;
        columns.of[columns.count] = is_file ? OF_FILE : is_model ? model : OF_NOTHING;
    }
    if (files != 1 || !models)
        fail(EXIT_BAD_INPUT, "%s:1: the columns must be file and models (Fair, HSA, OBE, LOBE, HSA_OBE)",
             lines->path);
    return columns;
}

/* Reads the program `file`, a path relative to the table's folder. */
static struct progress_program *read_beside(const char *table, const char *file)
{
    char path[4096];
    const char *slash = strrchr(table, '/');
    int folder = slash ? (int)(slash + 1 - table) : 0;
    if ((size_t)snprintf(path, sizeof path, "%.*s%s", folder, table, file) >= sizeof path)
        fail(EXIT_BAD_INPUT, "the name of a file is too long: %.40s...", file);
    return progress_read(path);
}

static struct expected_program read_row(const struct lines *lines, const struct columns *columns)
{
    struct expected_program row = {.program = NULL};
    int column = 0;
    for (char *rest = lines->text, *cell; (cell = strsep(&rest, ",")); column++) {
        int of = column < columns->count ? columns->of[column] : OF_NOTHING;
        if (of == OF_FILE)
            row.program = read_beside(lines->path, cell);
        if (of < 0 || !*cell)
            continue;
        if (strcmp(cell, "0") != 0 && strcmp(cell, "1") != 0)
            fail(EXIT_BAD_INPUT, "%s:%zu: a verdict must be 0, 1 or empty, not \"%.40s\"", lines->path,
                 lines->number, cell);
        row.known |= 1u << of;
        row.ends |= *cell == '1' ? 1u << of : 0;
    }
    if (column != columns->count || !row.program)
        fail(EXIT_BAD_INPUT, "%s:%zu: the line has %d columns and the first line %d", lines->path,
             lines->number, column, columns->count);
    return row;
}

struct expected expected_read(const char *path)
{
    struct expected expected = {NULL, 0};
    struct lines lines = lines_open(path);
    if (!lines_next(&lines))
        fail(EXIT_BAD_INPUT, "%s is empty", path);
    struct columns columns = read_columns(&lines);
    while (lines_next(&lines)) {
        if (!lines.length)
            continue;
        expected.items = with_room(expected.items, sizeof *expected.items, (size_t)expected.count, 1);
        expected.items[expected.count++] = read_row(&lines, &columns);
    }
    lines_close(&lines);
    if (!expected.count)
        fail(EXIT_BAD_INPUT, "%s names no file", path);
    return expected;
}

void expected_forget(struct expected *expected)
{
    for (int i = 0; i < expected->count; i++)
        free(expected->items[i].program);
    free(expected->items);
}
