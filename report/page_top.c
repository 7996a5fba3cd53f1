#include "report/page.h"
#include "base/memory.h"
#include "harness/methods.h"
#include "report/claims.h"
#include "report/table.h"
#include "report/results.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <assert.h>

/* ---- what a barrier costs ---- */

static bool is_method(const cJSON *p)
{
    return is_ordered_barrier(p) || (is_launch(p) && is_true(p, "verified"));
}

/* The cost of one barrier, by one method, with a block on every multiprocessor. */
struct cost {
    double us;
    const char *method;
};

/* Returns the costs of all ordered methods, the cheapest first, and sets *count to their number. The caller
 * frees the array. */
static struct cost *costs_of(const struct result *r, size_t *count)
{
    struct cost *costs = NULL;
    *count = 0;
    FOR_EACH_POINT(p, r)
    {
        double us = number_of(p, "blocks") == r->sms && is_method(p) ? barrier_time(r, p).us : NAN;
        if (!isfinite(us))
            continue;
        costs = with_room(costs, sizeof *costs, *count, 1);
        costs[(*count)++] = (struct cost){us, text_of(p, "variant")};
    }
    if (costs)
        qsort(costs, *count, sizeof *costs, compare_numbers);
    return costs;
}

static const char *summary_of(const char *method)
{
    for (int i = 0; i < SYNC_METHODS; i++)
        if (strcmp(sync_variants[i].name, method) == 0 && sync_variants[i].summary)
            return sync_variants[i].summary;
    return "";
}

static void print_costs(FILE *file, const struct result *r)
{
    size_t count;
    struct cost *costs = costs_of(r, &count);
    if (!count)
        return;
    fprintf(file,
            "<section>\n<h2 id=\"costs\">What a barrier costs</h2>\n<table class=\"costs\">\n<thead>\n<tr>"
            "<th scope=\"col\">method</th><th scope=\"col\">us</th><th scope=\"col\">times the "
            "fastest</th></tr>\n"
            "</thead>\n<tbody>\n");
    for (size_t i = 0; i < count; i++) {
        html(file, "<tr title=\"%s\"><td>%s</td><td>%.2f</td><td>%.1F</td></tr>\n",
             summary_of(costs[i].method), named_plainly(costs[i].method), costs[i].us,
             costs[i].us / costs[0].us);
    }
    fprintf(file,
            "</tbody>\n</table>\n<p class=\"note\">Ordered methods, %d blocks; "
            "<a href=\"#figure-micro-barrier-cost\">all</a>.</p>\n</section>\n",
            r->sms);
    free(costs);
}

/* Prints "NAME at X us": the point's variant and the time of one barrier. */
static void print_cost(FILE *file, const struct result *r, const cJSON *p)
{
    html(file, "<strong>%s</strong> at %.2f us", named_plainly(text_of(p, "variant")), barrier_time(r, p).us);
}

bool print_costs_sentence(FILE *file, const char *folder)
{
    struct result *r = result_open(folder, "micro-barrier");
    const cJSON *barrier = r ? fastest_point(r, r->sms, -1, is_ordered_barrier) : NULL,
                *launch = r ? fastest_point(r, r->sms, -1, is_launch) : NULL;
    bool has = barrier && launch;
    if (has) {
        const cJSON *implicit = result_point(r, "cpu-implicit", r->sms, -1, -1);
        fputs(r->machine ? "Predicted: the cheapest ordered barrier in the kernel is "
                         : "The cheapest ordered barrier in the kernel is ",
              file);
        print_cost(file, r, barrier);
        fputs("; the cheapest launches are ", file);
        print_cost(file, r, launch);
        if (implicit && implicit != launch) {
            fputs(" (", file);
            print_cost(file, r, implicit);
            fputs(")", file);
        }
        fputs(".", file);
    }
    return has;
}

/* ---- when it pays ---- */

/* How much a program gains if its fastest ordered grid barrier replaces back-to-back launches. */
struct gain {
    const char *method;
    /* the problem's size, and the gain as a ratio of times, which is NaN if it was not measured */
    double size, times;
};

/* Returns the gain at the largest size that the sweep has. */
static struct gain gain_in(const char *folder, const char *name)
{
    struct gain gain = {"", NAN, NAN};
    struct result *r = result_open(folder, name);
    const cJSON *best = r ? fastest_point(r, r->sms, r->largest_size, is_ordered_barrier) : NULL;
    if (best) {
        gain.size = number_of(best, "size");
        gain.times = run_us(r, "cpu-implicit", r->sms, gain.size) / run_time(r, best).us;
        gain.method = text_of(best, "variant");
    }
    return gain;
}

