/* Writes the page of a device. It has an answer in one sentence, the claims, and the figures and tables under
 * the questions that they help to answer. It is one file, which contains its figures. */
#include "base/file.h"
#include "report/changed.h"
#include "report/claims.h"
#include "report/compare.h"
#include "report/figures.h"
#include "report/folders.h"
#include "report/page.h"
#include "report/page_claims.h"
#include "report/page_figure.h"
#include "report/page_style.h"
#include "report/questions.h"
#include "report/results.h"
#include "report/tables.h"
#include "report/timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static void print_start(FILE *file, const char *title)
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

/* ---- the answer ---- */

static const cJSON *fastest(const struct result *r, bool in_kernel)
{
    return fastest_point(r, r->sms, -1, in_kernel ? is_ordered_barrier : is_launch);
}

/* Prints "NAME at X us": the point's variant and the time of one barrier. */
static void print_cost(FILE *file, const struct result *r, const cJSON *p)
{
    char us[32];
    fputs("<strong>", file);
    print_html(file, text_of(p, "variant"));
    fprintf(file, "</strong> at %s us", fixed(us, barrier_time(r, p).us, 2));
}

static void print_gains(FILE *file, const char *folder)
{
    static const char *const programs[][2] = {
        {"fft", "FFT"}, {"swat", "Smith-Waterman"}, {"bitonic", "bitonic sort"}};
    const char *before = " Over back-to-back launches the fastest grid barrier gains ";
    char text[32];
    for (size_t i = 0; i < 3; i++) {
        struct result *r = result_open(folder, programs[i][0]);
        const cJSON *best = r ? fastest(r, true) : NULL;
        double gain = r ? run_us(r, "cpu-implicit", r->sms, -1) / run_time(r, best).us : NAN;
        if (isfinite(gain)) {
            fprintf(file, "%s%s times in %s (%g)", before, fixed(text, gain, 1), programs[i][1],
                    number_of(best, "size"));
            before = ", ";
        }
        result_close(r);
    }
    if (*before == ',')
        fputs(".", file);
}

