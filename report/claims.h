/* The papers' claims and their verdicts on a device. */
#ifndef REPORT_CLAIMS_H
#define REPORT_CLAIMS_H

#include "report/formula.h"
#include "report/table.h"

#include <cjson/cJSON.h>
#include <stddef.h>

enum claim_verdict {
    CLAIM_HOLDS,
    CLAIM_OTHER_SIZE, /* the same direction */
    CLAIM_REVERSED,
    CLAIM_CANNOT_TELL,
    CLAIM_FITTED, /* on a model: a constant was chosen from this number */
    CLAIM_BY_DEFINITION,
    CLAIM_DEPENDS, /* on what the paper does not print, or no device has a hand in */
    CLAIM_NOT_MEASURABLE,
    CLAIM_VERDICTS
};
extern const char *const verdict_texts[];

enum claim_verdict claim_verdict(const cJSON *claim, const struct value *value);
/* Likewise on a folder's device, where times and rates of another GPU cannot be judged. */
enum claim_verdict claim_verdict_on(const cJSON *claim, const struct value *value, const char *folder);

/* The verdict as a text, with the factor between the device's size and the paper's where only the direction is the same.
 * Returns text. */
const char *claim_verdict_text(const cJSON *claim, const struct value *value, const char *folder, char *text,
                               size_t bytes);

/* A cell with what the device has, in the claim's unit; and one with what the paper says. */
void claim_add_value(struct table *t, const cJSON *claim, const struct value *v, const char *folder);
void claim_add_paper(struct table *t, const cJSON *claim);

/* A claim's row as cells: where it is, what it says, what the paper and the device have, the verdict, and how sure
 * it is. */
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
struct robustness;
void claim_add_row(struct table *t, const cJSON *claim, const struct value *v, const char *folder,
                   const struct robustness *robustness);

/* results/papers/claims.json. Exits with EXIT_BAD_INPUT if it is absent or something else. */
cJSON *claims_read(void);

/* Prints the table `claims`: a row for each claim of the papers. */
void print_claims(const char *folder, enum form form, FILE *file);

/* A row for each claim; a column for the models of the papers' own GPUs together, where folders are of such, and one for
 * each other folder: what the device has, and the verdict; "-" where it cannot be judged. */
void print_claims_matrix(char **folders, size_t count, enum form form, FILE *file);

#endif
