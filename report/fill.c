#include "report/fill.h"
#include "base/failure.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/formula.h"
#include "report/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FORMULAS "docs/numbers.txt"
#define NUMBER_BEGINS "<!--="
#define NUMBER_MARK_ENDS "-->"
#define NUMBER_ENDS "<!--/-->"
#define BLOCK_BEGINS "<!-- report "
#define BLOCK_ENDS "<!-- end -->"
#define MARK_ENDS " -->"

static void __attribute__((noreturn)) refuse(const struct lines *lines, const char *what, const char *more)
{
    fail(EXIT_BAD_INPUT, "%s:%zu: %s%s", lines->path, lines->number, what, more);
}

/* What stands behind "KEY | " in the list; NULL: no such line. To be freed. */
static char *formula_of(const char *key)
{
    struct lines list = lines_open(FORMULAS);
    char *formula = NULL;
    size_t length = strlen(key);
    while (lines_next(&list))
        if (strncmp(list.text, key, length) == 0 && strncmp(list.text + length, " | ", 3) == 0) {
            if (formula)
                refuse(&list, "there already is a key ", key);
            formula = copy_text(list.text + length + 3);
        }
    lines_close(&list);
    return formula;
}

/* "FOLDER: FORMULA % DIGITS" as its number. */
static void print_number(const struct lines *lines, char *text, FILE *out)
{
    char path[1100], number[32];
    char *colon = strstr(text, ": "), *percent = strrchr(text, '%');
    long long digits;
    if (!colon || !percent || !parse_whole(percent + 2, 0, 9, &digits))
        refuse(lines, "no FOLDER: FORMULA % DIGITS: ", text);
    *colon = '\0';
    percent[-1] = '\0';
    snprintf(path, sizeof path, "results/reference/%s", text);
    struct sources sources = {.folder = path};
    struct value v = formula_value(colon + 2, &sources);
    sources_close(&sources);
    if (*v.missing)
        refuse(lines, "no value: ", v.missing);
    fputs(fixed(number, v.is, (int)digits), out);
}

/* The line with its numbers computed. */
static void print_line(const struct lines *lines, FILE *out)
{
    const char *at = lines->text, *begin;
    while ((begin = strstr(at, NUMBER_BEGINS))) {
        const char *mark_end = strstr(begin, NUMBER_MARK_ENDS);
        const char *end = mark_end ? strstr(mark_end, NUMBER_ENDS) : NULL;
        if (!end)
            refuse(lines, "a mark without " NUMBER_ENDS, "");
        fwrite(at, 1, (size_t)(mark_end + strlen(NUMBER_MARK_ENDS) - at), out);
        char *key = copy_text(begin + strlen(NUMBER_BEGINS));
        *strstr(key, NUMBER_MARK_ENDS) = '\0';
        char *formula = formula_of(key);
        if (!formula)
            refuse(lines, "in " FORMULAS " there is no key ", key);
        print_number(lines, formula, out);
        free(formula);
        free(key);
        at = end;
    }
    fprintf(out, "%s\n", at);
}

#define MOST_WORDS 16

static void print_block(struct lines *lines, void (*print)(int count, char **arguments, FILE *file),
                        FILE *out)
{
    char *words[MOST_WORDS], *text = copy_text(lines->text + strlen(BLOCK_BEGINS)), *rest = text;
    int count = 0;
    fprintf(out, "%s\n", lines->text);
    if (!strstr(text, MARK_ENDS))
        refuse(lines, "a mark without its end", "");
    *strstr(text, MARK_ENDS) = '\0';
    while (rest && count < MOST_WORDS)
        words[count++] = strsep(&rest, " ");
    print(count, words, out);
    free(text);
    while (lines_next(lines))
        if (strcmp(lines->text, BLOCK_ENDS) == 0) {
            fputs(BLOCK_ENDS "\n", out);
            return;
        }
    refuse(lines, "no " BLOCK_ENDS " before the end", "");
}

void fill_document(const char *path, void (*print)(int count, char **arguments, FILE *file), FILE *out)
{
    struct lines lines = lines_open(path);
    while (lines_next(&lines))
        if (strncmp(lines.text, BLOCK_BEGINS, strlen(BLOCK_BEGINS)) == 0)
            print_block(&lines, print, out);
        else
            print_line(&lines, out);
    lines_close(&lines);
}
