#include "report/formula.h"
#include "base/memory.h"
#include "report/table.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what formulas read ---- */

const struct result *sources_result(struct sources *s, const char *name)
{
    const struct result *r = result_open(s->folder, name);
    if (!s->first)
        s->first = r;
    return r;
}

void sources_note(struct sources *s, const struct result *result, const cJSON *point, bool searched)
{
    if (!point || !s->notes)
        return;
    s->reads = with_room(s->reads, sizeof *s->reads, s->read_count, 1);
    s->reads[s->read_count++] = (struct read){result, point, searched};
}

void sources_note_reads(struct sources *s)
{
    s->notes = true;
    s->read_count = 0;
}

void sources_close(struct sources *s)
{
    free(s->reads);
    s->reads = NULL;
    s->read_count = 0;
}

/* ---- reading a formula ---- */

/* The text of a formula, and the position up to which it has been read. */
struct reader {
    const char *text, *at;
    struct sources *sources;
};

static void __attribute__((noreturn)) refuse(const struct reader *r)
{
    refuse_formula(r->text, r->at);
}

static void skip_blanks(struct reader *r)
{
    r->at += strspn(r->at, " ");
}

static bool take(struct reader *r, char c)
{
    skip_blanks(r);
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static void need(struct reader *r, char c)
{
    if (!take(r, c))
        refuse(r);
}

/* ---- calls ---- */

static int count_of(const char *arguments)
{
    int count = *arguments != '\0';
    for (; *arguments; arguments++)
        count += *arguments == ',';
    return count;
}

/* Returns function number `i` of the tables of functions, counted through all of them, or NULL after the last
 * one. */
static const struct formula_function *function_at(size_t i)
{
    const struct {
        const struct formula_function *functions;
        size_t count;
    } tables[] = {{formula_functions, formula_functions_count},
                  {block_functions, block_functions_count},
                  {paper_functions, paper_functions_count},
                  {study_functions, study_functions_count}};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; i -= tables[t++].count)
        if (i < tables[t].count)
            return &tables[t].functions[i];
    return NULL;
}

static const struct formula_function *function_of(const char *name, int arguments)
{
    const struct formula_function *f;
    for (size_t i = 0; (f = function_at(i)); i++)
        if (strcmp(f->name, name) == 0 && count_of(f->arguments) == arguments)
            return f;
    return NULL;
}

/* Reads the arguments of a call, "(ARGUMENT, ...)". An argument is a name in quotes, a number or a word. */
static void read_arguments(struct reader *r, struct call *call)
{
    need(r, '(');
    if (take(r, ')'))
        return;
    do {
        bool quoted = take(r, '\'');
        size_t length = strcspn(r->at, quoted ? "'" : ",) ");
        if (!length || length >= sizeof *call->argument || call->count == MOST_ARGUMENTS)
            refuse(r);
        snprintf(call->argument[call->count++], sizeof *call->argument, "%.*s", (int)length, r->at);
        r->at += length;
        if (quoted)
            need(r, '\'');
    } while (take(r, ','));
    need(r, ')');
}

static struct value read_call(struct reader *r, const char *name)
{
    struct call call = {.sources = r->sources, .formula = r->text};
    const char *began = r->at;
    read_arguments(r, &call);
    call.rest = r->at;
    const struct formula_function *function = function_of(name, call.count);
    if (!function)
        refuse_formula(r->text, began);
    if (strncmp(function->arguments, "FILE", 4) == 0 && !function->reads) {
        call.result = sources_result(r->sources, call.argument[0]);
        if (!call.result)
            return value_missing("no result", call.argument[0]);
    }
    /* The returned value has copies of the texts that it takes from the call. cppcheck does not see that they
     * are copies. */
    // cppcheck-suppress returnDanglingLifetime
    return function->value(&call);
}

/* ---- arithmetic ---- */

static struct value read_sum(struct reader *r);

static struct value read_extreme(struct reader *r, char operation)
{
    need(r, '(');
    struct value v = read_sum(r);
    while (take(r, ','))
        v = value_combine(operation, v, read_sum(r));
    need(r, ')');
    return v;
}

static struct value read_factor(struct reader *r)
{
    if (take(r, '(')) {
        struct value v = read_sum(r);
        need(r, ')');
        return v;
    }
    if (isdigit((unsigned char)*r->at)) {
        char *end;
        double number = strtod(r->at, &end);
        r->at = end;
        return value_exactly(number);
    }
    char name[32];
    size_t length = strspn(r->at, "abcdefghijklmnopqrstuvwxyz_0123456789");
    if (!length || length >= sizeof name)
        refuse(r);
    snprintf(name, sizeof name, "%.*s", (int)length, r->at);
    r->at += length;
    if (strcmp(name, "min") == 0 || strcmp(name, "max") == 0)
        return read_extreme(r, strcmp(name, "min") == 0 ? 'm' : 'M');
    return read_call(r, name);
}

static struct value read_product(struct reader *r)
{
    struct value v = read_factor(r);
    for (;;)
        if (take(r, '*'))
            v = value_combine('*', v, read_factor(r));
        else if (take(r, '/'))
            v = value_combine('/', v, read_factor(r));
        else
            return v;
}

static struct value read_sum(struct reader *r)
{
    struct value v = read_product(r);
    for (;;)
        if (take(r, '+'))
            v = value_combine('+', v, read_product(r));
        else if (take(r, '-'))
            v = value_combine('-', v, read_product(r));
        else
            return v;
}

struct value formula_value(const char *formula, struct sources *sources)
{
    struct reader r = {formula, formula, sources};
    struct value v = read_sum(&r);
    skip_blanks(&r);
    if (*r.at)
        refuse(&r);
    /* A NaN without the name of a missing value comes from 0 / 0, if the device does not have the quantities
     * of the formula. A memory machine has no registers, for example. */
    return isnan(v.is) && !*v.missing ? value_missing("0 / 0", "") : v;
}

/* ---- the results that a formula reads ---- */

const char *formula_source(const char *formula)
{
    const char *quote = strchr(formula, '\'');
    const struct formula_function *f;
    for (size_t i = 0; (f = function_at(i)); i++)
        if (f->reads && *f->reads && strstr(formula, made("%s(", f->name)))
            return f->reads;
    return quote ? made("%.*s", (int)strcspn(quote + 1, "'"), quote + 1) : "";
}

/* ---- help ---- */

void print_formula_help(FILE *file)
{
    fputs(
        "A formula is made of numbers, + - * /, parentheses, min(A, B), max(A, B) and the functions below.\n"
        "\n"
        "FILE names a result in single quotes: 'fft' is the main sweep of fft.json, 'fft@sizes' its sweep\n"
        "\"sizes\", and 'fft@paper,main' its sweep \"paper\", or the main sweep if there is no \"paper\".\n"
        "VARIANT, A, B, KERNEL, NAME, ... are names in single quotes, too.\n"
        "BLOCKS is a number of blocks, or\n"
        "    all           one block on every multiprocessor\n"
        "    any           the variant's first point\n"
        "    best          the variant's fastest point\n"
        "    best:OTHER    as many blocks as the variant OTHER has where it is fastest\n"
        "    largest       the variant's point of the largest size\n"
        "A median has its 95 % interval, which a formula carries along.\n",
        file);
    const struct formula_function *f;
    for (size_t i = 0; (f = function_at(i)); i++)
        fprintf(file, "\n%s(%s)\n    %s\n", f->name, f->arguments, f->help);
}
