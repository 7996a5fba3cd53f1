#include "base/failure.h"
#include "base/memory.h"
#include "report/claims.h"
#include "report/results.h"

#include <stdlib.h>
#include <string.h>

/* The totals of more devices than this are printed for people without the papers, to fit on a screen. */
#define MOST_BY_PAPER 2

static struct paper_totals *of_paper(struct totals *totals, const char *paper)
{
    for (size_t i = 0; i < totals->count; i++)
        if (strcmp(totals->papers[i].paper, paper) == 0)
            return &totals->papers[i];
    if (totals->count == MOST_PAPERS)
        fail(EXIT_BAD_INPUT, "claims of more than %d papers", MOST_PAPERS);
    struct paper_totals *added = &totals->papers[totals->count++];
    snprintf(added->paper, sizeof added->paper, "%s", paper);
    return added;
}

void totals_count(struct totals *totals, const cJSON *claim, const struct value *v, const char *folder)
{
    struct paper_totals *paper = of_paper(totals, text_of(claim, "paper"));
    enum claim_verdict verdict = claim_verdict_on(claim, v, folder);
    if (agrees(verdict) && *claim_wrong_variant(claim, v, folder))
        paper->on_wrong_answers++;
    else
        paper->counts[verdict]++;
}

struct paper_totals paper_of_all(const struct totals *totals)
{
    struct paper_totals all = {.paper = "all"};
    for (size_t p = 0; p < totals->count; p++) {
        for (int verdict = 0; verdict < CLAIM_VERDICTS; verdict++)
            all.counts[verdict] += totals->papers[p].counts[verdict];
        all.on_wrong_answers += totals->papers[p].on_wrong_answers;
    }
    return all;
}

size_t paper_judged(const struct paper_totals *paper)
{
    size_t judged = paper->on_wrong_answers;
    for (int verdict = 0; verdict < CLAIM_VERDICTS; verdict++)
        judged += is_judged((enum claim_verdict)verdict) ? paper->counts[verdict] : 0;
    return judged;
}

/* ---- the totals in words ---- */

/* Returns whether a verdict is one of those that agree or, if `agreeing` is false, one of those that do not;
 * "direction only" is neither. */
static bool is_kind(enum claim_verdict verdict, bool agreeing)
{
    return is_judged(verdict) && verdict != CLAIM_DIRECTION && agrees(verdict) == agreeing;
}

static size_t count_of_kind(const struct paper_totals *paper, bool agreeing)
{
    size_t count = 0;
    for (enum claim_verdict v = 0; v < CLAIM_VERDICTS; v++)
        count += is_kind(v, agreeing) ? paper->counts[v] : 0;
    return count;
}

static void print_kind(FILE *file, const struct paper_totals *paper, bool agreeing)
{
    const char *before = " (";
    for (enum claim_verdict v = 0; v < CLAIM_VERDICTS; v++)
        if (is_kind(v, agreeing) && paper->counts[v]) {
            fprintf(file, "%s%zu %s", before, paper->counts[v], verdict_texts[v]);
            before = ", ";
        }
    fputs(*before == ',' ? ")" : "", file);
}

void print_verdicts_of(FILE *file, const struct paper_totals *paper, bool verdicts)
{
    size_t judged = paper_judged(paper), agreeing = count_of_kind(paper, true),
           differing = count_of_kind(paper, false);
    fprintf(file, "%zu of %zu agree%s", agreeing, judged, judged == 1 ? "s" : "");
    if (verdicts)
        print_kind(file, paper, true);
    if (paper->counts[CLAIM_DIRECTION])
        fprintf(file, ", %zu in direction only", paper->counts[CLAIM_DIRECTION]);
    if (differing)
        fprintf(file, ", %zu %s not", differing, differing == 1 ? "does" : "do");
    if (verdicts)
        print_kind(file, paper, false);
    if (paper->on_wrong_answers)
        fprintf(file, ", %zu only by wrong answers", paper->on_wrong_answers);
}

/* ---- the table of totals ---- */

/* In text, the verdicts have short headings, so that the table is at most 100 columns wide. NULL means that a
 * verdict has no column, because its claims are not judged. */
