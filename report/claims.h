/* Judges the papers' claims by a device's results. */
#ifndef REPORT_CLAIMS_H
#define REPORT_CLAIMS_H

#include "report/formula.h"
#include "report/table.h"

#include <cjson/cJSON.h>
#include <stddef.h>

enum claim_verdict {
    CLAIM_HOLDS,
    CLAIM_OTHER_SIZE, /* the value lies on the same side of `neutral` as the paper's, but differs in amount */
    CLAIM_REVERSED,
    CLAIM_CANNOT_TELL,
    /* cannot be judged: the device is a model, and one of its constants was chosen from the claim's own
     * number */
    CLAIM_FITTED,
    CLAIM_BY_DEFINITION,
    CLAIM_DEPENDS, /* cannot be judged: the claim's number depends on something besides the device */
    CLAIM_NOT_MEASURABLE,
    CLAIM_VERDICTS
};
extern const char *const verdict_texts[];

enum claim_verdict claim_verdict(const cJSON *claim, const struct value *value);
/* Returns the verdict on the claim for the device of a folder. A claim about a time or rate of another GPU
 * cannot be judged. */
enum claim_verdict claim_verdict_on(const cJSON *claim, const struct value *value, const char *folder);

/* Writes the verdict on the device of a folder into `text` and returns `text`. For CLAIM_OTHER_SIZE the text
 * also has the factor between the device's value and the paper's. */
const char *claim_verdict_text(const cJSON *claim, const struct value *value, const char *folder, char *text,
                               size_t bytes);

/* claim_add_value adds a cell with the device's value, in the claim's unit; the function after it adds a cell
 * with the paper's value. */
void claim_add_value(struct table *t, const cJSON *claim, const struct value *v, const char *folder);
void claim_add_paper(struct table *t, const cJSON *claim);

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
struct robustness;
void claim_add_row(struct table *t, const cJSON *claim, const struct value *v, const char *folder,
                   const struct robustness *robustness);

/* Returns the contents of results/papers/claims.json, which the caller deletes. Exits with EXIT_BAD_INPUT if
 * the file is absent or holds no list of claims. */
cJSON *claims_read(void);

/* Prints the table `claims`: a row for each claim of the papers. */
void print_claims(const char *folder, enum form form, FILE *file);

/* Prints the matrix of all claims. It has a row for each claim, one column for all folders together that are
 * models of the papers' GPUs, and a column for each other folder. A cell has the device's value and the
 * verdict, or "-" if the claim cannot be judged on that device. */
void print_claims_matrix(char **folders, size_t count, enum form form, FILE *file);

#endif
