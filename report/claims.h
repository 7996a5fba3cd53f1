/* Judges the papers' claims by a device's results. */
#ifndef REPORT_CLAIMS_H
#define REPORT_CLAIMS_H

#include "report/formula.h"
#include "report/table.h"
#include "report/verdict.h"

#include <cjson/cJSON.h>
#include <stddef.h>

/* claim_add_value adds a cell with the device's value, in the claim's unit, and with its notes; `sources` has
 * noted the points of the value (claim_value). claim_paper_text returns the paper's value as a made text. */
void claim_add_value(struct table *t, const cJSON *claim, const struct value *v,
                     const struct sources *sources);
const char *claim_paper_text(const cJSON *claim);

/* The columns of a table that has a row for each claim. */
enum claim_column {
    CLAIM_PLACE,
    CLAIM_SAYS,
    CLAIM_PAPER_SAYS,
    CLAIM_DEVICE,
    CLAIM_VERDICT,
    CLAIM_SURE,
    CLAIM_COLUMNS
};
extern const char *const claim_head[CLAIM_COLUMNS];
struct judged;
struct robustness;
void claim_add_row(struct table *t, const struct judged *judged, const struct sources *sources,
                   const struct robustness *robustness);

/* Prints the totals (report/judging.h), except for programs, and each claim: a row of a table or, in text, a
 * record in lines of at most 100 columns. */
void print_claims(const char *folder, enum form form, FILE *file);

/* Functions of the command `claims`. print_totals_of_claims prints how many claims have each verdict: by
 * paper for up to two folders, by device for more. print_all_claims prints each claim for each folder. In a
 * form other than text, it prints several folders as a matrix. */
void print_totals_of_claims(char **folders, size_t count, enum form form, FILE *file);
void print_all_claims(char **folders, size_t count, enum form form, FILE *file);
void print_claims_totals(const char *folder, enum form form, FILE *file);

/* Prints the totals of all folders, and the matrix of all claims. It has a row for each claim, one column
 * for all folders together that are models of the papers' GPUs, and a column for each other folder. A cell
 * has the device's value and the verdict, or "-" if the claim cannot be judged on that device. print_claims
 * has more: intervals, sizes, other readings, and how sure a model's verdict is. */
void print_claims_matrix(char **folders, size_t count, enum form form, FILE *file);

#endif
