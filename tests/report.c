/*
 * Tests of reading results and of making tables: known answers, hostile texts, every table of every folder.
 *
 *     build/host/report           all tests
 *     build/host/report known     only the known answers
 */
#include "report/papers/papers.h"
#include "report/papers/study.h"
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

/* ---- tests of the bounds of Nakano 2013 ---- */

static void check_bound(const char *terms, double expected, const char *text)
{
    const struct bound_setting setting = {.n = 4096, .w = 16, .l = 256, .p = 64};
    cJSON *list = cJSON_Parse(terms);
    double value = bound_value(list, setting);
    check(value == expected && strcmp(bound_text(list), text) == 0,
          "%s is %g for 4,096 numbers, w = 16, l = 256, p = 64 (%g)", bound_text(list), expected, value);
    cJSON_Delete(list);
}

static void check_bounds(void)
{
    check_bound("[]", 0, "0");
    check_bound("[\"n/w\", \"n l/p\"]", 256 + 16384, "n/w + n l/p");
    check_bound("[\"n/w log w\", \"l log n\"]", 1024 + 3072, "n/w log w + l log n");
    check_bound("[\"log (n/w)\"]", 8, "log (n/w)");
    check_bound("[\"log n / log w\", \"log log w\"]", 3 + 2, "log n / log w + log log w");
    check_bound("[\"log l / log w\"]", 2, "log l / log w");
    check_bound("[\"3 n/w\", \"5 n/(w-1)\", \"2 n/(w-1) log w\"]", 768 + 4096 / 3. + 8192 * 4 / 15.,
                "3 n/w + 5 n/(w-1) + 2 n/(w-1) log w");
    check_bound("[\"9 l\", \"5 l ceil(log n / log w)\"]", 2304 + 3840, "9 l + 5 l ceil(log n / log w)");
    check(bound_of_n("5 n/(w-1)") && bound_of_n("n/w") && !bound_of_n("3 l log n"),
          "a term of n itself is told from one of log n");
}

/* ---- formulas; tests/known_device computes what most of them give ---- */

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

/* ---- tests on results that this test writes itself, so that it knows every number ---- */

static char made_folder[] = "/tmp/gpusync-report-XXXXXX";

static void made_path(const char *name, char *path, size_t bytes)
{
    snprintf(path, bytes, "%s/%.*s.json", made_folder, (int)strcspn(name, "@"), name);
}

/* A point of a result that this test writes, with the members that tables read; a member that a test does
 * not name is false or 0. */
struct made {
    const char *variant;
    bool ordered, verified, allowed;
    double size, median, low, high; /* `low` and `high` are the ends of the median's confidence interval */
    /* number of executions of a litmus test, of 1,000, with the outcome, and with a forbidden outcome */
    int seen, forbidden;
};

static const char *word(bool holds)
{
    return holds ? "true" : "false";
}

static void make_result(const char *name, const struct made *points, size_t count)
{
    char path[128];
    made_path(name, path, sizeof path);
    FILE *file = fopen(path, "w");
    const char *sweep = strchr(name, '@');
    if (sweep)
        fprintf(file, "{\"schema\": \"gpusync-result/1\", \"sweeps\": {\"%s\": ", sweep + 1);
    fprintf(file,
            "{\"schema\": \"gpusync-result/1\", \"experiment\": \"%s\", \"parameters\": {}, \"device\": "
            "{\"kind\": \"gpu\", \"name\": \"made\", \"sm_count\": 8, \"clock_hz\": 1e9}, \"points\": [",
            name);
    for (const struct made *p = points; p < points + count; p++)
        fprintf(file,
                "%s{\"variant\": \"%s\", \"ordered\": %s, \"verified\": %s, \"allowed\": %s, \"blocks\": 7, "
                "\"threads\": 64, \"size\": %g, \"median\": %g, \"ci95\": [%g, %g], \"operations\": 1, "
                "\"seen\": %d, \"forbidden\": %d, \"executions\": 1000}",
                p == points ? "" : ", ", p->variant, word(p->ordered), word(p->verified), word(p->allowed),
                p->size, p->median, p->low, p->high, p->seen, p->forbidden);
    fputs(sweep ? "]}}}" : "]}", file);
    fclose(file);
}
#define MAKE_RESULT(name, points) make_result(name, points, sizeof(points) / sizeof *(points))

