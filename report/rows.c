#include "report/rows.h"
#include "base/failure.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const lines[] = {
#include "table_rows.h"
};
#define LINES (sizeof lines / sizeof *lines)
#define SEPARATOR " | "

/* ---- the state while the lines of tables.txt are made into tables ---- */

#define MOST_COLUMNS 32

struct maker {
    struct scope scope;
    struct table table;
    enum form form;
    FILE *file;
    size_t printed; /* number of tables of the group that have been printed */
    struct column {
        char text[64];
        /* name of the column's result. The column's cells use the result's first point or, if `member` is
         * not NULL, the point of the row's variant whose `member` has the value `text`. */
        char file[64];
        const char *member;
    } columns[MOST_COLUMNS];
    size_t column_count;
    bool is_left_out; /* rows are skipped at present, because the condition of a line `when` does not hold */
};

/* ---- points ---- */

static void take_point(struct maker *m, struct result *r, const cJSON *p)
{
    static const char *const members[] = {"size", "blocks", "threads"};
    const char *variant = text_of(p, "variant");
    m->scope.sources.result = r;
    m->scope.sources.point = p;
    if (!p)
        return;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        name_is(&m->scope, members[i], made("%.15g", number_of(p, members[i])));
    name_is(&m->scope, "variant", variant);
    name_is(&m->scope, "kind", made("%.*s", (int)strcspn(variant, "-"), variant));
    name_is(&m->scope, "stem", made("%.*s", (int)strcspn(variant, "+"), variant));
}

/* Returns a row's cell for one column. Its formulas use the point of the column instead of the point of the
 * row. */
static struct cell cell_of_column(struct maker *m, const struct column *column, const char *text)
{
    const struct sources kept = m->scope.sources;
    name_is(&m->scope, "column", column->text);
    struct result *r = result_need(m->scope.sources.folder, substituted(&m->scope, column->file));
    const cJSON *point = r->points->child;
    if (column->member) {
        for (; point; point = point->next)
            if (point_is(point, text_of(kept.point, "variant")) &&
                number_of(point, column->member) == strtod(column->text, NULL))
                break;
    }
    m->scope.sources.result = r;
    m->scope.sources.point = point;
    struct cell cell = cell_of(&m->scope, text);
    m->scope.sources.result = kept.result;
    m->scope.sources.point = kept.point;
    return cell;
}

/* ---- rows ---- */

static void add_row(struct maker *m, const char *text, bool is_optional)
{
    char copy[CELL_BYTES], *rest = copy;
    bool has_numbers = false;
    size_t columns = 0;
    snprintf(copy, sizeof copy, "%s", text);
    table_row(&m->table);
    while (rest) {
        char *cell = rest, *end = strstr(rest, SEPARATOR);
        rest = end ? end + strlen(SEPARATOR) : NULL;
        if (end)
            *end = '\0';
        bool is_starred = strncmp(cell, "* ", 2) == 0;
        for (size_t i = 0; i < (is_starred ? m->column_count : 1); i++) {
            struct cell made =
                is_starred ? cell_of_column(m, &m->columns[i], cell + 2) : cell_of(&m->scope, cell);
            table_cells(&m->table, "%s", made.text);
            has_numbers = has_numbers || (columns++ && made.has_all_numbers);
        }
    }
    if (is_optional && !has_numbers)
        table_drop_row(&m->table);
}

static const char *behind(const char *line, const char *word)
{
    size_t length = strlen(word);
    return strncmp(line, word, length) == 0 ? line + length : NULL;
}

static void end_table(struct maker *m)
{
    if (m->table.count) {
        if (m->printed++ && m->form != FORM_JSON)
            fputc('\n', m->file);
        table_print(&m->table, m->form, m->file);
    }
    table_free(&m->table);
    m->column_count = 0;
}

static void run_row(struct maker *m, const char *line)
{
    const char *rest;
    if (m->is_left_out)
        return;
    if ((rest = behind(line, "row ")))
        add_row(m, rest, false);
    else if ((rest = behind(line, "row? ")))
        add_row(m, rest, true);
    else
        refuse_row(line);
}

/* ---- columns ---- */

static int compare_columns(const void *a, const void *b)
{
    double x = strtod(((const struct column *)a)->text, NULL),
           y = strtod(((const struct column *)b)->text, NULL);
    return (x > y) - (x < y);
}

static void add_column(struct maker *m, const char *text, const char *file, const char *member)
{
    for (size_t i = 0; i < m->column_count; i++)
        if (strcmp(m->columns[i].text, text) == 0)
            return;
    if (m->column_count == MOST_COLUMNS)
        fail(EXIT_BAD_INPUT, "a table has more than %d columns", MOST_COLUMNS);
    struct column *column = &m->columns[m->column_count++];
    *column = (struct column){.member = member};
    snprintf(column->text, sizeof column->text, "%s", text);
    snprintf(column->file, sizeof column->file, "%s", file);
}

