/* Writes the page of a device: the first screen (report/page_top.c), the figures and tables under the
 * questions that they help to answer, and the claims. It is one file, which contains its figures. */
#include "report/page.h"
#include "base/file.h"
#include "report/claims.h"
#include "report/figures.h"
#include "report/devices.h"
#include "report/page_style.h"
#include "report/results.h"
#include "report/table.h"
#include "report/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- page claims ---- */

/* The claims on a device's page. */

/* ---- the figure to which a claim of the page links ---- */

/* Returns whether the figure shows the result `source` that the claim's formula reads: its main sweep, or one
 * of the sweeps that the formula names. */
static bool is_drawn_from(const struct drawn *drawn, const char *source)
{
    size_t length = strcspn(source, "@");
    const char *of = drawn_source(drawn), *sweep = of + (strlen(of) < length ? strlen(of) : length);
    return strncmp(of, source, length) == 0 && (!*sweep || (*sweep == '@' && strstr(source, sweep + 1)));
}

/* Returns whether the figure reproduces the paper's figure or table that is the claim's `place`. */
static bool is_of_place(const struct drawn *drawn, const char *place)
{
    const char *in = strstr(drawn->figure->place, "Figure");
    if (!in)
        in = strstr(drawn->figure->place, "Table");
    const char *found = in ? strstr(place, in) : NULL;
    return found && !strchr("0123456789", found[strlen(in)] ? found[strlen(in)] : 'x');
}

static const struct drawn *figure_of(const struct page *page, const cJSON *claim)
{
    const char *source = formula_source(text_of(claim, "formula"));
    const struct drawn *first = NULL;
    for (size_t i = 0; i < page->count; i++) {
        const struct drawn *drawn = &page->drawn[i];
        if (!is_drawn_from(drawn, source))
            continue;
        if (is_of_place(drawn, text_of(claim, "place")))
            return drawn;
        first = first ? first : drawn;
    }
    return first;
}

/* ---- rows ---- */

static void print_cells(const struct page *page, const struct judged *j, struct sources *sources,
                        const struct robustness *robustness)
{
    FILE *file = page->file;
    struct table t = {NULL, 0};
    const struct drawn *drawn = figure_of(page, j->claim);
    table_row(&t);
    /* the claim is judged again, so that the sources have noted what its formula reads */
    const struct judged judged = judge_claim(j->claim, sources);
    claim_add_row(&t, &judged, sources, robustness);
    for (size_t c = 0; c < t.rows->count; c++) {
        fputs("<td", file);
        if (c == CLAIM_VERDICT)
            fprintf(file, " class=\"%s\"", verdict_class(j->verdict));
        else if (strcmp(t.rows->cells[c], "-") == 0)
            fputs(" class=\"empty\"", file);
        html(file, ">%s", c == CLAIM_PLACE ? text_of(j->claim, "place") : t.rows->cells[c]);
        if (c == CLAIM_SAYS && drawn)
            fprintf(file, " (<a href=\"#figure-%s\">figure</a>)", drawn->name);
        fputs("</td>", file);
    }
    table_free(&t);
}

/* The verdicts in the order of the rows: those that differ most from the paper come first, and those that are
 * not judged come last. */
static const enum claim_verdict order[] = {
    CLAIM_REVERSED,  CLAIM_OTHER_SIZE, CLAIM_TIE,     CLAIM_DIRECTION, CLAIM_WITHIN_2,     CLAIM_WITHIN_25,
    CLAIM_WITHIN_10, CLAIM_HOLDS,      CLAIM_DEPENDS, CLAIM_FITTED,    CLAIM_BY_DEFINITION};

static void print_rows(const struct page *page, const struct judging *judging, const char *paper)
{
    struct robustness robustness = robustness_of(page->folder);
    struct sources sources = {.folder = page->folder};
    fputs("<div class=\"wide claims\" tabindex=\"0\">\n<table>\n<thead>\n<tr>", page->file);
    for (int c = 0; c < CLAIM_COLUMNS; c++)
        fprintf(page->file, "<th scope=\"col\">%s</th>", c == CLAIM_PLACE ? "place" : claim_head[c]);
    fputs("</tr>\n</thead>\n<tbody>\n", page->file);
    for (size_t o = 0; o < sizeof order / sizeof *order; o++)
        for (size_t i = 0; i < judging->count; i++) {
            const struct judged *judged = &judging->items[i];
            if (judged->verdict != order[o] || strcmp(text_of(judged->claim, "paper"), paper) != 0)
                continue;
            html(page->file, "<tr id=\"claim-%s\">", text_of(judged->claim, "id"));
            print_cells(page, judged, &sources, &robustness);
            fputs("</tr>\n", page->file);
        }
    fputs("</tbody>\n</table>\n</div>\n", page->file);
    sources_close(&sources);
}

/* ---- the part ---- */

