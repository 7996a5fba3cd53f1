/* One file because all forms print the rows of the same struct table. */
#include "report/table.h"
#include "base/failure.h"
#include "base/memory.h"
#include "base/text.h"
#include "harness/methods.h"

#include <cjson/cJSON.h>

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    enum form form;
} forms[] = {{"table", FORM_TEXT},        {"text", FORM_TEXT}, {"csv", FORM_CSV},
             {"markdown", FORM_MARKDOWN}, {"json", FORM_JSON}, {"html", FORM_HTML}};
#define FORMS (sizeof forms / sizeof *forms)
#define SEPARATOR " | "

bool is_form(const char *name)
{
    for (size_t i = 0; i < FORMS; i++)
        if (strcmp(name, forms[i].name) == 0)
            return true;
    return false;
}

enum form form_of(const char *name)
{
    const char *names[FORMS];
    char meant[NEAREST_BYTES];
    for (size_t i = 0; i < FORMS; i++) {
        names[i] = forms[i].name;
        if (strcmp(name, names[i]) == 0)
            return forms[i].form;
    }
    fail(EXIT_BAD_INPUT, "the form is table (or text), csv, markdown, json or html, not \"%s\"%s", name,
         did_you_mean(meant, "", name, names, FORMS));
}

bool is_for_programs(enum form form)
{
    return form == FORM_JSON || form == FORM_CSV;
}

/* Writes a number into `text`, with at most `digits` digits after the decimal point, or "-" if it is not
 * finite. */
static char *fix(char text[32], double value, int digits)
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

int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int place_in(const char *list, char separator, const char *word, size_t length)
{
    const char between[] = {separator, '\0'};
    for (int place = 0; list && *list; place++) {
        size_t end = strcspn(list, between);
        if (end == length && strncmp(list, word, length) == 0)
            return place;
        list += end + strspn(list + end, between);
    }
    return -1;
}

/* Prints what the conversion with which `format` begins makes of the next argument, by put(). Returns the
 * rest of the format. */
static const char *convert(const char *format, va_list *arguments, FILE *file,
                           void (*put)(FILE *file, const char *text))
{
    char one[32], text[1024];
    size_t length = strcspn(format + 1, "diucxsgfF%") + 2, star = strcspn(format, "*");
    if (star < length)
        snprintf(one, sizeof one, "%.*s%d%.*s", (int)star, format, va_arg(*arguments, int),
                 (int)(length - star - 1), format + star + 1);
    else
        snprintf(one, sizeof one, "%.*s", (int)length, format);
    const char *point = strchr(one, '.');
    char letter = format[length - 1];
    if (strcmp(one, "%s") == 0) {
        put(file, va_arg(*arguments, const char *));
        return format + length;
    }
    if (letter == 's')
        snprintf(text, sizeof text, one, va_arg(*arguments, const char *));
    else if (letter == 'F')
        fix(text, va_arg(*arguments, double), point ? (int)strtol(point + 1, NULL, 10) : 0);
    else if (letter == 'g' || letter == 'f')
        snprintf(text, sizeof text, one, va_arg(*arguments, double));
    else if (letter == '%')
        strcpy(text, "%");
    else if (strchr(one, 'z'))
        snprintf(text, sizeof text, one, va_arg(*arguments, size_t));
    else
        snprintf(text, sizeof text, one, va_arg(*arguments, int));
    put(file, text);
    return format + length;
}

static void put_plainly(FILE *file, const char *text)
{
    fputs(text, file);
}

/* Returns the text that the next arguments give by the format, which ends at the text `end` in it; the caller
 * frees it. If the format does not have `end`, or `end` is NULL, the whole format counts. *format becomes the
 * rest of the format after `end`, or "". */
static char *formatted(const char **format, const char *end, va_list *arguments)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    if (!file)
        fail(EXIT_CANNOT, "no memory");
    while (**format && !(end && strncmp(*format, end, strlen(end)) == 0))
        if (**format == '%')
            *format = convert(*format, arguments, file, put_plainly);
        else
            fputc(*(*format)++, file);
    *format += **format ? strlen(end) : 0;
    fclose(file);
    return text;
}

void texts_add(struct texts *texts, const char *text)
{
    texts->items = with_room(texts->items, sizeof *texts->items, texts->count, 1);
    texts->items[texts->count++] = text;
}

static struct texts all_made;

const char *made(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = formatted(&format, NULL, &arguments);
    va_end(arguments);
    texts_add(&all_made, text);
    return text;
}

void made_forget(void)
{
    for (size_t i = 0; i < all_made.count; i++)
        free((char *)all_made.items[i]);
    free(all_made.items);
    all_made = (struct texts){NULL, 0};
}