/* A GPU's main sweep has the paper's sizes, so no other sweep is needed. A model's main sweep has small
 * sizes, so its other sweeps are preferred. */
static struct gain gain_of(const char *folder, const char *program)
{
    static const char *const sweeps[] = {"@paper", "@sizes", ""};
    struct gain gain = {"", NAN, NAN};
    for (size_t i = is_model(folder) ? 0 : 2; i < 3 && !isfinite(gain.times); i++)
        gain = gain_in(folder, made("%s%s", program, sweeps[i]));
    return gain;
}

void print_gains_sentence(FILE *file, const char *folder)
{
    const char *before = " Over back-to-back launches the fastest ordered grid barrier gains ";
    for (size_t i = 0; i < ALGORITHMS; i++) {
        struct gain gain = gain_of(folder, algorithm_names[i][0]);
        if (!isfinite(gain.times))
            continue;
        html(file, "%s%.1F times in %s of %s", before, gain.times, algorithm_names[i][1], grouped(gain.size));
        before = ", ";
    }
    if (*before == ',')
        fputs(".", file);
}

static void print_pays(FILE *file, const char *folder)
{
    bool any = false;
    for (size_t i = 0; i < ALGORITHMS; i++) {
        struct gain gain = gain_of(folder, algorithm_names[i][0]);
        if (!isfinite(gain.times))
            continue;
        if (!any)
            fputs("<h2 id=\"pays\">When it pays</h2>\n<table>\n<thead>\n<tr><th "
                  "scope=\"col\">program, "
                  "size</th>"
                  "<th scope=\"col\">grid barrier</th><th scope=\"col\">times as fast as launches</th></tr>\n"
                  "</thead>\n<tbody>\n",
                  file);
        any = true;
        html(file, "<tr><td>%s, %s</td><td>%s</td><td>%.2F</td></tr>\n", algorithm_names[i][1],
             grouped(gain.size), gain.method, gain.times);
    }
    fputs(any ? "</tbody>\n</table>\n" : "", file);
}

/* ---- how many claims hold ---- */

void print_paper_name(FILE *file, const char *paper)
{
    bool begins = true;
    for (; *paper; paper++) {
        if (*paper == '-')
            fputs(strchr("0123456789", paper[1]) ? " " : " and ", file);
        else
            fputc(begins ? toupper((unsigned char)*paper) : *paper, file);
        begins = *paper == '-';
    }
}

void print_claims_id(FILE *file, const char *paper)
{
    fputs("claims-of-", file);
    for (; *paper; paper++)
        fputc(strchr(" ,.", *paper) ? '-' : *paper, file);
}

static void print_verdicts(FILE *file, const struct judging *judging)
{
    struct paper_totals all = paper_of_all(&judging->totals);
    size_t judged = paper_judged(&all);
    fputs("<h2 id=\"verdicts\">How many of the papers' claims hold</h2>\n", file);
    fputs("<p><a href=\"#claims\">Claims</a>: ", file);
    if (judged)
        print_verdicts_of(file, &all, false);
    fprintf(file, "%s%zu cannot be judged here.</p>\n", judged ? "; " : "", judging->count - judged);
    if (!judged)
        return;
    fputs("<table class=\"bars\">\n<tbody>\n", file);
    for (size_t i = 0; i < judging->totals.count; i++) {
        const struct paper_totals *paper = &judging->totals.papers[i];
        if (!paper_judged(paper))
            continue;
        fputs("<tr><td><a href=\"#", file);
        print_claims_id(file, paper->paper);
        fputs("\">", file);
        print_paper_name(file, paper->paper);
        fprintf(file, "</a></td><td>%zu</td><td>", paper_judged(paper));
        print_verdict_bar(file, paper);
        fputs("</td></tr>\n", file);
    }
    fputs("</tbody>\n</table>\n", file);
    print_bar_legend(file);
}

/* ---- the first screen ---- */

