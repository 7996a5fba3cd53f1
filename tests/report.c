/* Reading results and making tables of them: known answers, hostile texts, and every table of every folder. */
#include "report/results.h"
#include "report/table.h"
#include "report/tables.h"
#include "tests/check.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool shows(double value, int digits, const char *expected)
{
    char text[32];
    return strcmp(fixed(text, value, digits), expected) == 0;
}

/* What a table prints, to be freed. */
static char *printed(const struct table *t, enum form form)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    table_print(t, form, file);
    fclose(file);
    return text;
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
    table_row(&t);
    table_text(&t, "name");
    table_text(&t, "value");
    table_row(&t);
    table_text(&t, "<b>&\"x'");
    table_number(&t, 1.5, 2);
    check_form(&t, FORM_TEXT, "text", "name     value\n<b>&\"x'  1.5\n");
    check_form(&t, FORM_MARKDOWN, "Markdown", "| name | value |\n|---|---|\n| <b>&\"x' | 1.5 |\n");
    check_form(&t, FORM_HTML, "HTML, with what is reserved replaced",
               "<table>\n<tr><th scope=\"col\">name</th><th scope=\"col\">value</th></tr>\n"
               "<tr><td>&lt;b&gt;&amp;&quot;x&#39;</td><td>1.5</td></tr>\n</table>\n");
    table_free(&t);
}

/* From the results of an H100 that stay as they are, read with other means. */
static void check_known_points(void)
{
    struct result *r = result_need("results/nvidia-h100-80gb-hbm3", "micro-barrier");
    check(r->sms == 132 && !r->machine, "a GPU's result tells its multiprocessors");
    check(strcmp(r->family, "micro") == 0, "a result without a family has one by its experiment");
    check(result_has(r, "counter") && !result_has(r, "courier"), "a variant is there or not");
    check(isnan(median_us(r, "courier", 132, -1)), "what is not there is no number");
    check(fabs(operation_us(r, "counter", 132) - operation_us(r, "none", 132) - 1.03) < 0.01,
          "a barrier of the H100 costs 1.03 us");
    result_close(r);
    check(result_open("results/nvidia-h100-80gb-hbm3", "nosuch") == NULL, "an absent file is no result");
    r = result_open_sizes("results/nvidia-h100-80gb-hbm3", "fft");
    check(r && result_point(r, "counter", -1, -1, 1024) && result_point(r, "counter", -1, -1, 4194304),
          "sizes that are in many files are one result");
    result_close(r);
    r = result_open_sizes("results/nvidia-h200", "fft");
    check(r && result_point(r, "counter", -1, -1, 1024) && result_point(r, "counter", -1, -1, 4194304),
          "so are those in one");
    result_close(r);
}

static void check_folder_tables(const char *folder)
{
    for (size_t i = 0; i < all_tables_count; i++)
        for (enum form form = FORM_TEXT; form <= FORM_HTML && all_tables[i].has(folder); form++) {
            char *text = NULL;
            size_t bytes;
            FILE *file = open_memstream(&text, &bytes);
            all_tables[i].print(folder, form, file);
            fclose(file);
            check(bytes > 100, "%s: the table %s has a form %d", folder, all_tables[i].name, form);
            free(text);
        }
}

int main(void)
{
    check(shows(1.005, 1, "1") && shows(2.50, 2, "2.5") && shows(10, 0, "10") && shows(100, 2, "100"),
          "numbers end with their last digit");
    check(shows(-0.001, 2, "0") && shows(NAN, 1, "-") && shows(INFINITY, 1, "-"), "no number is a dash");
    check_tables_forms();
    check_known_points();
    DIR *results = opendir("results");
    struct dirent *entry;
    while (results && (entry = readdir(results))) {
        char folder[300];
        snprintf(folder, sizeof folder, "results/%s", entry->d_name);
        if (entry->d_name[0] != '.' && strcmp(entry->d_name, "papers") != 0)
            check_folder_tables(folder);
    }
    if (results)
        closedir(results);
    return checks_done();
}