static void print_meaning(FILE *file)
{
    fputs(
        "<dl>\n<dt class=\"v-holds\">holds</dt><dd>The value lies on the side that the paper names "
        "(\"&gt; 1x\"), or is none where the paper has none.</dd>\n"
        "<dt class=\"v-near\">within 10 %, within 25 %</dt><dd>This device's value is so near to the "
        "paper's; the number in brackets is this device's value over the paper's.</dd>\n"
        "<dt class=\"v-part\">direction only</dt><dd>What the paper found faster is faster, by another "
        "factor.</dd>\n"
        "<dt class=\"v-half\">within a factor of 2, another size</dt><dd>A number that has no direction, "
        "such "
        "as a time or a share, is half to twice the paper's, or lies beyond.</dd>\n"
        "<dt class=\"v-wrong\">reversed</dt><dd>The value has the other direction, or what the paper saw "
        "never happens.</dd>\n"
        "<dt class=\"v-tie\">a tie</dt><dd>The two times differ by less than 1 %, or the value's interval "
        "has "
        "both directions in it.</dd>\n"
        "<dt class=\"v-none\">fitted, by definition</dt><dd>On a model: a constant of the model was chosen "
        "from this very number, or the model cannot but have it. Such a claim tests nothing, and is not "
        "judged.</dd>\n"
        "<dt class=\"v-none\">depends on ...</dt><dd>The number rests on something beside the device, or "
        "that "
        "the paper does not print. It is shown, and not judged.</dd>\n"
        "<dt class=\"v-none\">not measurable here</dt><dd>The device lacks what it takes, or was not asked, "
        "or was asked at a smaller size than the paper's, or the number is a time or rate of the paper's own "
        "GPU.</dd>\n</dl>\n"
        "<p>In brackets behind a value: the interval that the medians' 95 % intervals bound. The last column "
        "of a model: its constants, inputs and schedules were drawn at random, each constant from within "
        "what is known of it; in how many draws the claim has the same verdict, and which constant decides "
        "it. Of a GPU: whether another card has another verdict.</p>\n",
        file);
}

static void print_paper(const struct page *page, const struct judging *judging,
                        const struct paper_totals *paper)
{
    size_t judged = paper_judged(paper), shown = paper->counts[CLAIM_DEPENDS] + paper->counts[CLAIM_FITTED] +
                                                 paper->counts[CLAIM_BY_DEFINITION];
    if (!judged && !shown)
        return;
    fputs("<details id=\"", page->file);
    print_claims_id(page->file, paper->paper);
    fputs("\"><summary>", page->file);
    print_paper_name(page->file, paper->paper);
    fprintf(page->file, ": %zu judged", judged);
    if (shown)
        fprintf(page->file, ", %zu shown and not judged", shown);
    print_verdict_bar(page->file, paper);
    fputs("</summary>\n", page->file);
    print_rows(page, judging, paper->paper);
    fputs("</details>\n", page->file);
}

/* Prints the page's part with the claims: a fold for each paper, with a row for each claim that some result
 * of the folder can judge, and what the verdicts mean. The other claims are only counted. */
static void print_claims_part(const struct page *page, const struct judging *judging)
{
    FILE *file = page->file;
    bool any = judging->count > judging->unjudgeable;
    fputs("<h2 id=\"claims\"><a href=\"#claims\">What the papers claim, and what holds here</a></h2>\n",
          file);
    if (any) {
        fputs("<p>In each paper the claims that differ most from it come first.</p>\n", file);
        for (size_t i = 0; i < judging->totals.count; i++)
            print_paper(page, judging, &judging->totals.papers[i]);
        fputs("<details id=\"claims-verdicts\"><summary>What the verdicts mean, and how many there are"
              "</summary>\n",
              file);
        print_meaning(file);
        fputs("<div class=\"wide totals\" tabindex=\"0\">\n", file);
        totals_print(&judging->totals, 1, FORM_HTML, file);
        fputs("</div>\n<p>The claims counted \"by wrong answers\" agree with the paper, by a barrier whose "
              "answers were wrong here; the other columns leave them out.</p>\n</details>\n",
              file);
    }
    fprintf(file, "<p>%zu%s claims are about what was not run here, or what this device cannot show.</p>\n",
            judging->unjudgeable, any ? " further" : "");
}

/* ---- page ---- */

/* ---- the head ---- */

/* Returns the result of any drawn figure, from which facts about the device are read. Returns NULL if the
 * folder is of the abstract machines, or if no figure shows a result. */
static struct result *any_result(const char *folder, const struct drawn *drawn, size_t count)
{
    for (size_t i = 0; i < count && !has_file(folder, "study"); i++) {
        struct result *r = result_open(folder, drawn_source(&drawn[i]));
        if (r)
            return r;
    }
    return NULL;
}

void print_start(FILE *file, const char *title)
{
    html(file,
         "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" "
         "content=\"width=device-width, initial-scale=1\"/>\n<title>gpusync: %s</title>\n",
         title);
    fprintf(file, "<style>\n%s</style>\n<script>\n%s</script>\n</head>\n<body>\n", page_style, page_script);
    html(file, "<h1>%s</h1>\n", title);
}

