/* Writes the page of a device: the first screen (report/page_top.c), the figures and tables under the
 * questions that they help to answer, and the claims. It is one file, which contains its figures. */
#include "base/file.h"
#include "report/changed.h"
#include "report/figures.h"
#include "report/folders.h"
#include "report/page.h"
#include "report/page_claims.h"
#include "report/page_figure.h"
#include "report/page_style.h"
#include "report/page_top.h"
#include "report/questions.h"
#include "report/results.h"
#include "report/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the head ---- */

/* Returns the result of any drawn figure, from which facts about the device are read. Returns NULL if the
 * folder is of the abstract machines, or if no figure shows a result. */
static struct result *any_result(const char *folder, const struct drawn *drawn, size_t count)
{
    char name[128];
    for (size_t i = 0; i < count && !has_file(folder, "study"); i++) {
        struct result *r = result_open(folder, drawn_source(&drawn[i], name, sizeof name));
        if (r)
            return r;
    }
    return NULL;
}

void print_start(FILE *file, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>gpusync: ",
          file);
    print_html(file, title);
    fprintf(file, "</title>\n<style>\n%s</style>\n<script>\n%s</script>\n</head>\n<body>\n<h1>", page_style,
            page_script);
    print_html(file, title);
    fputs("</h1>\n", file);
}

static void print_head(FILE *file, const char *folder, const struct result *r)
{
    char title[512];
    snprintf(title, sizeof title, "%s: %s", r ? r->device_name : "The memory machine",
             r && !r->machine ? "measured"
             : r              ? "predicted by the memory machine"
                              : "abstract machines of Nakano 2013, and weak memory");
    print_start(file, title);
    fprintf(file, "<p><a href=\"%s../index.html\">All devices</a>", is_reference(folder) ? "../" : "");
    if (r) {
        fputs(". Revision ", file);
        print_html(file, text_of(r->json, "revision"));
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
        fprintf(page->file, "<details id=\"table-%s\"><summary>", t->name);
        print_html(page->file, t->title);
        fputs(": the table</summary>\n<div class=\"wide\" tabindex=\"0\">\n", page->file);
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
    fprintf(file, "<li><a href=\"#%s-%s\">", kind, name);
    print_html(file, text);
    fputs("</a>", file);
}

static void print_table_entries(const struct page *page, const char *question)
{
    char title[512];
    for (const struct tables *t = NULL; (t = next_table(page, question, t));) {
        snprintf(title, sizeof title, "Table: %s", t->title);
        print_entry(page->file, "table", t->name, title);
        fputs("</li>\n", page->file);
    }
}

/* Prints the figures and tables of a question, folded under its link. */
static void print_entries(const struct page *page, size_t question)
{
    char title[512];
    size_t shown = 0;
    for (size_t i = 0; i < page->count; i++)
        shown += is_of_question(&page->drawn[i], question);
    fprintf(page->file, "<li><details><summary><a href=\"#question-%s\">%s</a>", questions[question].name,
            questions[question].text);
    if (shown)
        fprintf(page->file, " (%zu figure%s)", shown, shown == 1 ? "" : "s");
    fputs("</summary>\n<ul>\n", page->file);
    for (size_t i = 0; i < page->count; i++)
        if (is_of_question(&page->drawn[i], question)) {
            print_entry(page->file, "figure", page->drawn[i].name,
                        drawn_title(&page->drawn[i], title, sizeof title));
            fputs("</li>\n", page->file);
        }
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
    char path[600];
    snprintf(path, sizeof path, "%s/index.html", d->plots);
    struct new_file file = file_begin(path);
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
    judging_free(&judging);
    fputs("</body>\n</html>\n", page.file);
    file_finish(&file);
    result_close(r);
}
