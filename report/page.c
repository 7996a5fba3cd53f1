/* Writes the page of a device: the first screen (report/page_top.c), the figures and tables under the
 * questions that they help to answer, and the claims. It is one file, which contains its figures. */
#include "report/page.h"
#include "base/file.h"
#include "report/claims.h"
#include "report/figures.h"
#include "report/devices.h"
#include "report/results.h"
#include "report/table.h"
#include "report/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the style sheet of the pages, and a script ---- */

/* The pages also work without the script. Neither text contains characters that XML reserves. */

/* The style sheet. On a narrow screen a figure has a drawing of its own (report/page_figure.c), a table is
 * scrolled in its own box, and rows of claims become blocks. Figures have dark colours of their own
 * (report/gnuplot.c). */
static const char page_style[] =
    ":root { color-scheme: light dark; --ink: #1b1b1f; --paper: #ffffff; --line: #c9c9c4; --soft: #f1f1ee;\n"
    "  --link: #1a4f9c; --none: #5f5f66; --holds: #a9d8b5; --near: #d5ebc8; --part: #fbe7a6; --half: "
    "#f3dcb4;\n"
    "  --tie: #dcdcda; --off: #f9cf9c; --wrong: #f2aea8; }\n"
    "@media (prefers-color-scheme: dark) { :root { --ink: #ebebeb; --paper: #171717; --line: #46464c;\n"
    "  --soft: #222227; --link: #8fb8f5; --none: #a3a3ab; --holds: #1f5c33; --near: #3c5426; --part: "
    "#5f4c0c;\n"
    "  --half: #5a4a2e; --tie: #48484c; --off: #6e4312; --wrong: #7a2a26; } }\n"
    "body { font: 17px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);\n"
    "  max-width: 68rem; margin: 1.5rem auto; padding: 0 1rem; overflow-wrap: break-word; }\n"
    "a { color: var(--link); } h2 a, h3 a, th a { color: inherit; text-decoration: none; }\n"
    "h2 a:hover, h3 a:hover { text-decoration: underline; }\n"
    "h1 { line-height: 1.2; margin: 0.5rem 0; font-size: 1.7rem; }\n"
    "h2 { margin: 2.5rem 0 1rem; border-bottom: 1px solid var(--line); font-size: 1.35rem; }\n"
    "h3 { margin: 0 0 0.4rem; font-size: 1.05rem; }\n"
    ".answer { font-size: 1.1rem; background: var(--soft); padding: 0.7rem 1rem; border-radius: 0.5rem;\n"
    "  margin: 0.8rem 0; }\n"
    ".top { display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); gap: 0 2.5rem; }\n"
    ".top h2 { margin: 0.8rem 0 0.5rem; font-size: 1.15rem; border: 0; }\n"
    ".top section:only-child { grid-column: 1 / -1; }\n"
    ".costs td:not(:first-child), .costs th:not(:first-child) { text-align: right; }\n"
    ".note, .legend { font-size: 0.85rem; color: var(--none); margin: 0.5rem 0; }\n"
    ".legend { line-height: 1.9; } .key { white-space: nowrap; margin-right: 0.8em; }\n"
    ".bar { display: flex; height: 1.5em; font-size: 0.8rem; min-width: 12rem; }\n"
    ".bar span { overflow: hidden; text-align: center; min-width: 1.4em; }\n"
    ".bars { width: 100%; } .bars td:last-child { width: 70%; padding-right: 0; }\n"
    ".bars td { white-space: nowrap; background: none; }\n"
    ".v-holds { background: var(--holds); } .v-near { background: var(--near); }\n"
    ".v-part { background: var(--part); } .v-half { background: var(--half); } .v-tie { background: "
    "var(--tie); }\n"
    ".v-off { background: var(--off); } .v-wrong { background: var(--wrong); }\n"
    ".v-void { background: repeating-linear-gradient(135deg, var(--holds) 0 4px, var(--paper) 4px 7px); }\n"
    ".v-none { color: var(--none); }\n"
    ".cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(20rem, 100%), 1fr)); gap: "
    "1rem; }\n"
    ".card { border: 1px solid var(--line); border-radius: 0.5rem; padding: 0.8rem 1rem; font-size: "
    "0.92rem;\n"
    "  display: flex; flex-direction: column; }\n"
    ".card p { margin: 0 0 0.6rem; } .card .bar { margin-top: auto; } .card h3 a { color: var(--link); }\n"
    "nav ul { margin: 0.2rem 0; padding-left: 0; list-style: none; } nav li { margin: 0.1rem 0; }\n"
    "nav details { margin: 0; } nav > ul { columns: 2 24rem; } nav ul ul { font-size: 0.9rem; padding-left: "
    "1.2rem; }\n"
    "img { display: block; width: 100%; max-width: 54rem; height: auto; }\n"
    "figure { margin: 2rem 0; } figcaption { margin-top: 0.4rem; }\n"
    ".says { font-weight: 600; display: block; }\n"
    ".made { display: block; font-size: 0.85rem; color: var(--none); }\n"
    ".wide { overflow-x: auto; } .variants td:first-child { white-space: nowrap; }\n"
    ".swatch { display: inline-block; width: 0.8em; height: 0.8em; border-radius: 0.2em;\n"
    "  border: 1px solid var(--line); }\n"
    "table { border-collapse: collapse; font-size: 0.9rem; }\n"
    "th { border-bottom: 1px solid var(--line); }\n"
    "td, th { text-align: left; padding: 0.15rem 0.9rem 0.15rem 0; font-variant-numeric: tabular-nums;\n"
    "  vertical-align: top; }\n"
    "th button { font: inherit; color: inherit; text-align: left; background: none; border: 0; padding: 0;\n"
    "  cursor: pointer; } th button::after { content: ' \\2195'; color: var(--none); }\n"
    "th[aria-sort=ascending] button::after { content: ' \\2191'; color: inherit; }\n"
    "th[aria-sort=descending] button::after { content: ' \\2193'; color: inherit; }\n"
    ".wide tr:nth-child(even) td:not([class]) { background: var(--soft); }\n"
    "tr:target td { outline: 2px solid var(--link); }\n"
    ".claims td { padding: 0.3rem 0.6rem 0.3rem 0.3rem; }\n"
    ".matrix { max-height: 80vh; overflow: auto; } .matrix table { font-size: 0.8rem; }\n"
    ".matrix td { padding: 0.25rem 0.4rem; border: 1px solid var(--line); }\n"
    ".matrix td:first-child { min-width: 16rem; } .matrix .cell { text-align: right; cursor: help; }\n"
    ".matrix thead th { position: sticky; top: 0; background: var(--paper); vertical-align: bottom; }\n"
    ".upright { writing-mode: vertical-rl; transform: rotate(180deg); white-space: nowrap; }\n"
    "#words { position: sticky; bottom: 0; background: var(--soft); padding: 0.6rem 1rem; margin: 0;\n"
    "  border-top: 1px solid var(--line); font-size: 0.9rem; } #words:empty { display: none; }\n"
    "dt { float: left; clear: left; padding: 0 0.3rem; } dd { margin: 0 0 0.4rem 17.5rem; }\n"
    "details { margin: 0.6rem 0; } summary { cursor: pointer; } summary .bar { margin: 0.3rem 0 0.6rem; }\n"
    "@media (max-width: 46rem) { body { font-size: 16px; } td, th { padding-right: 0.6rem; }\n"
    "  .top { grid-template-columns: minmax(0, 1fr); }\n"
    "  .bars td { display: block; float: left; } .bars td:last-child { width: 100%; padding-bottom: 0.4rem; "
    "}\n"
    "  .claims thead { display: none; } .claims td { display: block; padding: 0.1rem 0.3rem; }\n"
    "  .claims tr { display: block; margin: 0.8rem 0; border-top: 1px solid var(--line); }\n"
    "  .claims td.empty { display: none; } .claims td:nth-child(3)::before { content: 'paper: '; } .claims "
    "td:nth-child(4)::before { content: 'here: '; }\n"
    "  .claims td:nth-child(6)::before { content: 'the same verdict in: '; }\n"
    "  .matrix td:first-child { min-width: 11rem; } dt { float: none; } dd { margin-left: 1rem; } }\n";