/* Makes the columns of a line `columns FILE MEMBER`: one for each value that MEMBER has in the points of
 * FILE. `text` is "FILE MEMBER". */
static void columns_of_member(struct maker *m, const char *text)
{
    const char *blank = strchr(text, ' ');
    if (!blank)
        refuse_row(text);
    const char *member = blank + 1, *file = made("%.*s", (int)(blank - text), text);
    struct result *r = result_need(m->scope.sources.folder, file);
    FOR_EACH_POINT(p, r)
    add_column(m, made("%.15g", number_of(p, member)), file, member);
    qsort(m->columns, m->column_count, sizeof *m->columns, compare_columns);
}

/* Makes the columns of a line `columns A B ... : FILE`: one for each of A, B, ... whose FILE is a result.
 * `text` is "A B ... : FILE", and `file` points at FILE. */
static void columns_of_files(struct maker *m, const char *text, const char *file)
{
    char *words = copy_text(made("%.*s", (int)(file - text - 3), text)), *rest;
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        name_is(&m->scope, "column", word);
        if (result_is_one(m->scope.sources.folder, substituted(&m->scope, file)))
            add_column(m, word, file, NULL);
    }
    free(words);
}

static void make_columns(struct maker *m, const char *text)
{
    const char *colon = strstr(text, " : ");
    if (colon)
        columns_of_files(m, text, colon + 3);
    else
        columns_of_member(m, text);
}

/* ---- loops ---- */

struct block {
    /* the lines of tables.txt that a loop repeats, by their numbers: from `first` to `end` - 1 */
    size_t first, end;
};

static void run_block(struct maker *m, struct block block)
{
    for (size_t i = block.first; i < block.end; i++)
        run_row(m, lines[i]);
}

static bool fits(const cJSON *p, const char *member, const char *value)
{
    const char *text = text_of(p, member);
    if (*value == '*')
        return strlen(text) >= strlen(value + 1) &&
               strcmp(text + strlen(text) - strlen(value + 1), value + 1) == 0;
    return *text ? strcmp(text, value) == 0 : number_of(p, member) == strtod(value, NULL);
}

/* Returns whether the point meets all conditions in the text "MEMBER=VALUE ...". */
static bool fits_all(const cJSON *p, const char *conditions)
{
    char copy[128], *rest;
    snprintf(copy, sizeof copy, "%s", conditions);
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *equals = strchr(word, '=');
        if (!equals)
            refuse_row(conditions);
        *equals = '\0';
        if (!fits(p, word, equals + 1))
            return false;
    }
    return true;
}

/* Makes the rows of a loop for each point that fits the conditions. `variant` is the only variant whose
 * points count, or NULL for all variants. */
static void run_points(struct maker *m, struct block block, struct result *r, const char *conditions,
                       const char *variant)
{
    FOR_EACH_POINT(p, r)
    if ((!variant || point_is(p, variant)) && fits_all(p, conditions)) {
        take_point(m, r, p);
        run_block(m, block);
    }
}

static void each_variant(struct maker *m, struct block block, struct result *r, bool all_points)
{
    FOR_EACH_VARIANT(v, r)
    {
        if (all_points) {
            run_points(m, block, r, "", v->variant);
            continue;
        }
        take_point(m, r, v->points[0]);
        run_block(m, block);
    }
}

static void add_variants(const struct result *r, const char *but, const char ***all, size_t *count)
{
    FOR_EACH_VARIANT(v, r)
    {
        const char *name = v->variant;
        size_t at = 0;
        while (at < *count && strcmp((*all)[at], name) != 0)
            at++;
        if (at < *count || is_baseline(name) || is_library(name) || strcmp(name, but) == 0)
            continue;
        *all = with_room(*all, sizeof **all, *count, 1);
        (*all)[(*count)++] = name;
    }
}

/* Makes the rows of a loop for each variant that any of the files has, except A, libraries and loops without
 * barriers. `text` is "A of FILE...". */
static void each_variant_of_several(struct maker *m, struct block block, const char *text)
{
    char words[256], *rest;
    const char **names = NULL;
    size_t count = 0;
    snprintf(words, sizeof words, "%s", text);
    const char *but = strtok_r(words, " ", &rest);
    strtok_r(NULL, " ", &rest);
    for (char *file = strtok_r(NULL, " ", &rest); file; file = strtok_r(NULL, " ", &rest)) {
        struct result *r = result_open(m->scope.sources.folder, file);
        if (r)
            add_variants(r, but, &names, &count);
    }
    if (count)
        qsort(names, count, sizeof *names, compare_texts);
    for (size_t i = 0; i < count; i++) {
        name_is(&m->scope, "variant", names[i]);
        run_block(m, block);
    }
    free(names);
}

