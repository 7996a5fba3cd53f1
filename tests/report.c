/* Tests of reading results and of making tables: known answers, and every table of every folder.
 * tests/golden/tables.sums has the texts of tables. */
#include "report/papers/papers.h"
#include "report/compare.h"
#include "report/formula.h"
#include "report/results.h"
#include "report/table.h"
#include "report/tables.h"
#include "tests/check.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool shows(double value, int digits, const char *expected)
{
    return strcmp(made("%.*F", digits, value), expected) == 0;
}

/* Returns the text that a table prints in this form; the caller frees it. */
static char *printed(const struct table *t, enum form form)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    table_print(t, form, file);
    table_finish(file);
    fclose(file);
    return text;
}

/* Checks that the intervals computed for the difference and the quotient of two numbers, each known as an
 * interval, contain every possible value. */
static void check_intervals(void)
{
    struct timing beyond = time_beyond((struct timing){10, 9, 12}, (struct timing){4, 3, 5}),
                  ratio = time_ratio((struct timing){10, 9, 12}, (struct timing){4, 3, 6});
    check(shows(beyond.us, 2, "6") && shows(beyond.low, 2, "4") && shows(beyond.high, 2, "9"),
          "a time beyond another one is at least the least less the most (%g to %g)", beyond.low,
          beyond.high);
    check(shows(ratio.us, 2, "2.5") && shows(ratio.low, 2, "1.5") && shows(ratio.high, 2, "4"),
          "a ratio is at least the least over the most (%g to %g)", ratio.low, ratio.high);
}

/* Checks that a card counts as an outlier if its time differs by many deviations and also by a large enough
 * share. */
static void check_outside(void)
{
    struct fleet_number alike = {.median = 100, .deviation = 0.001},
                        spread = {.median = 100, .deviation = 20};
    check(!is_outside(&alike, 100.1) && is_outside(&alike, 150),
          "cards that are almost equal are no outsiders");
    check(!is_outside(&spread, 110) && !is_outside(&spread, 90), "nor is a card within the usual spread");
}

static void check_form(const struct table *t, enum form form, const char *name, const char *expected)
{
    char *text = printed(t, form);
    check(strcmp(text, expected) == 0, "a table as %s", name);
    free(text);
}

static void check_tables_forms(void)
{
    struct table t = {NULL, 0};
    table_add(&t, "name | value");
    table_add(&t, "%s | %.2F", "<b>&\"x'", 1.5);
    check_form(&t, FORM_TEXT, "text", "name     value\n<b>&\"x'  1.5\n");
    check_form(&t, FORM_MARKDOWN, "Markdown", "| name | value |\n|---|---|\n| <b>&\"x' | 1.5 |\n");
    check_form(
        &t, FORM_HTML, "HTML, with what is reserved replaced",
        "<table>\n<thead>\n<tr><th scope=\"col\">name</th><th scope=\"col\">value</th></tr>\n</thead>\n"
        "<tbody>\n<tr><td>&lt;b&gt;&amp;&quot;x&#39;</td><td>1.5</td></tr>\n</tbody>\n</table>\n");
    check_form(&t, FORM_CSV, "CSV, with a quotation mark in quotation marks and doubled",
               "name,value\n\"<b>&\"\"x'\",1.5\n");
    table_free(&t);
}

/* ---- formulas; tests/golden/tables.sums has what most of them give ---- */

static struct value computed(const char *formula)
{
    struct sources sources = {.folder = "results/reference/machine-gtx280"};
    return formula_value(formula, &sources);
}

static void check_formulas(void)
{
    check(computed("2 + 3 * 4 - 6 / (1 + 2)").is == 12, "products come before sums, and brackets first");
    check(strstr(computed("of_size('fft@papersizes', 'none', 999)").missing,
                 "no such size in fft@papersizes") &&
              strstr(computed("round('fft@paper', 'none', 999)").missing,
                     "no such number of blocks in fft@paper") &&
              *computed("round('micro-barrier', 'watchers', all)").missing,
          "what was not measured has its name");
    check(*computed("0 / 0").missing, "0 / 0 is no value");
    check(computed("least_at('bitonic@paper', 'lock-based', 9, 30)").is == 18 &&
              computed("least_at('swat@paper', 'lock-based', 9, 30)").is == 21,
          "the fastest number of blocks is one of the range and of the variant");
}

/* Checks that each table of the folder prints enough text. The form changes from table to table, and from
 * folder to folder. */
static void check_folder_tables(const char *folder, size_t number)
{
    size_t count;
    const struct tables *tables = all_tables(&count);
    for (size_t i = 0; i < count; i++) {
        if (!table_is_possible(&tables[i], folder))
            continue;
        enum form form = (enum form)(FORM_TEXT + (i + number) % (FORM_HTML - FORM_TEXT + 1));
        char *text = NULL;
        size_t bytes;
        FILE *file = open_memstream(&text, &bytes);
        print_tables_of(&tables[i], folder, form, file);
        table_finish(file);
        fclose(file);
        size_t least =
            /* the table of causes is only a header, and in JSON an empty array, if all claims hold */
            strcmp(tables[i].name, "causes") == 0 ? form == FORM_JSON ? 2 : 10 : 100;
        check(bytes > least, "%s: the table %s has a form %d", folder, tables[i].name, (int)form);
        free(text);
    }
}

int main(void)
{
    check(shows(1.005, 1, "1") && shows(2.50, 2, "2.5") && shows(10, 0, "10") && shows(100, 2, "100"),
          "numbers end with their last digit");
    check(shows(-0.001, 2, "0") && shows(NAN, 1, "-") && shows(INFINITY, 1, "-"), "no number is a dash");
    check_intervals();
    check_outside();
    check_tables_forms();
    check_formulas();
    DIR *results = opendir("results/reference");
    struct dirent *entry;
    size_t number = 0;
    while (results && (entry = readdir(results))) {
        char folder[300];
        snprintf(folder, sizeof folder, "results/reference/%s", entry->d_name);
        if (!strchr(entry->d_name, '.')) /* neither a file nor the folder itself */
            check_folder_tables(folder, number++);
    }
    if (results)
        closedir(results);
    return checks_done();
}
