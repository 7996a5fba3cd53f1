#include "report/totals.h"
#include "base/memory.h"
#include "report/claim_text.h"
#include "report/results.h"

#include <stdlib.h>
#include <string.h>

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

static void add_head(struct table *t, bool named)
{
    table_row(t);
    if (named)
        table_text(t, "device");
    table_text(t, "paper");
    table_text(t, "judged");
    for (int verdict = 0; verdict < CLAIM_DEPENDS; verdict++)
        table_text(t, "%s", verdict_texts[verdict]);
    table_text(t, "by wrong answers");
}

static void add_row(struct table *t, const struct totals *totals, const struct paper_totals *paper)
{
    table_row(t);
    if (*totals->name)
        table_text(t, "%s", totals->name);
    table_text(t, "%s", paper->paper);
    table_text(t, "%zu", judged_of(paper));
    for (int verdict = 0; verdict < CLAIM_DEPENDS; verdict++)
        table_text(t, "%zu", paper->counts[verdict]);
    table_text(t, "%zu", paper->on_wrong_answers);
}

static void add_device(struct table *t, const struct totals *totals)
{
    struct paper_totals all = {.paper = "all"};
    for (size_t p = 0; p < totals->count; p++) {
        const struct paper_totals *paper = &totals->papers[p];
        for (int verdict = 0; verdict < CLAIM_VERDICTS; verdict++)
            all.counts[verdict] += paper->counts[verdict];
        all.on_wrong_answers += paper->on_wrong_answers;
        if (judged_of(paper) + paper->counts[CLAIM_FITTED] + paper->counts[CLAIM_BY_DEFINITION])
            add_row(t, totals, paper);
    }
    add_row(t, totals, &all);
}

void totals_print(const struct totals *totals, size_t count, enum form form, FILE *file)
{
    struct table t = {NULL, 0};
    add_head(&t, count && *totals->name);
    for (size_t i = 0; i < count; i++)
        add_device(&t, &totals[i]);
    table_print(&t, form, file);
    if (form == FORM_TEXT || form == FORM_MARKDOWN)
        fputs("\n", file);
    table_free(&t);
}

void totals_free(struct totals *totals)
{
    free(totals->papers);
    *totals = (struct totals){NULL, 0, ""};
}
