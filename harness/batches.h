/* What the experiments on batches of many small tasks share (Wang, Xie and Cong 2017, section V). */
#ifndef HARNESS_BATCHES_H
#define HARNESS_BATCHES_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cJSON;
struct variant;

/* The variants' ids: the kernels' bits, of which shared has none, and the copies'. */
enum { BATCH_SHUFFLE = 1, BATCH_COPIES = 2, BATCH_BLOCKED = 4, MOST_BATCH_VARIANTS = 6 };

/* Fills in shared, shuffle and blocked, and then each +copies; the texts say what they are. Without a
 * text for blocked there is none. Returns how many. */
int make_batch_variants(struct variant *variants, const char *shared, const char *shuffle,
                        const char *blocked);

/* The memory machine has no bus for the copies. */
bool can_do_batch_variant(const struct variant *variant);

/* Whole numbers from `low` to `high`. */
struct length_range {
    int low, high;
};

/* The text of --lengths as two ranges, "LOW-HIGHxLOW-HIGH"; a range may be one number. Exits with
 * EXIT_BAD_INPUT unless they lie between 1 and `most`. */
void read_length_ranges(const char *text, int most, struct length_range *first, struct length_range *second);

double cells_of_batches(size_t count, double (*cells)(size_t batch));

/*
 * Times each batch alone and adds what Figure 9 shows: "batches", and "rate_average" and
 * "rate_maximum" over them, in cells per time unit (for ns, billions of cells a second).
 */
void describe_batches(struct cJSON *json, size_t count, void (*enqueue)(size_t batch),
                      double (*cells)(size_t batch));

#ifdef __cplusplus
}
#endif

#endif
