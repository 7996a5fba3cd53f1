/* Makes the table of bugs/README.md, which has a row for each program of the folder bugs/, and that of
 * docs/findings.md, which has a part of these rows. */
#include "report/papers/bugs.h"
#include "base/text.h"
#include "report/papers/sanitizer.h"
#include "report/table.h"

#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_GPUS 8

/* Copies the name of the GitHub thread from which a program comes, OWNER/NAME#NUMBER, out of the program's
 * first line. */
static void find_thread(const char *line, char *thread, size_t bytes)
{
    const char *begin = strncmp(line, "/* ", 3) == 0 ? line + 3 : "", *end = strchr(begin, '#');
    for (end = end ? end + 1 : begin; isdigit((unsigned char)*end);)
        end++;
    snprintf(thread, bytes, "%.*s", (int)(end - begin), begin);
}

/* Copies the kind of error that gpusync-check reports for the program's broken form: the WORD in a line "//
 * expect -DBROKEN...: WORD". */
static void find_kind(const char *line, char *kind, size_t bytes)
{
    static const char begins[] = "// expect -DBROKEN";
    const char *colon = strncmp(line, begins, strlen(begins)) == 0 ? strstr(line, ": ") : NULL;
    if (colon)
        snprintf(kind, bytes, "%.*s", (int)strspn(colon + 2, "abcdefghijklmnopqrstuvwxyz"), colon + 2);
}

/* Writes a whole number into `text` with a comma between groups of three digits, and returns the text. */
static const char *grouped(const char *digits, char text[32])
{
    size_t length = strlen(digits), written = 0;
    for (size_t i = 0; i < length && written < 30; i++) {
        if (i && (length - i) % 3 == 0)
            text[written++] = ',';
        text[written++] = digits[i];
    }
    text[written] = '\0';
    return text;
}

/* Indices of the cells in a row of measured/GPU.tsv: the program's name, "broken" or "mended", the number of
 * wrong values or a text, and the number of instances or "-". */
enum { PROGRAM, FORM, WRONG, INSTANCES };

static void add_wrong(struct table *t, const struct tsv *measured, const char *program)
{
    char wrong[32], instances[32];
    const struct tsv_row *row = tsv_find(measured, program, 0);
    if (row && strcmp(row->cells[FORM], "broken") != 0)
        row = tsv_find(measured, program, (size_t)(row - measured->rows) + 1);
    if (!row)
        table_cells(t, "%s", "");
    else if (strcmp(row->cells[INSTANCES], "-") == 0)
        table_cells(t, "%s", row->cells[WRONG]);
    else
        table_cells(t, "%s in %s", grouped(row->cells[WRONG], wrong),
                    grouped(row->cells[INSTANCES], instances));
}

/* Writes the program's name: the name of its file without the folder and the extension. */
static void name_program(const char *path, char *name, size_t bytes)
{
    const char *file = strrchr(path, '/') + 1;
    snprintf(name, bytes, "%.*s", (int)(strlen(file) - strlen(".cu")), file);
}

/* Returns whether litmus tests of the program's broken and mended form show what PTX allows of it. */
static bool has_litmus_tests(const char *path)
{
    char name[128], test[200];
    name_program(path, name, sizeof name);
    snprintf(test, sizeof test, "micro/litmus/patterns/%s-mended.litmus", name);
    return access(test, R_OK) == 0;
}

/* Adds the row of a program. With `links`, its name links to the heading of the same name, and its thread to
 * GitHub. (GitHub redirects the address of an issue to that of a pull request if the number is a pull
 * request's.) */
static void add_program(struct table *t, const char *path, const struct tsv *tried,
                        const struct tsv *measured, size_t gpus, bool links)
{
    char name[128], thread[128] = "", kind[32] = "", said[64];
    name_program(path, name, sizeof name);
    struct lines lines = lines_open(path);
    while (lines_next(&lines)) {
        if (lines.number == 1)
            find_thread(lines.text, thread, sizeof thread);
        find_kind(lines.text, kind, sizeof kind);
    }
    lines_close(&lines);
    table_row(t);
    const char *number = strchr(thread, '#');
    table_cells(t, links ? "[%s](#%s)" : "`%s`", name, name);
    if (links && number)
        table_cells(t, "[%s](https://github.com/%.*s/issues/%s)", thread, (int)(number - thread), thread,
                    number + 1);
    else
        table_cells(t, "%s", thread);
    table_cells(t, "%s", kind);
    sanitizer_says(tried, path, said, sizeof said);
    table_cells(t, "%s", said);
    for (size_t i = 0; i < gpus; i++)
        add_wrong(t, &measured[i], name);
}

static int count_mended_wrong(const struct tsv *measured)
{
    int count = 0;
    for (size_t i = 0; i < measured->count; i++)
        count += strcmp(measured->rows[i].cells[FORM], "mended") == 0 &&
                 strcmp(measured->rows[i].cells[WRONG], "0") != 0;
    return count;
}

/* Adds the row with the number of mended programs that were wrong on each GPU. */
static void add_mended(struct table *t, const struct tsv *measured, size_t gpus)
{
    table_add(t, "mended ones that were wrong");
    for (int cell = 0; cell < 3; cell++)
        table_cells(t, "%s", "");
    for (size_t i = 0; i < gpus; i++)
        table_cells(t, "%d", count_mended_wrong(&measured[i]));
}

/* Reads the file measured/GPU.tsv of each GPU, in the order of the GPUs' names, into `measured`. Returns the
 * number of files. */
static size_t read_measured(const char *folder, struct tsv measured[MOST_GPUS])
{
    char pattern[600];
    glob_t found;
    size_t count = 0;
    snprintf(pattern, sizeof pattern, "%s/measured/*.tsv", folder);
    if (glob(pattern, 0, NULL, &found) == 0)
        for (; count < found.gl_pathc && count < MOST_GPUS; count++) {
            char *name = found.gl_pathv[count] + strlen(folder) + 1;
            name[strlen(name) - strlen(".tsv")] = '\0';
            measured[count] = tsv_read(folder, name);
        }
    globfree(&found);
    return count;
}

/* Prints a row for each program. With `only_findings`, prints only the programs whose execution
 * docs/findings.md shows, with links and without the row that counts mended programs. */
static void print_programs(const char *folder, bool only_findings, enum form form, FILE *file)
{
    struct tsv measured[MOST_GPUS];
    struct table t = {NULL, 0};
    char pattern[600];
    glob_t programs;
    size_t gpus = read_measured(folder, measured);
    struct tsv tried = sanitizer_read("bugs");
    table_add(&t, "program | public thread | told as | compute-sanitizer");
    for (size_t i = 0; i < gpus; i++)
        table_cells(&t, "%s", measured[i].heading);
    snprintf(pattern, sizeof pattern, "%s/*.cu", folder);
    if (glob(pattern, 0, NULL, &programs) == 0)
        for (size_t i = 0; i < programs.gl_pathc; i++)
            if (!only_findings || has_litmus_tests(programs.gl_pathv[i]))
                add_program(&t, programs.gl_pathv[i], &tried, measured, gpus, only_findings);
    globfree(&programs);
    if (gpus && !only_findings)
        add_mended(&t, measured, gpus);
    for (size_t i = 0; i < gpus; i++)
        tsv_free(&measured[i]);
    tsv_free(&tried);
    table_end(&t, form, file);
}

void print_bugs(const char *folder, enum form form, FILE *file)
{
    print_programs(folder, false, form, file);
}

void print_findings(const char *folder, enum form form, FILE *file)
{
    print_programs(folder, true, form, file);
}
