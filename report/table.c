#include "report/table.h"
#include "base/failure.h"
#include "base/memory.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum form form_of(const char *name)
{
    static const char *const names[] = {"text", "markdown", "json", "html"};
    for (int i = 0; i < 4; i++)
        if (strcmp(name, names[i]) == 0)
            return (enum form)i;
    fail(EXIT_BAD_INPUT, "the form is text, markdown, json or html, not \"%s\"", name);
}

char *fixed(char text[32], double value, int digits)
{
    if (!isfinite(value))
        return strcpy(text, "-");
    snprintf(text, 32, "%.*f", digits, value);
    char *end = text + strlen(text);
    if (strchr(text, '.')) {
        while (end[-1] == '0')
            *--end = '\0';
        if (end[-1] == '.')
            *--end = '\0';
    }
    return strcmp(text, "-0") == 0 ? strcpy(text, "0") : text;
}

void table_row(struct table *t)
{
    t->rows = with_room(t->rows, sizeof *t->rows, t->count, 1);
    t->rows[t->count++] = (struct row){NULL, 0};
}

static void free_row(const struct row *row)
{
    for (size_t c = 0; c < row->count; c++)
        free(row->cells[c]);
    free(row->cells);
}

void table_drop_row(struct table *t)
{
    free_row(&t->rows[--t->count]);
}

static void add_cell(struct table *t, const char *text)
{
    struct row *row = &t->rows[t->count - 1];
    row->cells = with_room(row->cells, sizeof *row->cells, row->count, 1);
    row->cells[row->count++] = copy_text(text);
}

void table_text(struct table *t, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add_cell(t, text);
}

void table_number(struct table *t, double value, int digits)
{
    char text[32];
    add_cell(t, fixed(text, value, digits));
}

/* ---- forms ---- */

static size_t columns(const struct table *t)
{
    size_t most = 0;
    for (size_t r = 0; r < t->count; r++)
        most = t->rows[r].count > most ? t->rows[r].count : most;
    return most;
}

static void print_text(const struct table *t, FILE *file)
{
    size_t *widths = allocate(columns(t) * sizeof *widths);
    for (size_t r = 0; r < t->count; r++)
        for (size_t c = 0; c < t->rows[r].count; c++)
            if (strlen(t->rows[r].cells[c]) > widths[c])
                widths[c] = strlen(t->rows[r].cells[c]);
    for (size_t r = 0; r < t->count; r++)
        for (size_t c = 0; c < t->rows[r].count; c++) {
            bool last = c + 1 == t->rows[r].count;
            fprintf(file, "%-*s%s", last ? 0 : (int)widths[c], t->rows[r].cells[c], last ? "\n" : "  ");
        }
    free(widths);
}

static void print_markdown(const struct table *t, FILE *file)
{
    for (size_t r = 0; r < t->count; r++) {
        for (size_t c = 0; c < t->rows[r].count; c++)
            fprintf(file, "%s %s", c ? " |" : "|", t->rows[r].cells[c]);
        fputs(" |\n", file);
        if (r)
            continue;
        for (size_t c = 0; c < t->rows[r].count; c++)
            fputs("|---", file);
        fputs("|\n", file);
    }
}

static void print_json(const struct table *t, FILE *file)
{
    cJSON *rows = cJSON_CreateArray();
    for (size_t r = 0; r < t->count; r++)
        cJSON_AddItemToArray(
            rows, cJSON_CreateStringArray((const char *const *)t->rows[r].cells, (int)t->rows[r].count));
    char *text = cJSON_Print(rows);
    fprintf(file, "%s\n", text);
    free(text);
    cJSON_Delete(rows);
}

void print_html(FILE *file, const char *text)
{
    for (; *text; text++) {
        static const char reserved[] = "&<>\"'";
        static const char *const replaced[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
        const char *found = strchr(reserved, *text);
        if (found)
            fputs(replaced[found - reserved], file);
        else if ((unsigned char)*text >= ' ' || *text == '\n')
            fputc(*text, file);
    }
}

/* Returns the HTML attribute that colours a cell with a verdict, or "" for any other cell. */
static const char *class_of(const char *cell)
{
    static const char *const classes[][2] = {{"holds", " class=\"holds\""},
                                             {"cannot tell", " class=\"part\""},
                                             {"reversed", " class=\"reversed\""}};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (strcmp(cell, classes[i][0]) == 0)
            return classes[i][1];
    return strncmp(cell, "not measurable", 14) == 0 ? " class=\"none\"" : "";
}

static void print_html_table(const struct table *t, FILE *file)
{
    fputs("<table>\n<thead>\n", file);
    for (size_t r = 0; r < t->count; r++) {
        fputs("<tr>", file);
        for (size_t c = 0; c < t->rows[r].count; c++) {
            fprintf(file, r ? "<td%s>" : "<th scope=\"col\"%s>", class_of(t->rows[r].cells[c]));
            print_html(file, t->rows[r].cells[c]);
            fputs(r ? "</td>" : "</th>", file);
        }
        fputs(r ? "</tr>\n" : "</tr>\n</thead>\n<tbody>\n", file);
    }
    fputs(t->count ? "</tbody>\n</table>\n" : "</thead>\n</table>\n", file);
}

void table_print(const struct table *t, enum form form, FILE *file)
{
    void (*const printers[])(const struct table *, FILE *) = {print_text, print_markdown, print_json,
                                                              print_html_table};
    printers[form](t, file);
}

void table_free(struct table *t)
{
    for (size_t r = 0; r < t->count; r++)
        free_row(&t->rows[r]);
    free(t->rows);
    *t = (struct table){NULL, 0};
}
