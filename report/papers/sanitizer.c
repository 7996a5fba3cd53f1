#include "report/papers/sanitizer.h"

#include <glob.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Indices of the cells in a row: the program's file; the options with which it was compiled, or "-" if there
 * are none; the kind of mistake that gpusync-check must report, or "right" if there is none; and the number
 * of errors that each tool reports. */
enum { PROGRAM, OPTIONS, KIND, FIRST_TOOL };
static const char *const tools[] = {"memcheck", "racecheck", "synccheck", "initcheck"};
#define TOOLS (sizeof tools / sizeof *tools)

struct tsv sanitizer_read(const char *folder)
{
    char pattern[600];
    glob_t found;
    struct tsv tried = {.heading = NULL};
    snprintf(pattern, sizeof pattern, "%s/sanitizer/*.tsv", folder);
    if (glob(pattern, 0, NULL, &found) == 0) {
        char *name = found.gl_pathv[0] + strlen(folder) + 1;
        name[strlen(name) - strlen(".tsv")] = '\0';
        tried = tsv_read(folder, name);
    }
    globfree(&found);
    return tried;
}

static bool is_right(const struct tsv_row *row)
{
    return strcmp(row->cells[KIND], "right") == 0;
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
        if (strcmp(tried->rows[i].cells[PROGRAM], program) == 0 && is_right(&tried->rows[i]))
            return &tried->rows[i];
    return NULL;
}

/* Returns whether the tool reports more errors for this program than for its right form. */
static bool tool_finds(const struct tsv *tried, const struct tsv_row *row, size_t tool)
{
    return errors_by(row, tool) > errors_by(right_form_of(tried, row->cells[PROGRAM]), tool);
}

void sanitizer_says(const struct tsv *tried, const char *program, char *text, size_t bytes)
{
    bool endless = false;
    size_t used = 0;
    *text = '\0';
    for (const struct tsv_row *row = tried->rows; row && row < tried->rows + tried->count; row++) {
        if (strcmp(row->cells[PROGRAM], program) != 0 || strncmp(row->cells[OPTIONS], "-DBROKEN", 8) != 0)
            continue;
        for (size_t tool = 0; tool < TOOLS; tool++) {
            endless = endless || is_endless(row, tool);
            if (tool_finds(tried, row, tool) && used < bytes)
                used += (size_t)snprintf(text + used, bytes - used, "%s%s", used ? ", " : "", tools[tool]);
        }
        if (!used)
            snprintf(text, bytes, "%s", endless ? "no end in 60 s" : "nothing");
    }
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
    struct tsv tried = sanitizer_read(folder);
    struct table t = {NULL, 0};
    table_add(&t, "what is broken | programs | reported by %s",
              tried.heading ? tried.heading : "compute-sanitizer");
    for (size_t tool = 0; tool < TOOLS; tool++)
        table_cells(&t, "%s", tools[tool]);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        add_kind(&t, &tried, kinds[i][0], kinds[i][1]);
    table_end(&t, form, file);
    tsv_free(&tried);
}