static void add_cells(struct table *t, const char *format, va_list *arguments)
{
    bool is_last;
    do {
        is_last = !strstr(format, SEPARATOR);
        struct row *row = &t->rows[t->count - 1];
        row->cells = with_room(row->cells, sizeof *row->cells, row->count, 1);
        row->cells[row->count++] = without_controls(formatted(&format, SEPARATOR, arguments));
    } while (!is_last);
}

void table_cells(struct table *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_cells(t, format, &arguments);
    va_end(arguments);
}

void table_add(struct table *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    table_row(t);
    add_cells(t, format, &arguments);
    va_end(arguments);
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

/* the tables that were printed as JSON since the last table_finish() */
static cJSON *finished;

/* Returns the length of the number of JSON with which the text begins, or 0. */
static size_t number_length(const char *text)
{
    size_t length = *text == '-' ? 1 : 0, digits = strspn(text + length, "0123456789");
    if (!digits || (digits > 1 && text[length] == '0'))
        return 0;
    length += digits;
    if (text[length] == '.' && (digits = strspn(text + length + 1, "0123456789")))
        length += 1 + digits;
    size_t sign = text[length] != 'e' ? 0 : text[length + 1] == '-' || text[length + 1] == '+' ? 2 : 1;
    if (sign && (digits = strspn(text + length + sign, "0123456789")))
        length += sign + digits;
    return length;
}

/* Returns the length of the unit that follows a number, with the blank before it: a word after a blank, "x"
 * or "%"; or 0. */
static size_t unit_length(const char *text)
{
    size_t blank = *text == ' ';
    if (text[blank] == 'x' || text[blank] == '%')
        return blank + 1;
    size_t letters = strspn(text + blank, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    return blank && letters ? blank + letters : 0;
}

/* Returns whether the text is an interval, such as "[1.5, 2]". */
static bool is_interval(const char *text)
{
    size_t low = *text == '[' ? number_length(text + 1) : 0, high;
    return low && strncmp(text + 1 + low, ", ", 2) == 0 && (high = number_length(text + low + 3)) &&
           strcmp(text + low + 3 + high, "]") == 0;
}

/* Returns a cell for programs: a number, an interval as an array of its ends, a number with a unit or an
 * interval as an object of these, null for "-", or the text. */
static cJSON *json_cell(const char *text)
{
    size_t number = number_length(text), unit = number ? unit_length(text + number) : 0;
    const char *rest = text + number + unit, *interval = rest + (*rest == ' ');
    if (strcmp(text, "-") == 0 || !*text)
        return cJSON_CreateNull();
    if (is_interval(text) || (number && !text[number]))
        return cJSON_CreateRaw(text);
    if (!number || (*rest && !is_interval(interval)))
        return cJSON_CreateString(text);
    cJSON *cell = cJSON_CreateObject();
    cJSON_AddRawToObject(cell, "value", made("%.*s", (int)number, text));
    if (unit)
        cJSON_AddStringToObject(cell, "unit", made("%.*s", (int)unit, text + number) + (text[number] == ' '));
    if (*rest)
        cJSON_AddRawToObject(cell, "interval", interval);
    return cell;
}

/* Returns the name of a column for programs: its head or, where another column has the same head or the
 * column has none, with the column's number. */
static const char *column_name(const struct table *t, size_t column)
{
    const struct row *head = &t->rows[0];
    const char *name = column < head->count ? head->cells[column] : "";
    bool is_taken = !*name;
    for (size_t c = 0; c < column && c < head->count; c++)
        is_taken = is_taken || strcmp(head->cells[c], name) == 0;
    return is_taken ? made("%s%s%zu", name, *name ? " " : "", column + 1) : name;
}

/* Notes the table as an array of its rows, each an object whose members have the names of the columns. */
static void print_json(const struct table *t, FILE *file)
{
    (void)file;
    cJSON *rows = cJSON_CreateArray();
    for (size_t r = 1; r < t->count; r++) {
        cJSON *row = cJSON_CreateObject();
        for (size_t c = 0; c < columns(t); c++)
            cJSON_AddItemToObject(row, column_name(t, c),
                                  json_cell(c < t->rows[r].count ? t->rows[r].cells[c] : "-"));
        cJSON_AddItemToArray(rows, row);
    }
    if (!finished)
        finished = cJSON_CreateArray();
    cJSON_AddItemToArray(finished, rows);
}

void table_finish(FILE *file)
{
    char *text = finished ? cJSON_Print(finished->child->next ? finished : finished->child) : NULL;
    if (text)
        fprintf(file, "%s\n", text);
    free(text);
    cJSON_Delete(finished);
    finished = NULL;
}

/* Prints the rows as CSV (RFC 4180) with line feeds at their ends: a cell with a comma, a quotation mark, a
 * carriage return or a line feed stands in quotation marks, and quotation marks in it are doubled. JSON has
 * the same columns. */
static void print_csv(const struct table *t, FILE *file)
{
    for (size_t r = 0; r < t->count; r++)
        for (size_t c = 0; c < columns(t); c++) {
            const char *cell = !r                     ? column_name(t, c)
                               : c < t->rows[r].count ? t->rows[r].cells[c]
                                                      : "",
                       *quote = strpbrk(cell, ",\"\r\n") ? "\"" : "";
            fprintf(file, "%s%s", c ? "," : "", quote);
            for (; *cell; cell++)
                fprintf(file, *cell == '"' ? "\"\"" : "%c", *cell);
            fprintf(file, "%s%s", quote, c + 1 == columns(t) ? "\n" : "");
        }
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

void html(FILE *file, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    while (*format)
        if (*format == '%')
            format = convert(format, &arguments, file, print_html);
        else
            fputc(*format++, file);
    va_end(arguments);
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

const char *named_plainly(const char *text)
{
    char *plain = plain_names_in(text);
    const char *copy = made("%s", plain);
    free(plain);
    return copy;
}

/* Names methods in all cells as readers do. Programs get the names that result files and options have. */
static void name_plainly(const struct table *t)
{
    for (size_t r = 0; r < t->count; r++)
        for (size_t c = 0; c < t->rows[r].count; c++) {
            char *cell = t->rows[r].cells[c];
            t->rows[r].cells[c] = plain_names_in(cell);
            free(cell);
        }
}

void table_print(const struct table *t, enum form form, FILE *file)
{
    if (!is_for_programs(form))
        name_plainly(t);
    void (*const printers[])(const struct table *, FILE *) = {print_text, print_markdown, print_json,
                                                              print_html_table, print_csv};
    printers[form](t, file);
}

/* Prints the text from column `column` on, in lines of at most `width` columns that are broken at blanks.
 * `used` columns of the first line have been printed. */
static void print_wrapped(const char *text, int used, int column, int width, FILE *file)
{
    bool is_first = true;
    while (*text) {
        int length = (int)strcspn(text, " ");
        bool breaks = !is_first && used + 1 + length > width;
        if (breaks)
            fprintf(file, "\n%*s", column, "");
        else if (!is_first)
            fputc(' ', file);
        fprintf(file, "%.*s", length, text);
        used = (breaks ? column : used + !is_first) + length;
        is_first = false;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', file);
}

void table_print_records(const struct table *t, int width, FILE *file)
{
    name_plainly(t);
    for (size_t r = 1; r < t->count; r++) {
        print_wrapped(t->rows[r].cells[0], 0, 4, width, file);
        for (size_t c = 1; c < t->rows[r].count && c < t->rows[0].count; c++)
            if (strcmp(t->rows[r].cells[c], "-") != 0)
                print_wrapped(t->rows[r].cells[c], fprintf(file, "    %s: ", t->rows[0].cells[c]), 8, width,
                              file);
    }
}

void table_free(struct table *t)
{
    for (size_t r = 0; r < t->count; r++)
        free_row(&t->rows[r]);
    free(t->rows);
    *t = (struct table){NULL, 0};
}

void table_end(struct table *t, enum form form, FILE *file)
{
    table_print(t, form, file);
    table_free(t);
}

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

const struct tsv *tsv_need(const char *stem)
{
    static struct tsv **kept;
    static size_t count;
    const char *path = made("%s.tsv", stem);
    for (size_t i = 0; i < count; i++)
        if (strcmp(kept[i]->path, path) == 0)
            return kept[i];
    struct lines lines = lines_open(path);
    struct tsv *tsv = allocate(sizeof *tsv);
    *tsv = (struct tsv){.path = copy_text(path), .heading = copy_text("")};
    while (lines_next(&lines)) {
        if (strncmp(lines.text, "# ", 2) == 0) {
            free(tsv->heading);
            tsv->heading = copy_text(lines.text + 2);
            continue;
        }
        tsv->rows = with_room(tsv->rows, sizeof *tsv->rows, tsv->count, 1);
        tsv->rows[tsv->count++] = read_row(&lines);
    }
    lines_close(&lines);
    if (tsv->count)
        qsort(tsv->rows, tsv->count, sizeof *tsv->rows, compare_rows);
    kept = with_room(kept, sizeof(struct tsv *), count, 1);
    return kept[count++] = tsv;
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
