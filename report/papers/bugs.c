/* Makes the tables of tools/bugs/README.md, with a row for each program of the folder tools/bugs/, and of
 * docs/findings.md, with a part of these rows. */
#include "report/papers/papers.h"
#include "base/text.h"
#include "report/claims.h"

#include <ctype.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Indices of the cells in a row: the program's file; the options with which it was compiled, or "-" if there
 * are none; the kind of mistake that gpusync-check must report, or "right" if there is none; and the number
 * of errors that each tool reports. */
enum { PROGRAM, OPTIONS, KIND, FIRST_TOOL };
static const char *const tools[] = {"memcheck", "racecheck", "synccheck", "initcheck"};
#define TOOLS (sizeof tools / sizeof *tools)

#define MOST_GPUS 8

/* Reads the file FOLDER/BELOW/GPU.tsv of each GPU, in the order of the GPUs' names, into `files`, at most
 * `most` of them. Returns their number. */
static size_t read_files(const char *folder, const char *below, const struct tsv **files, size_t most)
{
    glob_t found;
    size_t count = 0;
    if (glob(made("%s/%s/*.tsv", folder, below), 0, NULL, &found) == 0)
        for (; count < found.gl_pathc && count < most; count++) {
            const char *path = found.gl_pathv[count];
            files[count] = tsv_need(made("%.*s", (int)(strlen(path) - strlen(".tsv")), path));
        }
    globfree(&found);
    return count;
}

/* ---- compute-sanitizer ---- */

/* Reads the results of compute-sanitizer on the first GPU by name: FOLDER/sanitizer/GPU.tsv. Without such a
 * file there are no rows. */
static const struct tsv *sanitizer_read(const char *folder)
{
    static struct tsv none = {.heading = "compute-sanitizer"};
    const struct tsv *tried = &none;
    read_files(folder, "sanitizer", &tried, 1);
    return tried;
}

static bool is_endless(const struct tsv_row *row, size_t tool)
{
    return strcmp(row->cells[FIRST_TOOL + tool], "-") == 0;
}

static double errors_by(const struct tsv_row *row, size_t tool)
{
    return row && !is_endless(row, tool) ? tsv_number(row, FIRST_TOOL + tool) : 0;
}

/* Returns the row of the program's right form, or NULL if it has none. */
static const struct tsv_row *right_form_of(const struct tsv *tried, const char *program)
{
    for (size_t i = 0; i < tried->count; i++)
        if (strcmp(tried->rows[i].cells[PROGRAM], program) == 0 &&
            strcmp(tried->rows[i].cells[KIND], "right") == 0)
            return &tried->rows[i];
    return NULL;
}

/* Returns whether the tool reports more errors for this program than for its right form. */
static bool tool_finds(const struct tsv *tried, const struct tsv_row *row, size_t tool)
{
    return errors_by(row, tool) > errors_by(right_form_of(tried, row->cells[PROGRAM]), tool);
}

/* Returns the names of the tools that report more errors for the program's broken form than for its mended
 * form. If there is no such tool, returns "no end in 60 s" if a run did not end under some tool, otherwise
 * "nothing". Returns "" if the program was not tried. */
static const char *sanitizer_says(const struct tsv *tried, const char *program)
{
    bool endless = false, any = false;
    const char *text = "";
    for (const struct tsv_row *row = tried->rows; row && row < tried->rows + tried->count; row++) {
        if (strcmp(row->cells[PROGRAM], program) != 0 || strncmp(row->cells[OPTIONS], "-DBROKEN", 8) != 0)
            continue;
        for (size_t tool = 0; tool < TOOLS; tool++) {
            endless = endless || is_endless(row, tool);
            if (tool_finds(tried, row, tool)) {
                text = made("%s%s%s", any ? text : "", any ? ", " : "", tools[tool]);
                any = true;
            }
        }
        if (!any)
            text = endless ? "no end in 60 s" : "nothing";
    }
    return text;
}

/* Adds the row of one kind of mistake, unless no program has it. For the kind "right", counts the programs
 * for which a tool reports anything. */
static void add_kind(struct table *t, const struct tsv *tried, const char *kind, const char *label)
{
    size_t programs = 0, found = 0, by[TOOLS] = {0};
    bool right = strcmp(kind, "right") == 0;
    for (const struct tsv_row *row = tried->rows; row && row < tried->rows + tried->count; row++) {
        bool any = false;
        if (strcmp(row->cells[KIND], kind) != 0)
            continue;
        programs++;
        for (size_t tool = 0; tool < TOOLS; tool++) {
            bool finds = right ? errors_by(row, tool) > 0 : tool_finds(tried, row, tool);
            by[tool] += finds;
            any = any || finds;
        }
        found += any;
    }
    if (!programs)
        return;
    table_add(t, "%s | %zu | %zu", label, programs, found);
    for (size_t tool = 0; tool < TOOLS; tool++)
        table_cells(t, "%zu", by[tool]);
}

