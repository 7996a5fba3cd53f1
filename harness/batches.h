/* Functions that the experiments on batches of many small tasks share (Wang, Xie and Cong 2017, section
 * V). */
#ifndef HARNESS_BATCHES_H
#define HARNESS_BATCHES_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cJSON;
struct variant;

/* Bits of a variant's id. A variant has the bit of its kernel (the kernel "shared" has none). It also has
 * BATCH_COPIES if the copies between host and device are timed, too. */
enum { BATCH_SHUFFLE = 1, BATCH_COPIES = 2, BATCH_BLOCKED = 4, MOST_BATCH_VARIANTS = 6 };

/* Fills in the variants "shared", "shuffle" and "blocked", and then the same three with copies. The three
 * texts are the variants' summaries for --help. `blocked` may be NULL; then the variants "blocked" are left
 * out. Returns the number of variants. */
int make_batch_variants(struct variant *variants, const char *shared, const char *shuffle,
                        const char *blocked);

/* Returns the names of the variants that are measured only if --variant names them: on a machine those with
 * copies, on a GPU none (NULL). */
const char *batch_variants_left_out(void);

/* Returns false for a variant with copies on a machine whose copies take no time. */
bool can_do_batch_variant(const struct variant *variant);

/* A range of lengths, from `low` to `high`, both included. */
struct length_range {
    int low, high;
};

/* Reads the value of --lengths: two ranges "LOW-HIGHxLOW-HIGH", each of which may be a single number. Exits
 * with EXIT_BAD_INPUT unless both ranges lie between 1 and `most`. */
void read_length_ranges(const char *text, int most, struct length_range *first, struct length_range *second);

/* Returns the sum of cells(batch) over all batches. */
double cells_of_batches(size_t count, double (*cells)(size_t batch));

/* Times each batch alone, and adds to the JSON the numbers of Wang, Xie and Cong 2017, Figure 9: the number
 * of "batches", and the average and the maximum of their rates ("rate_average", "rate_maximum"). A rate is in
 * cells per time unit, or in billions of cells per second if the unit is ns. */
void describe_batches(struct cJSON *json, size_t count, void (*enqueue)(size_t batch),
                      double (*cells)(size_t batch));

#ifdef __cplusplus
}
#endif

#endif
