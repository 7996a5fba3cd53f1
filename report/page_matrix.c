#include "report/page_matrix.h"
#include "base/memory.h"
#include "report/claim_text.h"
#include "report/claim_value.h"
#include "report/claims.h"
#include "report/folders.h"
#include "report/page_bars.h"
#include "report/page_top.h"
#include "report/results.h"
#include "report/robustness.h"

#include <stdlib.h>
#include <string.h>

/* The data of a device that the cells of its column need. */
struct column {
    const struct judging *judging;
    struct sources sources;
    struct robustness robustness;
    bool shown; /* whether the table that is being printed has the column */
};

static bool is_of(const struct judging *judging, size_t i, const char *paper)
{
    return strcmp(text_of(judging->items[i].claim, "paper"), paper) == 0;
}

/* Notes for each column whether its device can judge any claim of the paper; the paper's table has only these
 * columns. Returns the number of claims that some device can judge. */
static size_t choose_columns(struct column *columns, size_t count, const char *paper)
{
    size_t claims = 0;
    for (size_t c = 0; c < count; c++)
        columns[c].shown = false;
    for (size_t i = 0; i < columns->judging->count; i++) {
        bool any = false;
        for (size_t c = 0; c < count && is_of(columns->judging, i, paper); c++) {
            bool has = columns[c].judging->items[i].verdict != CLAIM_NOT_MEASURABLE;
            columns[c].shown = columns[c].shown || has;
            any = any || has;
        }
        claims += any;
    }
    return claims;
}

static void print_column_heads(FILE *file, const struct column *columns, size_t count)
{
    fputs("<thead>\n<tr><th scope=\"col\">claim</th><th scope=\"col\">paper says</th>", file);
    for (size_t c = 0; c < count; c++) {
        const char *folder = columns[c].judging->folder;
        if (!columns[c].shown)
            continue;
        fprintf(file, "<th scope=\"col\"><span class=\"upright\">%s", is_reference(folder) ? "" : "your ");
        print_html(file, check_folder(folder));
        fputs("</span></th>", file);
    }
    fputs("</tr>\n</thead>\n", file);
}

/* Prints the cell for claim number `i`. The cell's text is only the value; its title is the whole
 * sentence. */
static void print_cell(FILE *file, struct column *column, size_t i)
{
    const struct judged *judged = &column->judging->items[i];
    const cJSON *claim = judged->claim;
    char value[VALUE_BYTES], verdict[128], sure[128], notes[2048] = "";
    if (judged->verdict == CLAIM_NOT_MEASURABLE) {
        fputs("<td></td>", file);
        return;
    }
    struct value v = claim_value(claim, text_of(claim, "formula"), &column->sources);
    claim_append_notes(claim, &v, &column->sources, notes, sizeof notes);
    fprintf(file, "<td class=\"cell %s\" tabindex=\"0\" title=\"", verdict_class(judged->verdict));
    print_html(file, check_folder(column->judging->folder));
    fputs(": ", file);
    print_html(file, claim_value_text(value, claim, &v));
    fputs(": ", file);
    print_html(file, claim_verdict_text(claim, &v, column->judging->folder, verdict, sizeof verdict));
    if (*robustness_text(&column->robustness, claim, judged->verdict, sure, sizeof sure)) {
        fputs(", ", file);
        print_html(file, sure);
    }
    print_html(file, notes);
    fprintf(file, "\">%s</td>", rounded(value, v.is));
}

static bool is_judged_somewhere(const struct column *columns, size_t count, size_t i)
{
    for (size_t c = 0; c < count; c++)
        if (columns[c].judging->items[i].verdict != CLAIM_NOT_MEASURABLE)
            return true;
    return false;
}

static void print_claim(FILE *file, struct column *columns, size_t count, size_t i)
{
    const cJSON *claim = columns->judging->items[i].claim;
    struct table t = {NULL, 0};
    fputs("<tr><td>", file);
    print_html(file, text_of(claim, "place"));
    fputs(": ", file);
    print_html(file, text_of(claim, "says"));
    fputs("</td><td>", file);
    table_row(&t);
    claim_add_paper(&t, claim);
    print_html(file, t.rows->cells[0]);
    table_free(&t);
    fputs("</td>", file);
    for (size_t c = 0; c < count; c++)
        if (columns[c].shown)
            print_cell(file, &columns[c], i);
    fputs("</tr>\n", file);
}

static void print_paper(FILE *file, struct column *columns, size_t count, const char *paper)
{
    const struct judging *first = columns->judging;
    size_t claims = choose_columns(columns, count, paper);
    if (!claims)
        return;
    fputs("<details><summary>", file);
    print_paper_name(file, paper);
    fprintf(file, ": %zu claims</summary>\n<div class=\"wide matrix\" tabindex=\"0\">\n<table>\n", claims);
    print_column_heads(file, columns, count);
    fputs("<tbody>\n", file);
    for (size_t i = 0; i < first->count; i++)
        if (is_of(first, i, paper) && is_judged_somewhere(columns, count, i))
            print_claim(file, columns, count, i);
    fputs("</tbody>\n</table>\n</div>\n</details>\n", file);
}

void print_matrix(FILE *file, const struct judging *devices, size_t count)
{
    struct column *columns = allocate((count + 1) * sizeof *columns);
    for (size_t c = 0; c < count; c++)
        columns[c] = (struct column){
            &devices[c], {.folder = devices[c].folder}, robustness_open(devices[c].folder), false};
    for (size_t p = 0; count && p < devices->totals.count; p++)
        print_paper(file, columns, count, devices->totals.papers[p].paper);
    for (size_t c = 0; c < count; c++) {
        sources_close(&columns[c].sources);
        robustness_close(&columns[c].robustness);
    }
    free(columns);
}
