/* Judges the papers' claims by a device's results. */
#ifndef REPORT_CLAIMS_H
#define REPORT_CLAIMS_H

#include "report/formula.h"
#include "report/table.h"
#include "report/value.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

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

/* Prints the totals (totals_print), except for programs, and each claim: a row of a table or, in text, a
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

/* ---- report/verdict.c: the verdict on a paper's claim, from the device's value ---- */

enum claim_verdict {
    CLAIM_HOLDS, /* for an ordering, a bound, or a claim that something does not exist */
    CLAIM_WITHIN_10,
    CLAIM_WITHIN_25,
    CLAIM_WITHIN_2,   /* not within 25 %, but within a factor of 2; only for claims without `neutral` */
    CLAIM_DIRECTION,  /* not within 25 %, but on the paper's side of `neutral` */
    CLAIM_OTHER_SIZE, /* beyond a factor of 2; only for claims without `neutral` */
    CLAIM_REVERSED,
    CLAIM_TIE, /* the value is within 1 % of `neutral`, or its interval contains `neutral` */
    /* cannot be judged: the device is a model, and one of its constants was chosen from the claim's own
     * number */
    CLAIM_FITTED,
    CLAIM_BY_DEFINITION,
    CLAIM_DEPENDS, /* cannot be judged: the claim's number depends on something besides the device */
    CLAIM_NOT_MEASURABLE,
    CLAIM_VERDICTS
};
extern const char *const verdict_texts[];

/* is_judged returns whether the verdict compares the device's value with the paper's claim. agrees returns
 * whether the claim holds, or the value is within a factor of 1.25 of the paper's. */
bool is_judged(enum claim_verdict verdict);
bool agrees(enum claim_verdict verdict);

enum claim_verdict claim_verdict(const cJSON *claim, const struct value *value);

/* Returns the verdict on the claim for the device of a folder. A claim about a time or rate of another GPU
 * cannot be judged. */
enum claim_verdict claim_verdict_on(const cJSON *claim, const struct value *value, const char *folder);

/* Returns the verdict on the device of a folder as a made text (report/table.h). If the claim has a value,
 * the text also has the factor between the device's value and the paper's. */
const char *claim_verdict_text(const cJSON *claim, const struct value *value, const char *folder);

/* Returns whether the folder's results are predictions of a model, and not measurements of a GPU. */
bool is_model(const char *folder);

/* Returns the value with three significant digits as a made text, or "never" or "always" for an infinite
 * value. */
const char *rounded(double value);

/* ---- report/claim_value.c: the device's value of a claim, and where it was measured ---- */

/* Returns the list of the papers' claims from results/papers/claims.json. Exits with EXIT_BAD_INPUT if the
 * file is absent or has no list of claims. */
const cJSON *all_claims(void);

/*
 * Returns the value of a formula: of the claim's member "formula", or of a reading. The value is missing if
 * the claim has the member "size" and a result that the formula reads is smaller than that size, or was
 * measured with --extent quick. The member "size" has the least size at which the claim is judged, by the
 * name of the result, for example {"fft": 262144}; this is the paper's size if the paper prints it. The
 * member "lacks" is the reason that is given if a device has no value. After the call, sources->reads has the
 * points that the formula has read.
 */
struct value claim_value(const cJSON *claim, const char *formula, struct sources *sources);

/* The functions below return made texts (report/table.h). */

/* Returns a whole number with commas between its thousands. */
const char *grouped(double number);

/* Returns the value in the claim's unit, with its interval, or what is missing if there is no value. */
const char *claim_value_text(const cJSON *claim, const struct value *v);

/* Returns the name of the first barrier in the claim's formula whose answers were wrong on the folder's
 * device, or "" if none were. The time of such a barrier is not the time of a barrier. A claim about the
 * share of wrong answers does not rest on them. */
const char *claim_wrong_variant(const cJSON *claim, const struct value *v, const char *folder);

/* Returns what the reader must know of the value, as texts that each begin with "; ": sizes and numbers of
 * blocks, other readings of the claim, the host, numbers of rounds, wrong answers. `sources` has noted the
 * points of the value (claim_value). */
const char *claim_notes(const cJSON *claim, const struct value *v, const struct sources *sources);

/* ---- report/judging.c: all claims of the papers, judged on one device ---- */

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
 * to the number of judged claims, which must not be 0. With `verdicts`, each number is followed by its
 * verdicts: "2 of 5 agree (2 holds)". */
void print_verdicts_of(FILE *file, const struct paper_totals *paper, bool verdicts);

/* ---- report/robustness.c: how robust the verdicts on claims are ---- */

/*
 * Returns the contents of robustness.json, which the caller deletes. Each of the folders WORK/0, WORK/1, ...
 * is a draw. It holds a machine's description whose constants were drawn at random (preset.json), and this
 * machine's results in a folder named like `folder`. The folder WORK/undrawn holds results of the machine
 * with its own constants, at the same few points as a draw (scripts/robustness).
 *
 * A claim is described if it has the same verdict in `folder` and in WORK/undrawn. Its description has the
 * number of draws in which the claim could be judged, and the number of draws in which it has this verdict.
 * If the two numbers differ, the description also names the constant that decides. This is the constant whose
 * mean logarithm differs most, in standard errors, between the draws with this verdict and the others. No
 * constant is named if the difference may be chance. If no draw has the verdict, "the schedule" decides. A
 * claim is described as not varied, without draws, if the draws have too few points for its formula.
 */
cJSON *robustness_describe(const char *folder, const char *work);

/* Returns the claims whose verdict differs between the first folder and another one, all of which hold
 * results of cards of one model. Each claim has its verdicts in the order of the folders, with null for a
 * folder whose results cannot tell. The caller deletes it. */
cJSON *robustness_of_cards(char **folders, int count);

/* Returns the contents of cards.json (report/cards.h), which the caller deletes. Compares the first folder
 * with each of the others, which hold results of other cards of the same GPU model, or of the same card on
 * another day. Exits with EXIT_BAD_INPUT if the folders are of different models or have no point in
 * common. */
cJSON *cards_describe(char **folders, int count);

struct robustness {
    const cJSON *draws; /* contents of FOLDER/robustness.json, or NULL if the file is absent */
    const cJSON *cards; /* contents of FOLDER/cards.json, or NULL if the file is absent */
};
struct robustness robustness_of(const char *folder);

/*
 * Returns what these files say about the claim's present verdict, as a made text (report/table.h): "64 of 64
 * draws", "60 of 64 draws (launch_block decides)", "not varied (draws have 9, 30 blocks)", "another card:
 * reversed", or "" if they say nothing, or speak of another verdict because results or claims have changed
 * since.
 */
const char *robustness_text(const struct robustness *robustness, const cJSON *claim,
                            enum claim_verdict verdict);

#endif
