#include "report/documents.h"
#include "base/failure.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/formula.h"
#include "report/table.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#define NUMBERS "docs/numbers.txt"
#define TEMPLATES "docs/templates/"
#define SEPARATOR " | "
#define MARK_BEGINS "{{"
#define MARK_ENDS "}}"
#define REPORT_BEGINS MARK_BEGINS "report "
#define PRINTED_BEGINS MARK_BEGINS "printed by "

static void __attribute__((noreturn)) refuse(const struct lines *lines, const char *what, const char *more)
{
    fail(EXIT_BAD_INPUT, "%s:%zu: %s%s", lines->path, lines->number, what, more);
}

/* ---- reading docs/numbers.txt ---- */

struct device {
    char *name;   /* the device's NAME in docs/numbers.txt, with which its keys begin */
    char *folder; /* name of the device's folder in results/reference/ */
};

struct number {
    char *key, *formula;
    const char *folder; /* name of the folder in results/reference/ from which the number is computed */
    int digits;         /* largest number of digits of the printed number after the decimal point */
    size_t line;        /* number of the key's line in docs/numbers.txt */
    bool is_used;       /* whether a template uses the key */
};

struct numbers {
    struct device *devices;
    struct number *all;
    size_t device_count, count;
};

/* Returns the folder of the device with whose name the key begins; exits if there is none. */
static const char *folder_of(const struct numbers *numbers, const char *key, const struct lines *lines)
{
    size_t length = strcspn(key, ".");
    for (size_t i = 0; i < numbers->device_count; i++) {
        const struct device *device = &numbers->devices[i];
        if (strlen(device->name) == length && strncmp(device->name, key, length) == 0)
            return device->folder;
    }
    refuse(lines, "no device row has the name that this key begins with: ", key);
}

static struct number *find_number(const struct numbers *numbers, const char *key)
{
    for (size_t i = 0; i < numbers->count; i++)
        if (strcmp(numbers->all[i].key, key) == 0)
            return &numbers->all[i];
    return NULL;
}

static void add_device(struct numbers *numbers, const char *name, const char *folder)
{
    numbers->devices = with_room(numbers->devices, sizeof *numbers->devices, numbers->device_count, 1);
    numbers->devices[numbers->device_count++] = (struct device){copy_text(name), copy_text(folder)};
}

/* Adds the number of a row "KEY | FORMULA % DIGITS" of docs/numbers.txt; `text` is what stands after the
 * bar. */
static void add_number(struct numbers *numbers, const char *key, char *text, const struct lines *lines)
{
    char *percent = strrchr(text, '%');
    long long digits;
    if (!percent || percent == text || percent[-1] != ' ' || percent[1] != ' ' ||
        !parse_whole(percent + 2, 0, 9, &digits))
        refuse(lines, "the key's formula does not end with % DIGITS: ", key);
    if (find_number(numbers, key))
        refuse(lines, "the key stands twice: ", key);
    percent[-1] = '\0';
    numbers->all = with_room(numbers->all, sizeof *numbers->all, numbers->count, 1);
    numbers->all[numbers->count++] = (struct number){.key = copy_text(key),
                                                     .formula = copy_text(text),
                                                     .folder = folder_of(numbers, key, lines),
                                                     .digits = (int)digits,
                                                     .line = lines->number};
}

static struct numbers read_numbers(void)
{
    static const char device[] = "device ", drawing[] = "drawing ";
    struct numbers numbers = {0};
    struct lines lines = lines_open(NUMBERS);
    while (lines_next(&lines)) {
        char *separator = strstr(lines.text, SEPARATOR);
        if (!*lines.text || *lines.text == '#')
            continue;
        if (!separator)
            refuse(&lines, "a row without" SEPARATOR ": ", lines.text);
        *separator = '\0';
        char *rest = separator + strlen(SEPARATOR);
        if (strncmp(lines.text, device, strlen(device)) == 0)
            add_device(&numbers, lines.text + strlen(device), rest);
        else if (strncmp(lines.text, drawing, strlen(drawing)) != 0)
            add_number(&numbers, lines.text, rest, &lines);
    }
    lines_close(&lines);
    return numbers;
}

