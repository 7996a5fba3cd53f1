/* The page that answers what a device's results say: in a sentence, by claims, and by figures and tables under the
 * question that each helps to answer. One file, with its figures in it. */
#include "base/failure.h"
#include "base/file.h"
#include "report/claims.h"
#include "report/compare.h"
#include "report/figures.h"
#include "report/folders.h"
#include "report/results.h"
#include "report/tables.h"
#include "report/timing.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char style[] =
    ":root { color-scheme: light dark; --ink: #1b1b1f; --paper: #fdfdfc; --line: #c9c9c4; --soft: #f1f1ee;\n"
    "  --good: #14662f; --part: #7a4d00; --bad: #a01c1c; --none: #5f5f66; }\n"
    "@media (prefers-color-scheme: dark) { :root { --ink: #e8e8ec; --paper: #17171a; --line: #46464c;\n"
    "  --soft: #222227; --good: #7bd694; --part: #e5b567; --bad: #ff9d94; --none: #a3a3ab; } }\n"
    "body { font: 17px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper);\n"
    "  max-width: 64rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: break-word; }\n"
    "h1 { line-height: 1.2; } h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); }\n"
    ".answer { font-size: 1.15rem; background: var(--soft); padding: 1rem 1.2rem; border-radius: 0.5rem; }\n"
    "img { width: 100%; height: auto; background: #fff; border-radius: 0.3rem; }\n"
    "figure { margin: 2rem 0; } figcaption { margin-top: 0.4rem; }\n"
    ".wide { overflow-x: auto; }\n"
    "table { border-collapse: collapse; font-size: 0.85rem; }\n"
    "th { border-bottom: 1px solid var(--line); }\n"
    "td, th { text-align: left; padding: 0.2rem 0.9rem 0.2rem 0; font-variant-numeric: tabular-nums;\n"
    "  vertical-align: top; }\n"
    "tr:nth-child(even) td { background: var(--soft); }\n"
    ".holds { color: var(--good); font-weight: 600; } .part { color: var(--part); font-weight: 600; }\n"
    ".reversed { color: var(--bad); font-weight: 600; } .none { color: var(--none); }\n"
    "details { margin: 1rem 0; } summary { cursor: pointer; }\n"
    "@media (max-width: 40rem) { body { font-size: 16px; } td, th { padding-right: 0.6rem; } }\n";

/* ---- what belongs to which question ---- */

static const struct {
    const char *name, *question, *tables;
} questions[] = {
    {"cost", "What does a barrier cost, and of what?", "micro components residency"},
    {"algorithms", "When is a barrier in the kernel worth it?", "steps best"},
    {"gpus", "What does a barrier across several GPUs cost?", ""},
    {"warps", "How should warps and tiles wait for each other?", "fine-grained"},
    {"tiles", "How should blocks wait for each other's data?", "hops hop-partners hop-bytes layers"},
    {"shuffles", "Shuffle or shared memory?", "shuffle"},
    {"memory", "What may a load return that nothing orders?", "litmus weak-memory-seeds weak-memory-cost"},
    {"sums", "Do algorithms with few barriers pay?", "sum bounds"},
    {"machine", "How well does the memory machine predict this GPU?", "fidelity"},
};

const char *question_text(const char *question)
{
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        if (strcmp(questions[i].name, question) == 0)
            return questions[i].question;
    return "Others";
}

/* ---- the head ---- */

static struct result *any_result(const char *folder, const struct drawn *drawn, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *of = drawn[i].figure->of;
        if (*of == '*') /* NAME-PROGRAM */
            of = drawn[i].name + strlen(drawn[i].figure->name) + 1;
        struct result *r = strcmp(of, "study") == 0 ? NULL : result_open(folder, of);
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
    fprintf(file, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>", style);
    print_html(file, title);
    fputs("</h1>\n", file);
}

static void print_head(FILE *file, const char *folder, const struct result *r)
{
    char title[512];
    snprintf(title, sizeof title, "%s: %s", r ? r->device_name : "Abstract machines",
             r && !r->machine ? "measured"
             : r              ? "predicted by the memory machine"
                              : "Nakano 2013");
    print_start(file, title);
    fprintf(file, "<p><a href=\"%s../index.html\">All devices</a>", is_reference(folder) ? "../" : "");
    if (r) {
        fputs(". Revision ", file);
        print_html(file, text_of(r->json, "revision"));
        fputs(is_true(r->json, "dirty") ? " with changes, " : ", ", file);
        print_html(file, text_of(r->json, "created"));
    }
    fputs(".</p>\n", file);
}

/* ---- the answer ---- */

static const cJSON *fastest(const struct result *r, bool in_kernel)
{
    return fastest_point(r, r->sms, -1, in_kernel ? is_ordered_barrier : is_launch);
}

/* "NAME at X us" of a point, less the loop without barriers. */
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

/* ---- tables and figures ---- */

/* A word of a list with blanks? */
static bool is_word_of(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = strstr(list, word); at; at = strstr(at + 1, word))
        if ((at == list || at[-1] == ' ') && (!at[length] || at[length] == ' '))
            return true;
    return false;
}