static void print_answer(FILE *file, const char *folder)
{
    struct result *r = result_open(folder, "micro-barrier");
    const cJSON *barrier = r ? fastest(r, true) : NULL, *launch = r ? fastest(r, false) : NULL;
    if (barrier && launch) {
        const cJSON *implicit = result_point(r, "cpu-implicit", r->sms, -1, -1);
        fprintf(
            file,
            "<p class=\"answer\">With a block on each of %d multiprocessors, the cheapest ordered barrier in "
            "the kernel is ",
            r->sms);
        print_cost(file, r, barrier);
        fputs("; ending the kernel costs ", file);
        print_cost(file, r, launch);
        if (implicit != launch) {
            fputs(", and ", file);
            print_cost(file, r, implicit);
        }
        fputs(operation_time(r, launch).us < operation_time(r, barrier).us
                  ? ". So stay in the kernel for what must stay in registers or shared memory, not for the "
                    "barrier."
                  : ". So a barrier in the kernel pays wherever steps are short.",
              file);
        print_gains(file, folder);
        fputs("</p>\n", file);
    }
    result_close(r);
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

static void print_entries(const struct page *page, size_t question)
{
    char title[512];
    fputs("\n<ul>\n", page->file);
    for (size_t i = 0; i < page->count; i++)
        if (is_of_question(&page->drawn[i], question)) {
            print_entry(page->file, "figure", page->drawn[i].name,
                        drawn_title(&page->drawn[i], title, sizeof title));
            fputs("</li>\n", page->file);
        }
    print_table_entries(page, questions[question].name);
    fputs("</ul>\n", page->file);
}

static void print_contents(const struct page *page)
{
    fputs("<nav aria-label=\"Contents\">\n<ul>\n"
          "<li><a href=\"#claims\">What the papers claim, and what holds here</a></li>\n",
          page->file);
    print_table_entries(page, "causes");
    fputs("<li><a href=\"#reading\">How to read the figures</a></li>\n", page->file);
    for (size_t q = 0; q < questions_count; q++)
        if (has_question(page, q)) {
            print_entry(page->file, "question", questions[q].name, questions[q].text);
            print_entries(page, q);
            fputs("</li>\n", page->file);
        }
    fputs("</ul>\n</nav>\n", page->file);
}

void write_page(const struct drawing *d)
{
    char path[600];
    snprintf(path, sizeof path, "%s/index.html", d->plots);
    struct new_file file = file_begin(path);
    struct result *r = any_result(d->folder, d->drawn, d->count);
    const struct page page = {file.file, d->folder, d->plots, d->drawn, d->count, r};
    print_head(page.file, d->folder, r);
    print_answer(page.file, d->folder);
    print_contents(&page);
    print_claims_part(&page);
    print_tables(&page, "causes");
    print_reading(&page);
    for (size_t q = 0; q < questions_count; q++)
        if (has_question(&page, q))
            print_question(&page, q);
    fputs("</body>\n</html>\n", page.file);
    file_finish(&file);
    result_close(r);
}

/* ---- all devices ---- */

static bool is_gpu(const char *folder)
{
    struct result *r = result_open(folder, "micro-barrier");
    bool gpu = r && !r->machine;
    result_close(r);
    return gpu;
}

/* Prints a comparison of the first two GPUs among the folders. */
static void print_comparison(FILE *file, char **folders, size_t count)
{
    const char *gpus[2];
    size_t found = 0;
    for (size_t i = 0; i < count && found < 2; i++)
        if (is_gpu(folders[i]))
            gpus[found++] = folders[i];
    if (found < 2)
        return;
    fputs("<h2>Two GPUs</h2>\n<p>Each variant at its best; of the micro-benchmark, with the blocks that fill "
          "the first "
          "GPU.</p>\n<div class=\"wide\" tabindex=\"0\">\n",
          file);
    print_best_ratios(gpus[0], gpus[1], FORM_HTML, file);
    fputs("</div>\n", file);
}

/* Prints the name of the folder's device, as a link to the device's page if the page has been drawn. */
static void print_device(FILE *file, const char *folder)
{
    char plots[512], page[600];
    plots_of(folder, plots, sizeof plots);
    snprintf(page, sizeof page, "%s/index.html", plots);
    bool drawn = access(page, F_OK) == 0;
    fputs("<li>", file);
    if (drawn) {
        fputs("<a href=\"", file);
        print_html(file, page + strlen("plots/"));
        fputs("\">", file);
    }
    print_html(file, check_folder(folder));
    fputs(drawn ? "</a>" : ": not drawn yet (make figures)", file);
    fputs("</li>\n", file);
}

static void print_devices(FILE *file, char **folders, size_t count, bool reference)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (is_reference(folders[i]) != reference)
            continue;
        if (!any)
            fprintf(file, "<h2>%s</h2>\n<ul>\n", reference ? "For reference" : "Run here");
        any = true;
        print_device(file, folders[i]);
    }
    fputs(any ? "</ul>\n" : "", file);
}

void write_overview(void)
{
    size_t count;
    char **folders = all_folders(&count);
    struct new_file page = file_begin("plots/index.html");
    print_start(page.file, "synchronization and communication inside GPUs");
    fputs("<p>Each device's page answers what a barrier costs there, when it is worth it, and which of the "
          "papers' claims hold.</p>\n",
          page.file);
    print_devices(page.file, folders, count, false);
    print_devices(page.file, folders, count, true);
    fputs("<h2>Every claim on every device</h2>\n<div class=\"wide\" tabindex=\"0\">\n", page.file);
    print_claims_matrix(folders, count, FORM_HTML, page.file);
    fputs("</div>\n", page.file);
    print_comparison(page.file, folders, count);
    fputs("</body>\n</html>\n", page.file);
    file_finish(&page);
    for (size_t i = 0; i < count; i++)
        free(folders[i]);
    free(folders);
}