static void print_number(const struct number *number, FILE *out)
{
    struct sources sources = {.folder = made("results/reference/%s", number->folder)};
    struct value value = formula_value(number->formula, &sources);
    if (*value.missing)
        fail(EXIT_BAD_INPUT, NUMBERS ":%zu: %s has no value: %s", number->line, number->key, value.missing);
    fputs(made("%.*F", number->digits, value.is), out);
}

/* ---- one document ---- */

typedef void (*report_printer)(int count, char **arguments, FILE *file);

static bool begins_with(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* Prints a template's line with each mark {{KEY}} replaced by the key's number. */
static void print_line(const struct lines *lines, struct numbers *numbers, FILE *out)
{
    const char *at = lines->text, *begin;
    while ((begin = strstr(at, MARK_BEGINS))) {
        const char *end = strstr(begin, MARK_ENDS);
        if (!end)
            refuse(lines, "a mark without " MARK_ENDS, "");
        fwrite(at, 1, (size_t)(begin - at), out);
        char *key = copy_text(begin + strlen(MARK_BEGINS));
        key[end - begin - (ptrdiff_t)strlen(MARK_BEGINS)] = '\0';
        struct number *number = find_number(numbers, key);
        if (!number)
            refuse(lines, NUMBERS " has no key ", key);
        number->is_used = true;
        print_number(number, out);
        free(key);
        at = end + strlen(MARK_ENDS);
    }
    fprintf(out, "%s\n", at);
}

#define MOST_WORDS 16

static void print_block(const struct lines *lines, report_printer print, FILE *out)
{
    char *words[MOST_WORDS], *text = copy_text(lines->text + strlen(REPORT_BEGINS)), *rest = text;
    char *end = strstr(text, MARK_ENDS);
    int count = 0;
    if (!end || end[strlen(MARK_ENDS)])
        refuse(lines, "a line that does not end after the mark's " MARK_ENDS, "");
    *end = '\0';
    while (rest && count < MOST_WORDS)
        words[count++] = strsep(&rest, " ");
    print(count, words, out);
    free(text);
}

static void print_document(const char *path, struct numbers *numbers, report_printer print, FILE *out)
{
    struct lines lines = lines_open(path);
    while (lines_next(&lines))
        if (begins_with(lines.text, REPORT_BEGINS))
            print_block(&lines, print, out);
        else if (!begins_with(lines.text, PRINTED_BEGINS))
            print_line(&lines, numbers, out);
        else if (!lines_next(&lines) || *lines.text)
            refuse(&lines, "no empty line after " PRINTED_BEGINS "COMMAND" MARK_ENDS, "");
    lines_close(&lines);
    fprintf(out, "\n<!-- made from %s by `make documents` -->\n", path);
}

/* ---- all documents ---- */

/* Makes the document of one template. Returns whether the document differed from what the template gives.
 * With `only_check` the document is not written. */
static bool make_document(const char *template, struct numbers *numbers, report_printer print,
                          bool only_check)
{
    const char *path = template + strlen(TEMPLATES);
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        fail(EXIT_CANNOT, "no memory for %s", path);
    print_document(template, numbers, print, out);
    fclose(out);
    char *present = file_text(path);
    bool differs = !present || strcmp(present, text) != 0;
    if (differs)
        printf("%s %s\n", path, only_check ? "is not what its template gives" : "is made anew");
    if (differs && !only_check) {
        struct new_file file = file_begin(path);
        fputs(text, file.file);
        file_finish(&file);
    }
    free(present);
    free(text);
    return differs;
}

size_t make_documents(report_printer print, bool only_check)
{
    static const char *const patterns[] = {TEMPLATES "*.md", TEMPLATES "*/*.md", TEMPLATES "*/*/*.md"};
    static struct numbers numbers; /* static, since its texts are needed until the program ends */
    numbers = read_numbers();
    glob_t found = {0};
    size_t different = 0;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        glob(patterns[i], i ? GLOB_APPEND : 0, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc; i++)
        different += make_document(found.gl_pathv[i], &numbers, print, only_check);
    globfree(&found);
    for (size_t i = 0; i < numbers.count; i++)
        if (!numbers.all[i].is_used)
            fail(EXIT_BAD_INPUT, NUMBERS ":%zu: no template has the key %s", numbers.all[i].line,
                 numbers.all[i].key);
    return different;
}
