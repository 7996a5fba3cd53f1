/* All claims of the papers, judged on one device. */
#ifndef REPORT_JUDGING_H
#define REPORT_JUDGING_H

#include "report/totals.h"

struct judging {
    const char *folder;
    struct judged {
        const cJSON *claim;
        struct value value;
        enum claim_verdict verdict;
    } * items;          /* the judged claims, in the order of claims.json */
    size_t count;       /* number of claims in `items` */
    size_t unjudgeable; /* number of claims that no result of the device can judge */
    struct totals totals;
};

/* Judges every claim by the results of the folder. The caller frees what is returned with judging_free. */
struct judging judging_of(const char *folder);
void judging_free(struct judging *judging);

/* paper_of_all returns the sums over all papers, under the name "all"; paper_judged returns how many claims
 * of a paper were judged. */
struct paper_totals paper_of_all(const struct totals *totals);
size_t paper_judged(const struct paper_totals *paper);

#endif