static void print_head(FILE *file, const char *folder, const struct result *r)
{
    print_start(file, made("%s: %s", r ? r->device_name : "The memory machine",
                           r && !r->machine ? "measured"
                           : r              ? "predicted by the memory machine"
                                            : "abstract machines of Nakano 2013, and weak memory"));
    fprintf(file, "<p><a href=\"%s../index.html\">All devices</a>", is_reference(folder) ? "../" : "");
    if (r) {
        html(file, ". Revision %s", text_of(r->json, "revision"));
        fputs(is_true(r->json, "dirty") ? " with changes, " : ", ", file);
        print_html(file, text_of(r->json, "created"));
        if (has_changed_kernels(folder))
            fputs("; the <a href=\"#table-changed\">kernels have changed since</a>", file);
    }
    fputs(".</p>\n", file);
}

/* ---- the tables and figures under each question of the page ---- */

static bool is_of_question(const struct drawn *drawn, size_t question)
{
    return strcmp(drawn->figure->question, questions[question].name) == 0;
}

/* Returns the first table after `before` that belongs to the question and can be made from the folder's
 * results, or NULL if there is none. `before` may be NULL; then the search begins at the first table. */
static const struct tables *next_table(const struct page *page, const char *question,
                                       const struct tables *before)
{
    size_t count;
    const struct tables *list = all_tables(&count);
    for (const struct tables *t = before ? before + 1 : list; t < list + count; t++)
        if (strcmp(t->question, question) == 0 && table_is_possible(t, page->folder))
            return t;
    return NULL;
}

static void print_tables(const struct page *page, const char *question)
{
    for (const struct tables *t = NULL; (t = next_table(page, question, t));) {
        html(page->file,
             "<details id=\"table-%s\"><summary>%s: the table</summary>\n<div class=\"wide\" "
             "tabindex=\"0\">\n",
             t->name, t->title);
        print_tables_of(t, page->folder, FORM_HTML, page->file);
        fputs("</div></details>\n", page->file);
    }
}

static bool has_question(const struct page *page, size_t question)
{
    for (size_t i = 0; i < page->count; i++)
        if (is_of_question(&page->drawn[i], question))
            return true;
    return next_table(page, questions[question].name, NULL);
}

static void print_question(const struct page *page, size_t question)
{
    const char *name = questions[question].name;
    fprintf(page->file, "<h2 id=\"question-%s\"><a href=\"#question-%s\">%s</a></h2>\n", name, name,
            questions[question].text);
    for (size_t i = 0; i < page->count; i++)
        if (is_of_question(&page->drawn[i], question))
            print_figure(page, &page->drawn[i]);
    print_tables(page, questions[question].name);
}

/* ---- contents ---- */

static void print_entry(FILE *file, const char *kind, const char *name, const char *text)
{
    html(file, "<li><a href=\"#%s-%s\">%s</a></li>\n", kind, name, text);
}

static void print_table_entries(const struct page *page, const char *question)
{
    for (const struct tables *t = NULL; (t = next_table(page, question, t));)
        print_entry(page->file, "table", t->name, made("Table: %s", t->title));
}

/* Prints the figures and tables of a question, folded under its link. */
static void print_entries(const struct page *page, size_t question)
{
    size_t shown = 0;
    for (size_t i = 0; i < page->count; i++)
        shown += is_of_question(&page->drawn[i], question);
    fprintf(page->file, "<li><details><summary><a href=\"#question-%s\">%s</a>", questions[question].name,
            questions[question].text);
    if (shown)
        fprintf(page->file, " (%zu figure%s)", shown, shown == 1 ? "" : "s");
    fputs("</summary>\n<ul>\n", page->file);
    for (size_t i = 0; i < page->count; i++)
        if (is_of_question(&page->drawn[i], question))
            print_entry(page->file, "figure", page->drawn[i].name, drawn_title(&page->drawn[i]));
    print_table_entries(page, questions[question].name);
    fputs("</ul></details></li>\n", page->file);
}

static void print_contents(const struct page *page)
{
    fputs("<nav aria-label=\"Contents\">\n<ul>\n", page->file);
    for (size_t q = 0; q < questions_count; q++)
        if (has_question(page, q))
            print_entries(page, q);
    fputs("<li><a href=\"#claims\">What the papers claim, and what holds here</a></li>\n", page->file);
    print_table_entries(page, "causes");
    fputs("</ul>\n</nav>\n", page->file);
}

void write_page(const struct drawing *d)
{
    struct new_file file = file_begin(made("%s/index.html", d->plots));
    struct result *r = any_result(d->folder, d->drawn, d->count);
    const struct page page = {file.file, d->folder, d->plots, d->drawn, d->count, r};
    struct judging judging = judging_of(d->folder);
    print_head(page.file, d->folder, r);
    print_top(&page, &judging);
    print_contents(&page);
    print_reading(&page);
    for (size_t q = 0; q < questions_count; q++)
        if (has_question(&page, q))
            print_question(&page, q);
    print_claims_part(&page, &judging);
    print_tables(&page, "causes");
    free(judging.items);
    fputs("</body>\n</html>\n", page.file);
    file_finish(&file);
}