static void run_loop(struct maker *m, const char *text, struct block block)
{
    const char *several = behind(text, "variant but "), *variant = behind(text, "variant ");
    if (several) {
        each_variant_of_several(m, block, several);
        return;
    }
    const char *begin = variant ? variant : text;
    size_t length = strcspn(begin, " ");
    const char *conditions = begin + length + (begin[length] == ' ');
    struct result *r = result_need(m->scope.sources.folder, made("%.*s", (int)length, begin));
    bool by_variant = strcmp(conditions, "by variant") == 0;
    if (variant || by_variant)
        each_variant(m, block, r, by_variant);
    else
        run_points(m, block, r, conditions, NULL);
    take_point(m, NULL, NULL);
}

/* ---- a group of tables: what follows a line `table` ---- */

static bool is_row(const char *line)
{
    return behind(line, "row ") || behind(line, "row? ");
}

/* Returns the result of the first loop after a table's head, because the head may use the loop's first point.
 * Returns NULL if no loop follows. */
static struct result *result_of_loop(const struct maker *m, size_t line, size_t end)
{
    for (size_t i = line; i < end && !behind(lines[i], "next"); i++) {
        const char *text = behind(lines[i], "each ");
        if (!text || behind(text, "variant but"))
            continue;
        text = behind(text, "variant ") ? behind(text, "variant ") : text;
        return result_need(m->scope.sources.folder, made("%.*s", (int)strcspn(text, " "), text));
    }
    return NULL;
}

static void run_head(struct maker *m, const char *cells, size_t at, size_t end)
{
    struct result *r = result_of_loop(m, at, end);
    take_point(m, r, r ? r->points->child : NULL);
    add_row(m, cells, false);
    take_point(m, NULL, NULL);
}

static size_t run_command(struct maker *m, size_t at, size_t end)
{
    const char *line = lines[at], *rest;
    if ((rest = behind(line, "let "))) {
        size_t length = strcspn(rest, " ");
        name_is(&m->scope, made("%.*s", (int)length, rest), rest + length + 1);
    } else if ((rest = behind(line, "columns "))) {
        make_columns(m, rest);
    } else if ((rest = behind(line, "needs "))) {
        const struct result *r =
            result_need(m->scope.sources.folder, made("%.*s", (int)strcspn(rest, ":"), rest));
        if ((rest = strchr(rest, ':')) && !result_has(r, rest + 1))
            fail(EXIT_BAD_INPUT, "the device of %s has no %ss", m->scope.sources.folder, rest + 1);
    } else if ((rest = behind(line, "when measured "))) {
        struct result *r = result_need(m->scope.sources.folder, rest);
        m->is_left_out = r->machine;
    } else if (strcmp(line, "when any") == 0) {
        m->is_left_out = false;
    } else if (strcmp(line, "next") == 0) {
        end_table(m);
    } else if ((rest = behind(line, "each "))) {
        struct block block = {at + 1, at + 1};
        while (block.end < end && is_row(lines[block.end]))
            block.end++;
        run_loop(m, rest, block);
        return block.end;
    } else if ((rest = behind(line, "head "))) {
        run_head(m, rest, at, end);
    } else {
        run_row(m, line);
    }
    return at + 1;
}

void rows_print(const struct row_group *group, const char *folder, enum form form, FILE *file)
{
    struct maker *m = allocate(sizeof *m);
    *m = (struct maker){.scope = {.sources = {.folder = folder}}, .form = form, .file = file};
    for (size_t at = group->first; at < group->end;)
        at = run_command(m, at, group->end);
    end_table(m);
    free(m);
}

/* Returns the group that a line `table` begins. `text` is what stands after the word `table`: "NAME |
 * QUESTION | TITLE | NEEDS", or a name alone, which adds rows to a table of report/tables.c. */
static struct row_group read_group(const char *text)
{
    struct row_group group = {0};
    char *rest = copy_text(text);
    const char **const fields[] = {&group.name, &group.question, &group.title, &group.needs};
    for (size_t i = 0; i < sizeof fields / sizeof *fields && rest; i++) {
        char *end = strstr(rest, SEPARATOR);
        *fields[i] = rest;
        rest = end ? end + strlen(SEPARATOR) : NULL;
        if (end)
            *end = '\0';
    }
    return group;
}

const struct row_group *row_groups(size_t *count)
{
    static struct row_group *groups;
    static size_t known;
    if (!groups)
        for (size_t at = 0; at < LINES; at++) {
            const char *text = behind(lines[at], "table ");
            if (text) {
                groups = with_room(groups, sizeof *groups, known, 1);
                groups[known] = read_group(text);
                groups[known++].first = at + 1;
            }
            if (known)
                groups[known - 1].end = at + 1;
        }
    *count = known;
    return groups;
}