/* The script. A click on the head of a column sorts the table by this column, and a second click sorts it in
 * reverse order. Numbers come before texts. A link to something folded opens its folds. A click on a cell of
 * the matrix shows the cell's title. */
static const char page_script[] =
    "'use strict';\n"
    "function number(text) {\n"
    "  var found = text.replace(/,/g, '').match(/^[^\\w.-]*(-?[0-9.]+(?:e[-+]?[0-9]+)?)/);\n"
    "  return found ? parseFloat(found[1]) : NaN;\n"
    "}\n"
    "function compare(a, b, way) {\n"
    "  var x = number(a), y = number(b);\n"
    "  if (isNaN(x) !== isNaN(y)) return isNaN(x) ? 1 : -1;\n"
    "  return way * ((isNaN(x) ? 0 : x - y) || a.localeCompare(b, undefined, { numeric: true }));\n"
    "}\n"
    "function sortBy(head) {\n"
    "  var body = head.closest('table').tBodies[0], way = head.ariaSort === 'ascending' ? -1 : 1;\n"
    "  function cell(row) { var c = row.cells[head.cellIndex]; return c ? c.textContent.trim() : ''; }\n"
    "  Array.from(head.parentNode.cells).forEach(function (other) { other.removeAttribute('aria-sort'); });\n"
    "  head.setAttribute('aria-sort', way === 1 ? 'ascending' : 'descending');\n"
    "  Array.from(body.rows).sort(function (a, b) { return compare(cell(a), cell(b), way); })\n"
    "    .forEach(function (row) { body.appendChild(row); });\n"
    "}\n"
    "function openTarget() {\n"
    "  var target = document.getElementById(location.hash.slice(1));\n"
    "  if (!target) return;\n"
    "  for (var at = target; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;\n"
    "  target.scrollIntoView();\n"
    "}\n"
    "document.addEventListener('DOMContentLoaded', function () {\n"
    "  document.querySelectorAll('.wide thead th').forEach(function (head) {\n"
    "    var button = document.createElement('button');\n"
    "    button.type = 'button';\n"
    "    while (head.firstChild) button.appendChild(head.firstChild);\n"
    "    head.appendChild(button);\n"
    "    button.addEventListener('click', function () { sortBy(head); });\n"
    "  });\n"
    "  document.querySelectorAll('.cell').forEach(function (cell) {\n"
    "    function show() { document.getElementById('words').textContent = cell.title; }\n"
    "    cell.addEventListener('click', show);\n"
    "    cell.addEventListener('focus', show);\n"
    "  });\n"
    "  openTarget();\n"
    "});\n"
    "window.addEventListener('hashchange', openTarget);\n";

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
 * folder has results of the abstract machines, or if no figure shows a result. */
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
