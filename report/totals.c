#include "report/totals.h"
#include "base/memory.h"
#include "report/claim_text.h"
#include "report/results.h"

#include <stdlib.h>
#include <string.h>

/* The totals of more devices than this are printed in text without the papers, to fit on a screen. */
#define MOST_BY_PAPER 2

static struct paper_totals *of_paper(struct totals *totals, const char *paper)
{
    for (size_t i = 0; i < totals->count; i++)
        if (strcmp(totals->papers[i].paper, paper) == 0)
            return &totals->papers[i];
    totals->papers = with_room(totals->papers, sizeof *totals->papers, totals->count, 1);
    struct paper_totals *added = &totals->papers[totals->count++];
    *added = (struct paper_totals){.paper = ""};
    snprintf(added->paper, sizeof added->paper, "%s", paper);
    return added;
}

void totals_count(struct totals *totals, const cJSON *claim, const struct value *v, const char *folder)
{
    char name[64];
    struct paper_totals *paper = of_paper(totals, text_of(claim, "paper"));
    enum claim_verdict verdict = claim_verdict_on(claim, v, folder);
    if (agrees(verdict) && *claim_wrong_variant(claim, v, folder, name))
        paper->on_wrong_answers++;
    else
        paper->counts[verdict]++;
}

static size_t judged_of(const struct paper_totals *paper)
{
    size_t judged = paper->on_wrong_answers;
    for (int verdict = 0; verdict < CLAIM_VERDICTS; verdict++)
        judged += is_judged((enum claim_verdict)verdict) ? paper->counts[verdict] : 0;
    return judged;
}

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
    table_cells(t, "%zu", judged_of(paper));
    for (int verdict = 0; verdict < CLAIM_DEPENDS; verdict++)
        if (head_of(verdict, by->form))
            table_cells(t, "%zu", paper->counts[verdict]);
    table_cells(t, "%zu", paper->on_wrong_answers);
    if (by->form != FORM_TEXT)
        table_cells(t, "%zu", paper->counts[CLAIM_DEPENDS]);
}

static void add_device(struct table *t, const struct totals *totals, const struct naming *by)
{
    struct paper_totals all = {.paper = "all"};
    for (size_t p = 0; p < totals->count; p++) {
        const struct paper_totals *paper = &totals->papers[p];
        for (int verdict = 0; verdict < CLAIM_VERDICTS; verdict++)
            all.counts[verdict] += paper->counts[verdict];
        all.on_wrong_answers += paper->on_wrong_answers;
        if (by->paper && judged_of(paper) + paper->counts[CLAIM_FITTED] + paper->counts[CLAIM_BY_DEFINITION])
            add_row(t, totals, paper, by);
    }
    add_row(t, totals, &all, by);
}

static void print_one(const struct table *t, enum form form, FILE *file)
{
    table_print(t, form, file);
    if (form == FORM_TEXT || form == FORM_MARKDOWN)
        fputs("\n", file);
}

/* Prints a table by paper for each device, below the device's name, in text. */
static void print_few(const struct totals *totals, size_t count, FILE *file)
{
    for (size_t i = 0; i < count; i++) {
        struct table t = {NULL, 0};
        const struct naming by = {false, true, FORM_TEXT};
        if (*totals[i].name)
            fprintf(file, "%s:\n", totals[i].name);
        add_head(&t, &by);
        add_device(&t, &totals[i], &by);
        print_one(&t, FORM_TEXT, file);
        table_free(&t);
    }
}

void totals_print(const struct totals *totals, size_t count, enum form form, FILE *file)
{
    struct table t = {NULL, 0};
    const struct naming by = {count && *totals->name, form != FORM_TEXT, form};
    if (form == FORM_TEXT && count <= MOST_BY_PAPER) {
        print_few(totals, count, file);
        return;
    }
    add_head(&t, &by);
    for (size_t i = 0; i < count; i++)
        add_device(&t, &totals[i], &by);
    print_one(&t, form, file);
    table_free(&t);
}

void totals_free(struct totals *totals)
{
    free(totals->papers);
    *totals = (struct totals){NULL, 0, ""};
}
