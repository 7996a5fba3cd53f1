#include "report/judging.h"
#include "base/memory.h"
#include "report/claim_value.h"
#include "report/claims.h"
#include "report/results.h"

#include <stdlib.h>

struct judging judging_of(const char *folder)
{
    struct judging j = {.folder = folder};
    struct sources sources = {.folder = folder};
    const cJSON *claim;
    cJSON_ArrayForEach(claim, all_claims())
    {
        struct value v = claim_value(claim, text_of(claim, "formula"), &sources);
        struct judged judged = {claim, v, claim_verdict_on(claim, &v, folder)};
        j.items = with_room(j.items, sizeof *j.items, j.count, 1);
        j.items[j.count++] = judged;
        j.unjudgeable += judged.verdict == CLAIM_NOT_MEASURABLE;
        totals_count(&j.totals, claim, &v, folder);
    }
    sources_close(&sources);
    return j;
}

void judging_free(struct judging *j)
{
    free(j->items);
    totals_free(&j->totals);
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
