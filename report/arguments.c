#include "report/arguments.h"
#include "base/failure.h"
#include "base/text.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum kind { FLAG, FORM, UNIT, NUMBER, TEXT, SHARE };

#define AT(member) offsetof(struct arguments, member)
static const struct option_row {
    enum option option;
    /* `value` is the name of the option's value in --help, or NULL if the option has no value */
    const char *name, *value;
    enum kind kind; /* how the value is read */
    size_t at;      /* offset of the option's value in struct arguments */
    const char *help;
} rows[] = {
    {OPTION_FORMAT, "format", "FORM", FORM, AT(form),
     "table (default; also text), csv, markdown, json or html; csv and json leave out\n"
     "sentences; several tables follow each other, and are an array in json"},
    {OPTION_UNIT, "unit", "UNIT", UNIT, AT(unit), "us (default), ns, or cycles of the device's clock"},
    {OPTION_BLOCKS, "blocks", "N", NUMBER, AT(blocks),
     "one number of blocks (default: one on every multiprocessor)"},
    {OPTION_THREADS, "threads", "T", NUMBER, AT(threads),
     "one number of threads in a block (default: that of the result micro-barrier, often 256)"},
    {OPTION_ALL, "all", NULL, FLAG, AT(all), "every row, also those that are left out without it"},
    {OPTION_POINTS, "points", NULL, FLAG, AT(points), "every point that is compared"},
    {OPTION_ONLY, "only", "LIST", TEXT, AT(only),
     "compare only these results or variants, for example micro-barrier or\ncounter,grid-sync"},
    {OPTION_FAIL_SLOWER, "fail-slower", "P%", SHARE, AT(fail_slower),
     "exit with status 1, and name the points, if B is slower by more than P percent:\n"
     "if the whole interval of a ratio is above that, of any point, printed or not"},
    {OPTION_CHECK, "check", NULL, FLAG, AT(check), "only tell which documents differ"},
};
#define ROWS (sizeof rows / sizeof *rows)

static const struct option_row *row_of(unsigned accepted, const char *name, size_t length)
{
    for (size_t i = 0; i < ROWS; i++)
        if ((accepted & rows[i].option) && strlen(rows[i].name) == length &&
            strncmp(rows[i].name, name, length) == 0)
            return &rows[i];
    return NULL;
}

static void __attribute__((noreturn)) refuse(const char *command, unsigned accepted, const char *option)
{
    const char *names[ROWS + 1] = {"help"};
    size_t count = 1;
    char meant[NEAREST_BYTES];
    for (size_t i = 0; i < ROWS; i++)
        if (accepted & rows[i].option)
            names[count++] = rows[i].name;
    const char *name = made("%.*s", (int)strcspn(option, "="), option + strspn(option, "-"));
    fail(EXIT_BAD_INPUT, "%s is no option of `%s %s`%s (%s %s --help lists its options)", option,
         program_name(), command, did_you_mean(meant, "--", name, names, count), program_name(), command);
}

static double number_of_value(const char *name, const char *text)
{
    long long number;
    if (!parse_whole(text, 1, 1000000, &number))
        fail(EXIT_BAD_INPUT, "--%s is a whole number from 1 to 1000000, not \"%s\"", name, text);
    return (double)number;
}

static double share_of_value(const char *text)
{
    size_t length = strlen(text);
    double percent;
    if (!parse_double(made("%.*s", (int)(length && text[length - 1] == '%' ? length - 1 : length), text),
                      &percent) ||
        !(percent >= 0 && percent <= 1000))
        fail(EXIT_BAD_INPUT, "--fail-slower is a percentage such as 5%%, not \"%s\"", text);
    return percent / 100;
}

static void store(struct arguments *a, const struct option_row *row, const char *value)
{
    void *to = (char *)a + row->at;
    if (row->kind == FLAG)
        *(bool *)to = true;
    else if (row->kind == FORM)
        a->form = form_of(value);
    else if (row->kind == UNIT) {
        a->unit = unit_of(value);
        a->in_unit = true;
    } else if (row->kind == TEXT)
        *(const char **)to = value;
    else
        *(double *)to = row->kind == NUMBER ? number_of_value(row->name, value) : share_of_value(value);
}

struct arguments arguments_read(const char *command, unsigned accepted, int count, char **words)
{
    struct arguments a = {.words = words, .form = FORM_TEXT, .blocks = -1, .threads = -1, .fail_slower = NAN};
    bool ended = false;
    for (int i = 0; i < count; i++) {
        char *word = words[i];
        if (ended || word[0] != '-' || !word[1]) {
            words[a.count++] = word;
            continue;
        }
        if ((ended = strcmp(word, "--") == 0))
            continue;
        size_t length = strcspn(word, "=");
        const struct option_row *row =
            strncmp(word, "--", 2) == 0 ? row_of(accepted, word + 2, length - 2) : NULL;
        if (!row)
            refuse(command, accepted, word);
        bool has_value = word[length] == '=';
        if (!row->value && has_value)
            fail(EXIT_BAD_INPUT, "--%s has no value", row->name);
        if (row->value && !has_value && i + 1 == count)
            fail(EXIT_BAD_INPUT, "--%s needs a value: --%s %s", row->name, row->name, row->value);
        store(&a, row, !row->value ? "" : has_value ? word + length + 1 : words[++i]);
    }
    return a;
}

void arguments_take_form(struct arguments *a, int place)
{
    if (place >= a->count)
        return;
    if (place == 0 && !is_form(a->words[0]))
        fail(EXIT_BAD_INPUT, "no argument is taken here, and \"%s\" is no form", a->words[0]);
    a->form = form_of(a->words[place]);
    a->count--;
    memmove(&a->words[place], &a->words[place + 1], (size_t)(a->count - place) * sizeof *a->words);
}

void arguments_take_last_form(struct arguments *a)
{
    const char *last = a->count > 1 ? a->words[a->count - 1] : "";
    if (is_form(last) && access(last, F_OK) != 0) {
        a->form = form_of(last);
        a->count--;
    }
}

void arguments_help(unsigned accepted, FILE *file)
{
    for (size_t i = 0; i < ROWS; i++) {
        if (!(accepted & rows[i].option))
            continue;
        int used = fprintf(file, "  --%s%s%s", rows[i].name, rows[i].value ? " " : "",
                           rows[i].value ? rows[i].value : "");
        const char *text = rows[i].help;
        for (size_t length; *text; text += length + (text[length] == '\n'), used = 0) {
            length = strcspn(text, "\n");
            fprintf(file, "%*s%.*s\n", used < 22 ? 22 - used : 1, "", (int)length, text);
        }
    }
}