void print_top(const struct page *page, const struct judging *judging)
{
    FILE *file = page->file;
    struct result *r = result_open(page->folder, "micro-barrier");
    const cJSON *barrier = r ? fastest_point(r, r->sms, -1, is_ordered_barrier) : NULL,
                *launch = r ? fastest_point(r, r->sms, -1, is_launch) : NULL;
    if (barrier && launch) {
        fputs("<p class=\"answer\">", file);
        print_costs_sentence(file, page->folder);
        fputs(operation_time(r, launch).us < operation_time(r, barrier).us
                  ? " So stay in the kernel for registers and shared memory, not for the barrier."
                  : " So a barrier in the kernel pays wherever steps are short.",
              file);
        fputs("</p>\n", file);
    }
    fputs("<div class=\"top\">\n", file);
    if (r)
        print_costs(file, r);
    fputs("<section>\n", file);
    print_pays(file, page->folder);
    print_verdicts(file, judging);
    fputs("</section>\n</div>\n", file);
}

/* ---- bars of verdicts ---- */

static const char *const classes[CLAIM_VERDICTS] = {
    [CLAIM_HOLDS] = "v-holds",        [CLAIM_WITHIN_10] = "v-holds", [CLAIM_WITHIN_25] = "v-near",
    [CLAIM_WITHIN_2] = "v-half",      [CLAIM_DIRECTION] = "v-part",  [CLAIM_OTHER_SIZE] = "v-off",
    [CLAIM_REVERSED] = "v-wrong",     [CLAIM_TIE] = "v-tie",         [CLAIM_FITTED] = "v-none",
    [CLAIM_BY_DEFINITION] = "v-none", [CLAIM_DEPENDS] = "v-none",    [CLAIM_NOT_MEASURABLE] = "v-none"};

const char *verdict_class(enum claim_verdict verdict)
{
    return classes[verdict];
}

/* The parts of a bar, from verdicts that confirm the paper to verdicts that contradict it. */
static const struct {
    const char *begins; /* what the legend says before this part and the parts after it */
    const char *class_name, *text;
    enum claim_verdict verdicts[2];
} parts[] = {{"agrees:", "v-holds", "holds, or within 10 %", {CLAIM_HOLDS, CLAIM_WITHIN_10}},
             {"", "v-near", "within 25 %", {CLAIM_WITHIN_25, CLAIM_WITHIN_25}},
             {"in part:", "v-part", "direction only", {CLAIM_DIRECTION, CLAIM_DIRECTION}},
             {"does not:", "v-half", "within a factor of 2", {CLAIM_WITHIN_2, CLAIM_WITHIN_2}},
             {"", "v-tie", "a tie", {CLAIM_TIE, CLAIM_TIE}},
             {"", "v-off", "beyond a factor of 2", {CLAIM_OTHER_SIZE, CLAIM_OTHER_SIZE}},
             {"", "v-wrong", "reversed", {CLAIM_REVERSED, CLAIM_REVERSED}}};
#define PARTS (sizeof parts / sizeof *parts)
#define BY_WRONG_ANSWERS "only by wrong answers"

static void print_part(FILE *file, size_t claims, const char *class_name, const char *text)
{
    if (claims)
        fprintf(file, "<span class=\"%s\" style=\"flex: %zu\" title=\"%zu: %s\">%zu</span>", class_name,
                claims, claims, text, claims);
}

void print_verdict_bar(FILE *file, const struct paper_totals *paper)
{
    size_t judged = paper->on_wrong_answers;
    fputs("<span class=\"bar\">", file);
    for (size_t i = 0; i < PARTS; i++) {
        const enum claim_verdict *of = parts[i].verdicts;
        size_t claims = paper->counts[of[0]] + (of[1] != of[0] ? paper->counts[of[1]] : 0);
        print_part(file, claims, parts[i].class_name, parts[i].text);
        judged += claims;
    }
    assert(judged == paper_judged(paper));
    print_part(file, paper->on_wrong_answers, "v-void", BY_WRONG_ANSWERS);
    fputs("</span>", file);
}

void print_bar_legend(FILE *file)
{
    fputs("<p class=\"legend\">", file);
    for (size_t i = 0; i < PARTS; i++)
        fprintf(file, "%s%s<span class=\"key\"><span class=\"swatch %s\"></span> %s</span> ", parts[i].begins,
                *parts[i].begins ? " " : "", parts[i].class_name, parts[i].text);
    fputs("apart: <span class=\"key\"><span class=\"swatch v-void\"></span> " BY_WRONG_ANSWERS
          "</span></p>\n",
          file);
}