static void remove_result(const char *name)
{
    char path[128];
    made_path(name, path, sizeof path);
    unlink(path);
}

/* Returns the text that the function `print` prints for the folder of made results; the caller frees it. */
static char *table_of(void (*print)(const char *folder, enum form form, FILE *file), enum form form)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    print(made_folder, form, file);
    fclose(file);
    return text;
}

static void check_best(void)
{
    static const struct made points[] = {
        {"counter", true, true, .size = 1024, .median = 3000, .low = 2700, .high = 3300},
        {"tree", true, true, .size = 1024, .median = 4000},
        {"courier", true, false, .size = 1024, .median = 1000},
        {"lock-free", false, true, .size = 1024, .median = 2000},
        {"tree", true, true, .size = 2048, .median = 100},
        {"cub-radix-sort", true, true, .size = 2048, .median = 5000},
        {"cub-radix-sort", true, true, .size = 1024, .median = 8000},
        {"cub-radix-sort", true, true, .size = 1024, .median = 6000, .low = 5000, .high = 6750}};
    MAKE_RESULT("bitonic@few", points);
    char *said = table_of(print_best, FORM_MARKDOWN);
    check(strstr(said, "| bitonic sort, 2^10 | - | 3 | counter, 7 | 6 | 0.5 [0.4, 0.66] | - | - | - |"),
          "the best is the fastest whose answer was verified and whose barrier is ordered: %s", said);
    free(said);
    remove_result("bitonic@few");
}

static void check_litmus(void)
{
    static const struct made points[] = {{"mp+weak", .allowed = true, .seen = 20, .forbidden = 500},
                                         {"mp+relaxed", .allowed = true},
                                         {"mp+relaxed+sc", .forbidden = 400}};
    MAKE_RESULT("micro-litmus", points);
    char *said = table_of(print_litmus, FORM_MARKDOWN);
    check(
        strstr(said, "\n| mp | 2 | 1 | 2 % | 2 | 2 | 8.9 % | 1 | 2 |") &&
            strstr(said, "\n| all | 2 | 1 | 2 % | 2 | 2 | 8.9 % | 1 | 2 |"),
        "how often an outcome came is of those that were asked for, not of forbidden ones, which are counted "
        "apart: %s",
        said);
    free(said);
    char *rows = NULL;
    size_t bytes;
    FILE *file = open_memstream(&rows, &bytes);
    struct result *r = result_need(made_folder, "micro-litmus");
    bool written = write_litmus(r, file);
    fclose(file);
    check(written && strstr(rows, "0\t0\t\"weak\"\t\"mp\"\t1\t0.02\t") == rows &&
              strstr(rows, "\n1\t0\t\"relaxed\"\t\"mp\"\t1\t0\t") &&
              strstr(rows, "\n2\t0\t\"relaxed+sc\"\t\"mp\"\t0\t0\t0\t0\n"),
          "so it is in the figure: %s", rows);
    free(rows);
    remove_result("micro-litmus");
}

int main(int argc, char **argv)
{
    /* `known` runs only the tests of known answers, because the tables of all folders take long */
    bool known = argc > 1 && strcmp(argv[1], "known") == 0;
    check(shows(1.005, 1, "1") && shows(2.50, 2, "2.5") && shows(10, 0, "10") && shows(100, 2, "100"),
          "numbers end with their last digit");
    check(shows(-0.001, 2, "0") && shows(NAN, 1, "-") && shows(INFINITY, 1, "-"), "no number is a dash");
    check_intervals();
    check_outside();
    check_tables_forms();
    check_bounds();
    check_formulas();
    if (!mkdtemp(made_folder))
        return 1;
    check_best();
    check_litmus();
    rmdir(made_folder);
    DIR *results = known ? NULL : opendir("results/reference");
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