void print_sanitizer(const char *folder, enum form form, FILE *file)
{
    static const char *const kinds[][2] = {
        {"race", "data race, or a missing fence"},
        {"rule", "rule of a block or a warp"},
        {"unwritten", "read of memory that nobody wrote"},
        {"outside", "access outside of memory"},
        {"hang", "hang"},
        {"wrong", "wrong answer alone"},
        {"note", "proxy fence that much code lacks (a note)"},
        {"right", "right programs, of which nothing must be said"},
    };
    const struct tsv *tried = sanitizer_read(folder);
    struct table t = {NULL, 0};
    table_add(&t, "what is broken | programs | reported by %s", tried->heading);
    for (size_t tool = 0; tool < TOOLS; tool++)
        table_cells(&t, "%s", tools[tool]);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        add_kind(&t, tried, kinds[i][0], kinds[i][1]);
    table_end(&t, form, file);
}

/* ---- the programs of tools/bugs/ ---- */

/* Returns the name of the GitHub thread from which a program comes, OWNER/NAME#NUMBER, out of the program's
 * first line. */
static const char *thread_in(const char *line)
{
    const char *begin = strncmp(line, "/* ", 3) == 0 ? line + 3 : "", *end = strchr(begin, '#');
    for (end = end ? end + 1 : begin; isdigit((unsigned char)*end);)
        end++;
    return made("%.*s", (int)(end - begin), begin);
}

/* Returns the kind of error that gpusync-check reports for the program's broken form, the WORD in a line "//
 * expect -DBROKEN...: WORD", or NULL for another line. */
static const char *kind_in(const char *line)
{
    static const char begins[] = "// expect -DBROKEN";
    const char *colon = strncmp(line, begins, strlen(begins)) == 0 ? strstr(line, ": ") : NULL;
    return colon ? made("%.*s", (int)strspn(colon + 2, "abcdefghijklmnopqrstuvwxyz"), colon + 2) : NULL;
}

/* Indices of the cells in a row of measured/GPU.tsv after the program's name: "broken" or "mended", the
 * number of wrong values or a text, and the number of instances or "-". */
enum { FORM = 1, WRONG, INSTANCES };

static void add_wrong(struct table *t, const struct tsv *measured, const char *program)
{
    const struct tsv_row *row = tsv_find(measured, program, 0);
    if (row && strcmp(row->cells[FORM], "broken") != 0)
        row = tsv_find(measured, program, (size_t)(row - measured->rows) + 1);
    if (row && strcmp(row->cells[INSTANCES], "-") != 0)
        table_cells(t, "%s in %s", grouped(tsv_number(row, WRONG)), grouped(tsv_number(row, INSTANCES)));
    else
        table_cells(t, "%s", row ? row->cells[WRONG] : "");
}

/* Returns the program's name: the name of its file without the folder and the extension. */
static const char *program_name_of(const char *path)
{
    const char *file = strrchr(path, '/') + 1;
    return made("%.*s", (int)(strlen(file) - strlen(".cu")), file);
}

/* Returns whether litmus tests of the program's broken and mended form show what PTX allows of it. */
static bool has_litmus_tests(const char *path)
{
    return access(made("micro/litmus/patterns/%s-mended.litmus", program_name_of(path)), R_OK) == 0;
}

/* Adds the row of a program. With `links`, its name links to the heading of the same name, and its thread to
 * GitHub. (The address of an issue also leads to a pull request with the same number, because GitHub
 * redirects it.) */
static void add_program(struct table *t, const char *path, const struct tsv *tried,
                        const struct tsv *const *measured, size_t gpus, bool links)
{
    const char *name = program_name_of(path), *thread = "", *kind = "", *found;
    struct lines lines = lines_open(path);
    while (lines_next(&lines)) {
        if (lines.number == 1)
            thread = thread_in(lines.text);
        if ((found = kind_in(lines.text)))
            kind = found;
    }
    lines_close(&lines);
    const char *number = strchr(thread, '#');
    table_add(t, links ? "[%s](#%s)" : "`%s`", name, name);
    if (links && number)
        table_cells(t, "[%s](https://github.com/%.*s/issues/%s)", thread, (int)(number - thread), thread,
                    number + 1);
    else
        table_cells(t, "%s", thread);
    table_cells(t, "%s | %s", kind, sanitizer_says(tried, path));
    for (size_t i = 0; i < gpus; i++)
        add_wrong(t, measured[i], name);
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
static void add_mended(struct table *t, const struct tsv *const *measured, size_t gpus)
{
    table_add(t, "mended ones that were wrong | %s | %s | %s", "", "", "");
    for (size_t i = 0; i < gpus; i++)
        table_cells(t, "%d", count_mended_wrong(measured[i]));
}

/* Prints a row for each program. With `only_findings`, prints only the programs whose execution
 * docs/findings.md shows, with links and without the row that counts mended programs. */
static void print_programs(const char *folder, bool only_findings, enum form form, FILE *file)
{
    const struct tsv *measured[MOST_GPUS];
    struct table t = {NULL, 0};
    glob_t programs;
    size_t gpus = read_files(folder, "measured", measured, MOST_GPUS);
    const struct tsv *tried = sanitizer_read("tools/bugs");
    table_add(&t, "program | public thread | told as | compute-sanitizer");
    for (size_t i = 0; i < gpus; i++)
        table_cells(&t, "%s", measured[i]->heading);
    if (glob(made("%s/*.cu", folder), 0, NULL, &programs) == 0)
        for (size_t i = 0; i < programs.gl_pathc; i++)
            if (!only_findings || has_litmus_tests(programs.gl_pathv[i]))
                add_program(&t, programs.gl_pathv[i], tried, measured, gpus, only_findings);
    globfree(&programs);
    if (gpus && !only_findings)
        add_mended(&t, measured, gpus);
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
