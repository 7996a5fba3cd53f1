/* All claims of the papers, judged on one device. */
#ifndef REPORT_JUDGING_H
#define REPORT_JUDGING_H

#include "report/formula.h"
#include "report/table.h"
#include "report/verdict.h"

#include <cjson/cJSON.h>
#include <stdio.h>

#define MOST_PAPERS 8

/* The totals of a device; without claims they are all 0. */
struct totals {
    struct paper_totals {
        char paper[64];
        size_t counts[CLAIM_VERDICTS];
        /* number of claims that agree with the paper only by a barrier whose answers were wrong on the
         * device; they are not in `counts` */
        size_t on_wrong_answers;
    } papers[MOST_PAPERS];
    size_t count;
    char name[128]; /* the device's name where totals of several devices are printed; "" leaves it out */
};

void totals_count(struct totals *totals, const cJSON *claim, const struct value *v, const char *folder);

/* Prints for each of `count` devices a table with a row for each paper that has judged claims on the device,
 * and a row for all papers. In text, the table has no columns for claims that are not judged. If there are
 * more than two devices, only programs get rows for single papers. */
void totals_print(const struct totals *totals, size_t count, enum form form, FILE *file);

/* ---- all claims of a device ---- */

struct judged {
    const cJSON *claim;
    struct value value;
    enum claim_verdict verdict;
};

/* Judges a claim by the results of the sources' folder. */
struct judged judge_claim(const cJSON *claim, struct sources *sources);

struct judging {
    const char *folder;
    struct judged *items; /* the judged claims, in the order of claims.json; the caller frees them */
    size_t count;         /* number of claims in `items` */
    size_t unjudgeable;   /* number of claims that no result of the device can judge */
    struct totals totals;
};

/* Judges every claim by the results of the folder. */
struct judging judging_of(const char *folder);

/* paper_of_all returns the sums over all papers, under the name "all"; paper_judged returns how many claims
 * of a paper were judged. */
struct paper_totals paper_of_all(const struct totals *totals);
size_t paper_judged(const struct paper_totals *paper);

/* Prints how many of the judged claims agree, how many have the paper's direction only, how many do neither,
 * and how many agree by wrong answers: "2 of 5 agree, 2 in direction only, 1 does not". The numbers add up
 * to that of the judged claims, which must not be 0. With `verdicts`, each number is followed by its
 * verdicts: "2 of 5 agree (2 holds)". */
void print_verdicts_of(FILE *file, const struct paper_totals *paper, bool verdicts);

#endif
