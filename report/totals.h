/* Counts for each paper how many claims have each verdict on a device. */
#ifndef REPORT_TOTALS_H
#define REPORT_TOTALS_H

#include "report/table.h"
#include "report/verdict.h"

#include <cjson/cJSON.h>
#include <stdio.h>

/* The totals of a device; without claims they are {NULL, 0}. */
struct totals {
    struct paper_totals {
        char paper[64];
        size_t counts[CLAIM_VERDICTS];
        /* number of claims that agree with the paper only by a barrier whose answers were wrong on the
         * device; they are not in `counts` */
        size_t on_wrong_answers;
    } * papers;
    size_t count;
    char name[128]; /* the device's name where totals of several devices are printed; "" leaves it out */
};

void totals_count(struct totals *totals, const cJSON *claim, const struct value *v, const char *folder);

/* Prints for each of `count` devices a table with a row for each paper that has judged claims on the device,
 * and a row for all papers. In text, the table has no columns for claims that are not judged and, if there
 * are more than two devices, no rows for single papers. */
void totals_print(const struct totals *totals, size_t count, enum form form, FILE *file);

void totals_free(struct totals *totals);

#endif