static void print_tables(FILE *file, const char *folder, const char *names)
{
    for (size_t i = 0; i < all_tables_count; i++) {
        if (!is_word_of(names, all_tables[i].name) || !all_tables[i].has(folder))
            continue;
        fputs("<details><summary>", file);
        print_html(file, all_tables[i].title);
        fputs(": the table</summary>\n<div class=\"wide\" tabindex=\"0\">\n", file);
        all_tables[i].print(folder, FORM_HTML, file);
        fputs("</div></details>\n", file);
    }
}

/* A file's bytes in base64, so that the page needs no other file. */
static void print_base64(FILE *file, FILE *from)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char three[3];
    size_t got;
    while ((got = fread(three, 1, 3, from))) {
        unsigned bits =
            (unsigned)three[0] << 16 | (got > 1 ? (unsigned)three[1] << 8 : 0) | (got > 2 ? three[2] : 0);
        for (size_t i = 0; i < 4; i++)
            fputc(i <= got ? digits[bits >> (18 - 6 * i) & 63] : '=', file);
    }
}

static void print_figure(FILE *file, const char *plots, const struct drawn *d)
{
    char path[1000], title[512];
    const char *program = d->name + strlen(d->figure->name); /* of a family: -PROGRAM */
    snprintf(path, sizeof path, "%s/%s.svg", plots, d->name);
    FILE *drawing = fopen(path, "rb");
    if (!drawing)
        fail(EXIT_BAD_INPUT, "%s cannot be read: %s", path, strerror(errno));
    figure_title(d->figure, program + (*program == '-'), title, sizeof title);
    fputs("<figure><img alt=\"", file);
    print_html(file, title);
    fputs("\" src=\"data:image/svg+xml;base64,", file);
    print_base64(file, drawing);
    fclose(drawing);
    fputs("\"/><figcaption>", file);
    print_html(file, d->figure->help);
    fputs(" <em>", file);
    print_html(file, strcmp(d->figure->place, "ours") == 0 ? "Not in the papers." : d->figure->place);
    fputs("</em></figcaption></figure>\n", file);
}

static void print_question(FILE *file, const char *folder, const char *plots, size_t question,
                           const struct drawn *drawn, size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(drawn[i].figure->question, questions[question].name) != 0)
            continue;
        if (!any)
            fprintf(file, "<h2>%s</h2>\n", questions[question].question);
        any = true;
        print_figure(file, plots, &drawn[i]);
    }
    if (any)
        print_tables(file, folder, questions[question].tables);
}

static void print_claims_part(FILE *file, const char *folder)
{
    fputs("<h2>What the papers claim, and what holds here</h2>\n<div class=\"wide\" tabindex=\"0\">\n", file);
    print_claims(folder, FORM_HTML, file);
    fputs("</div>\n<p>In brackets: the interval that the medians' 95 % intervals bound. A claim holds if it "
          "meets the "
          "paper's value; in part if it only has the same direction.</p>\n",
          file);
}

void write_page(const char *folder, const char *plots, const struct drawn *drawn, size_t count)
{
    char path[600];
    snprintf(path, sizeof path, "%s/index.html", plots);
    struct new_file page = file_begin(path);
    struct result *r = any_result(folder, drawn, count);
    print_head(page.file, folder, r);
    result_close(r);
    print_answer(page.file, folder);
    print_claims_part(page.file, folder);
    for (size_t q = 0; q < sizeof questions / sizeof *questions; q++)
        print_question(page.file, folder, plots, q, drawn, count);
    fputs("</body>\n</html>\n", page.file);
    file_finish(&page);
}

/* ---- all devices ---- */

static bool is_gpu(const char *folder)
{
    struct result *r = result_open(folder, "micro-barrier");
    bool gpu = r && !r->machine;
    result_close(r);
    return gpu;
}

/* Of the first two GPUs. */
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

/* A device of the overview: a link to its page, where that has been drawn. */
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
