/* Writes the overview: a card for each device, the matrix of all claims, and a comparison of two GPUs. */
#include "base/file.h"
#include "base/memory.h"
#include "report/claims.h"
#include "report/compare.h"
#include "report/devices.h"
#include "report/page.h"
#include "report/results.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* ---- page matrix ---- */

/* The matrix of all claims on all devices, as coloured cells. */

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
        html(file, "<th scope=\"col\"><span class=\"upright\">%s%s</span></th>",
             is_reference(folder) ? "" : "your ", check_folder(folder));
    }
    fputs("</tr>\n</thead>\n", file);
}

/* Prints the cell for claim number `i`. The cell's text is only the value; its title is the whole
 * sentence. */
static void print_cell(FILE *file, struct column *column, size_t i)
{
    const struct judged *judged = &column->judging->items[i];
    const cJSON *claim = judged->claim;
    if (judged->verdict == CLAIM_NOT_MEASURABLE) {
        fputs("<td></td>", file);
        return;
    }
    struct value v = claim_value(claim, text_of(claim, "formula"), &column->sources);
    const char *notes = claim_notes(claim, &v, &column->sources),
               *sure = robustness_text(&column->robustness, claim, judged->verdict);
    html(file, "<td class=\"cell %s\" tabindex=\"0\" title=\"%s: %s: %s", verdict_class(judged->verdict),
         check_folder(column->judging->folder), claim_value_text(claim, &v),
         claim_verdict_text(claim, &v, column->judging->folder));
    html(file, "%s%s%s\">%s</td>", *sure ? ", " : "", sure, notes, rounded(v.is));
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
    html(file, "<tr><td>%s: %s</td><td>%s</td>", text_of(claim, "place"), text_of(claim, "says"),
         claim_paper_text(claim));
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

/* Prints for each paper a fold with a row for each claim that some device can judge, and a column for each of
 * the `count` devices. A cell has the device's value on the colour of the verdict; its title is a sentence
 * with the verdict and what must be known of the value. */
static void print_matrix(FILE *file, const struct judging *devices, size_t count)
{
    struct column *columns = allocate((count + 1) * sizeof *columns);
    for (size_t c = 0; c < count; c++)
        columns[c] = (struct column){
            &devices[c], {.folder = devices[c].folder}, robustness_of(devices[c].folder), false};
    for (size_t p = 0; count && p < devices->totals.count; p++)
        print_paper(file, columns, count, devices->totals.papers[p].paper);
    for (size_t c = 0; c < count; c++) {
        sources_close(&columns[c].sources);
    }
    free(columns);
}

/* ---- page index ---- */

static bool is_gpu(const char *folder)
{
    struct result *r = result_open(folder, "micro-barrier");
    return r && !r->machine;
}

/* Returns whether the device gets a card: if its barriers have been measured or enough claims are judged.
 * Other devices are only named in a list. */
static bool has_card(const struct judging *judging)
{
    struct paper_totals all = paper_of_all(&judging->totals);
    return paper_judged(&all) >= 10 || has_file(judging->folder, "micro-barrier");
}

/* Prints a comparison of the first two GPUs among the folders. */
static void print_comparison(FILE *file, const struct judging *devices, size_t count)
{
    const char *gpus[2];
    size_t found = 0;
    for (size_t i = 0; i < count && found < 2; i++)
        if (is_gpu(devices[i].folder))
            gpus[found++] = devices[i].folder;
    if (found < 2)
        return;
    fputs("<h2>Two GPUs</h2>\n<p>Each variant at its best; of the micro-benchmark, with the blocks that fill "
          "the first GPU.</p>\n<details><summary>The ratios of their times</summary>\n<div class=\"wide\" "
          "tabindex=\"0\">\n",
          file);
    print_best_ratios(gpus[0], gpus[1], FORM_HTML, file);
    fputs("</div>\n</details>\n", file);
}

/* ---- cards ---- */

/* Prints the name of the folder's device, as a link to the device's page if the page has been drawn. Returns
 * whether it has been. */
static bool print_device(FILE *file, const char *folder)
{
    const char *page = made("%s/index.html", plots_of(folder));
    bool drawn = access(page, F_OK) == 0;
    if (drawn) {
        html(file, "<a href=\"%s\">", page + strlen("plots/"));
    }
    print_html(file, check_folder(folder));
    fputs(drawn ? "</a>" : "", file);
    return drawn;
}

static void print_card(FILE *file, const struct judging *judging)
{
    struct paper_totals all = paper_of_all(&judging->totals);
    fputs("<div class=\"card\">\n<h3>", file);
    bool drawn = print_device(file, judging->folder);
    fputs("</h3>\n<p>", file);
    if (!drawn) {
        html(file, "Its page is not drawn yet; <code>scripts/gpusync figures %s</code> draws it. ",
             judging->folder);
    }
    print_costs_sentence(file, judging->folder);
    print_gains_sentence(file, judging->folder);
    fputs("</p>\n", file);
    if (paper_judged(&all)) {
        fputs("<p>Of the papers' claims that can be judged here ", file);
        print_verdicts_of(file, &all, false);
        fputs(".</p>\n", file);
        print_verdict_bar(file, &all);
    } else {
        fputs("<p>No claim of the papers can be judged here.</p>\n", file);
    }
    fputs("</div>\n", file);
}

/* Prints the cards of the devices that were measured, and then the cards of the models. */
static void print_cards(FILE *file, const struct judging *devices, size_t count, bool reference)
{
    bool any = false;
    for (size_t n = 0; n < 2 * count; n++) {
        size_t i = n % count;
        if (is_reference(devices[i].folder) != reference || !has_card(&devices[i]) ||
            is_gpu(devices[i].folder) != (n < count))
            continue;
        if (!any)
            fprintf(file, "<h2>%s</h2>\n<div class=\"cards\">\n", reference ? "For reference" : "Run here");
        any = true;
        print_card(file, &devices[i]);
    }
    fputs(any ? "</div>\n" : "", file);
}

static void print_without_cards(FILE *file, const struct judging *devices, size_t count)
{
    const char *before = "<p>Results of single experiments, by which few or no claims are judged: ";
    for (size_t i = 0; i < count; i++) {
        if (has_card(&devices[i]))
            continue;
        fputs(before, file);
        print_device(file, devices[i].folder);
        before = ", ";
    }
    fputs(*before == ',' ? ".</p>\n" : "", file);
}

/* ---- the page ---- */

void write_overview(void)
{
    struct texts folders = all_folders();
    size_t count = folders.count;
    struct judging *devices = allocate((count + 1) * sizeof *devices);
    for (size_t i = 0; i < count; i++)
        devices[i] = judging_of(folders.items[i]);
    /* Two reports that run side by side must not write the page's temporary file at once. A lock on the
     * folder is released when it is closed; a file system without locks gives none. */
    int folder = open("plots", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0)
        flock(folder, LOCK_EX);
    struct new_file page = file_begin("plots/index.html");
    FILE *file = page.file;
    print_start(file, "Synchronization and communication inside GPUs");
    fputs("<p>Each device's page answers what a barrier costs there, when it is worth it, and which of the "
          "papers' claims hold. A device whose name begins with \"machine\" is a model, the memory machine "
          "with "
          "the constants of that GPU; the others were measured.</p>\n",
          file);
    print_bar_legend(file);
    print_cards(file, devices, count, false);
    print_cards(file, devices, count, true);
    print_without_cards(file, devices, count);
    fputs("<h2 id=\"matrix\">Every claim on every device</h2>\n<p>A cell has the device's value, on the "
          "colour of "
          "the verdict. A click on it shows the verdict in words. Claims that no device can judge are left "
          "out.</p>\n",
          file);
    print_matrix(file, devices, count);
    fputs("<p id=\"words\" role=\"status\"></p>\n", file);
    print_comparison(file, devices, count);
    fputs("</body>\n</html>\n", file);
    file_finish(&page);
    if (folder >= 0)
        close(folder);
    for (size_t i = 0; i < count; i++)
        free(devices[i].items);
    free(devices);
    free(folders.items);
}
