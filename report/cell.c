#include "report/rows.h"
#include "base/failure.h"
#include "report/results.h"
#include "report/value.h"
#include "report/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void refuse_row(const char *text)
{
    fail(EXIT_BAD_INPUT, "cannot read the row \"%s\" of a table", text);
}

void name_is(struct scope *s, const char *name, const char *text)
{
    size_t i = 0;
    while (i < s->name_count && strcmp(s->names[i].name, name) != 0)
        i++;
    if (i == MOST_NAMES)
        fail(EXIT_BAD_INPUT, "a table has more than %d names", MOST_NAMES);
    s->name_count = i == s->name_count ? i + 1 : s->name_count;
    snprintf(s->names[i].name, sizeof s->names[i].name, "%s", name);
    snprintf(s->names[i].text, sizeof s->names[i].text, "%s", text);
}

static const char *text_of_name(const struct scope *s, const char *name, size_t length)
{
    for (size_t i = 0; i < s->name_count; i++)
        if (strlen(s->names[i].name) == length && strncmp(s->names[i].name, name, length) == 0)
            return s->names[i].text;
    return NULL;
}

/* Does the work of substituted(). `depth` ends names that stand in each other's texts. */
static const char *replaced(const struct scope *s, const char *text, int depth)
{
    const char *out = "";
    for (size_t length; *text; text += length) {
        size_t of_name = *text == '$' ? strspn(text + 1, "abcdefghijklmnopqrstuvwxyz_") : 0;
        const char *is = of_name && depth < 8 ? text_of_name(s, text + 1, of_name) : NULL;
        length = is ? 1 + of_name : 1 + strcspn(text + 1, "$");
        out = is ? made("%s%s", out, replaced(s, is, depth + 1)) : made("%s%.*s", out, (int)length, text);
    }
    return out;
}

const char *substituted(const struct scope *s, const char *text)
{
    return replaced(s, text, 0);
}

static void put(struct cell *cell, const char *text)
{
    size_t used = strlen(cell->text);
    snprintf(cell->text + used, sizeof cell->text - used, "%s", text);
}

static double value_of(struct scope *s, const char *formula)
{
    return formula_value(formula, &s->sources).is;
}

static void note_number(struct cell *cell, double value)
{
    cell->has_all_numbers = (!cell->numbers++ || cell->has_all_numbers) && isfinite(value);
}

static void expand(struct scope *s, const char *text, struct cell *cell);

/* Returns a result whose device's clock rate converts the times of the cell: a result that a formula of this
 * row or of an earlier row has read. */
static const struct result *result_of_scope(const struct scope *s)
{
    return s->sources.first ? s->sources.first : s->sources.result;
}

/* Converts a time in milliseconds or microseconds (*unit says which) to the unit chosen by --unit. If cycles
 * were chosen, a paper's time stays as it is, because the paper's GPU has another clock rate. */
static void convert(const struct scope *s, const char *formula, double *value, int *digits, const char **unit)
{
    static const char *const names[] = {[UNIT_US] = " us", [UNIT_NS] = " ns", [UNIT_CYCLES] = " cycles"};
    enum unit to = unit_chosen();
    bool is_ms = strcmp(*unit, " ms") == 0, is_papers = strncmp(formula, "paper(", 6) == 0;
    const struct result *r = result_of_scope(s);
    if (to == UNIT_AS_WRITTEN || !(is_ms || strcmp(*unit, " us") == 0) ||
        (to == UNIT_CYCLES && (is_papers || !r)))
        return;
    *value *= (is_ms ? 1000 : 1) * unit_factor(to, r);
    *digits = unit_digits(to, is_ms ? unit_digits(UNIT_NS, *digits) : *digits);
    *unit = names[to];
}

/* Adds the value of a formula to the cell. `text` is "FORMULA % DIGITS UNIT : TEXT" (report/rows.h);
 * `percent` points at its %. */
static void add_number(struct scope *s, char *text, char *percent, struct cell *cell)
{
    char *end, *otherwise = strstr(percent, " : ");
    if (otherwise)
        *otherwise = '\0';
    *percent = '\0';
    int digits = (int)strtol(percent + 1, &end, 10);
    double value = value_of(s, text);
    const char *unit = end;
    convert(s, text, &value, &digits, &unit);
    note_number(cell, value);
    if (isinf(value) && value > 0 && otherwise) {
        expand(s, otherwise + 3, cell);
        return;
    }
    put(cell, isinf(value) && value < 0 ? "always" : made("%.*F", digits, value));
    if (isfinite(value))
        put(cell, unit);
}

/* Adds "SLOPE n + CONSTANT" to the cell, and leaves out a term that is 0. `text` has the two formulas as
 * "SLOPE ; CONSTANT". */
static void add_line(struct scope *s, char *text, struct cell *cell)
{
    char *semicolon = strchr(text, ';');
    if (!semicolon)
        refuse_row(text);
    *semicolon = '\0';
    double slope = value_of(s, text), constant = value_of(s, semicolon + 1);
    bool has_slope = slope != 0 && !isnan(slope), has_constant = constant != 0 || !has_slope;
    if (has_slope)
        put(cell, made(has_constant ? "%.3F n + " : "%.3F n", slope));
    if (has_constant)
        put(cell, made("%.3F", constant));
}

static void add_text(const struct scope *s, const char *text, struct cell *cell)
{
    size_t length = strcspn(text, " ");
    struct result *r = result_need(s->sources.folder, made("%.*s", (int)length, text));
    put(cell, text[length] ? text_of(r->json, text + length + 1) : how(r));
}

/* Computes a braced expression of a cell (report/rows.h) and adds the result to the cell. `text` is what
 * stands between the braces. */
static void add_braced(struct scope *s, char *text, struct cell *cell)
{
    char *condition = strstr(text, " ? "), *percent = strchr(text, '%');
    if (strncmp(text, "line ", 5) == 0) {
        add_line(s, text + 5, cell);
    } else if (strncmp(text, "how ", 4) == 0) {
        add_text(s, text + 4, cell);
    } else if (strncmp(text, "text ", 5) == 0) {
        add_text(s, text + 5, cell);
    } else if (condition) {
        *condition = '\0';
        if (value_of(s, text) > 0)
            expand(s, condition + 3, cell);
    } else if (percent) {
        add_number(s, text, percent, cell);
    } else {
        refuse_row(text);
    }
}

/* Returns the position of the brace that closes the brace at `open`. */
static const char *closing(const char *open)
{
    int depth = 0;
    for (const char *at = open; *at; at++) {
        depth += (*at == '{') - (*at == '}');
        if (!depth)
            return at;
    }
    refuse_row(open);
}

static void expand(struct scope *s, const char *text, struct cell *cell)
{
    for (const char *open; (open = strchr(text, '{')); text = closing(open) + 1) {
        char part[CELL_BYTES];
        snprintf(part, sizeof part, "%.*s", (int)(open - text), text);
        put(cell, part);
        snprintf(part, sizeof part, "%.*s", (int)(closing(open) - open - 1), open + 1);
        add_braced(s, part, cell);
    }
    put(cell, text);
}

struct cell cell_of(struct scope *s, const char *text)
{
    struct cell cell = {"", false, 0};
    expand(s, substituted(s, text), &cell);
    return cell;
}
