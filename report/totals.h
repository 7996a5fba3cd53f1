/* How many claims of each paper have which verdict on a device. */
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
        /* claims that agree with the paper, by a barrier whose answers were wrong on the device; `counts`
         * leaves them out */
        size_t on_wrong_answers;
    } * papers;
    size_t count;
    char name[128]; /* the device's name where totals of several devices are printed; "" leaves it out */
};

void totals_count(struct totals *totals, const cJSON *claim, const struct value *v, const char *folder);

/* Prints a table with a row for each paper that has judged claims on the device, and a row for all papers;
 * of `count` devices one after the other. Text leaves out the columns of claims that are not judged and, of
 * more than two devices, the papers. */
void totals_print(const struct totals *totals, size_t count, enum form form, FILE *file);

void totals_free(struct totals *totals);

#endif