static const char *const short_texts[CLAIM_DEPENDS] = {
    [CLAIM_HOLDS] = "holds",       [CLAIM_WITHIN_10] = "10 %", [CLAIM_WITHIN_25] = "25 %",
    [CLAIM_WITHIN_2] = "factor 2", [CLAIM_DIRECTION] = "side", [CLAIM_OTHER_SIZE] = "size",
    [CLAIM_REVERSED] = "reversed", [CLAIM_TIE] = "tie",        [CLAIM_FITTED] = NULL,
    [CLAIM_BY_DEFINITION] = NULL};

static const char *head_of(int verdict, enum form form)
{
    return form == FORM_TEXT ? short_texts[verdict] : verdict_texts[verdict];
}

/* The table's layout: whether rows begin with the device's name and the paper's name, and the output form. */
struct naming {
    bool device, paper;
    enum form form;
};

static void add_head(struct table *t, const struct naming *by)
{
    table_row(t);
    if (by->device)
        table_cells(t, "device");
    if (by->paper)
        table_cells(t, "paper");
    table_cells(t, "judged");
    for (int verdict = 0; verdict < CLAIM_DEPENDS; verdict++)
        if (head_of(verdict, by->form))
            table_cells(t, "%s", head_of(verdict, by->form));
    table_cells(t, by->form == FORM_TEXT ? "wrong" : "by wrong answers");
    if (by->form != FORM_TEXT)
        table_cells(t, "%s", verdict_texts[CLAIM_DEPENDS]);
}

static void add_row(struct table *t, const struct totals *totals, const struct paper_totals *paper,
                    const struct naming *by)
{
    table_row(t);
    if (by->device)
        table_cells(t, "%s", totals->name);
    if (by->paper)
        table_cells(t, "%s", paper->paper);
    table_cells(t, "%zu", paper_judged(paper));
    for (int verdict = 0; verdict < CLAIM_DEPENDS; verdict++)
        if (head_of(verdict, by->form))
            table_cells(t, "%zu", paper->counts[verdict]);
    table_cells(t, "%zu", paper->on_wrong_answers);
    if (by->form != FORM_TEXT)
        table_cells(t, "%zu", paper->counts[CLAIM_DEPENDS]);
}

static void add_device(struct table *t, const struct totals *totals, const struct naming *by)
{
    struct paper_totals all = paper_of_all(totals);
    for (const struct paper_totals *paper = totals->papers; paper < totals->papers + totals->count; paper++)
        if (by->paper &&
            paper_judged(paper) + paper->counts[CLAIM_FITTED] + paper->counts[CLAIM_BY_DEFINITION])
            add_row(t, totals, paper, by);
    add_row(t, totals, &all, by);
}

void totals_print(const struct totals *totals, size_t count, enum form form, FILE *file)
{
    /* in text, few devices have a table each, below the device's name */
    bool few = form == FORM_TEXT && count <= MOST_BY_PAPER;
    bool papers = count <= MOST_BY_PAPER || is_for_programs(form);
    const struct naming by = {!few && count && *totals->name, papers, form};
    struct table t = {NULL, 0};
    for (size_t i = 0; i < count; i++) {
        if (few && *totals[i].name)
            fprintf(file, "%s:\n", totals[i].name);
        if (few || !i)
            add_head(&t, &by);
        add_device(&t, &totals[i], &by);
        if (!few && i + 1 < count)
            continue;
        table_end(&t, form, file);
        if (form == FORM_TEXT || form == FORM_MARKDOWN)
            fputs("\n", file);
    }
}

/* ---- all claims of a device ---- */

struct judged judge_claim(const cJSON *claim, struct sources *sources)
{
    struct value v = claim_value(claim, text_of(claim, "formula"), sources);
    return (struct judged){claim, v, claim_verdict_on(claim, &v, sources->folder)};
}

struct judging judging_of(const char *folder)
{
    struct judging j = {.folder = folder};
    struct sources sources = {.folder = folder};
    const cJSON *claim;
    j.items = allocate((size_t)cJSON_GetArraySize(all_claims()) * sizeof *j.items);
    cJSON_ArrayForEach(claim, all_claims())
    {
        const struct judged *judged = &j.items[j.count];
        j.items[j.count++] = judge_claim(claim, &sources);
        j.unjudgeable += judged->verdict == CLAIM_NOT_MEASURABLE;
        totals_count(&j.totals, claim, &judged->value, folder);
    }
    sources_close(&sources);
    return j;
}
