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

/* A variant's id has the bit of its kernel (the kernel "shared" has none), and BATCH_COPIES if copies are
 * timed. */
enum { BATCH_SHUFFLE = 1, BATCH_COPIES = 2, BATCH_BLOCKED = 4, MOST_BATCH_VARIANTS = 6 };

/* Fills in the variants shared, shuffle and blocked, and then the same ones with copies; the texts are their
 * summaries. `blocked` may be NULL; then there is no such variant. Returns the number of variants. */
int make_batch_variants(struct variant *variants, const char *shared, const char *shuffle,
                        const char *blocked);

/* Returns false for a variant with copies on the memory machine, which has no bus to a host. */
bool can_do_batch_variant(const struct variant *variant);

/* The range of lengths from `low` to `high`, both included. */
struct length_range {
    int low, high;
};

/* Reads the text of --lengths, two ranges "LOW-HIGHxLOW-HIGH", each of which may be one number. Exits with
 * EXIT_BAD_INPUT unless the ranges lie between 1 and `most`. */
void read_length_ranges(const char *text, int most, struct length_range *first, struct length_range *second);

/* The sum of cells(batch) over all batches. */
double cells_of_batches(size_t count, double (*cells)(size_t batch));

/*
 * Times each batch alone and adds the numbers of Figure 9: "batches", and the "rate_average" and
 * "rate_maximum" of the batches, in cells per time unit (with ns, billions of cells per second).
 */
void describe_batches(struct cJSON *json, size_t count, void (*enqueue)(size_t batch),
                      double (*cells)(size_t batch));

#ifdef __cplusplus
}
#endif

#endif
