/* What the experiments on batches of many small tasks share (Wang, Xie and Cong 2017, section V). */
#ifndef HARNESS_BATCHES_H
#define HARNESS_BATCHES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cJSON;

/* Whole numbers from `low` to `high`. */
struct length_range {
    int low, high;
};

/* The option `name` as two ranges, "LOW-HIGHxLOW-HIGH"; a range may be one number. Exits with EXIT_BAD_INPUT
 * unless they lie between 1 and `most`. */
void read_length_ranges(const char *name, int most, struct length_range *first, struct length_range *second);

/*
 * Times each batch alone and adds what Figure 9 shows: "batches", and "rate_average" and "rate_maximum" over
 * them, in cells per time unit (for ns, billions of cells a second).
 */
void describe_batches(struct cJSON *json, size_t count, void (*enqueue)(size_t batch),
                      double (*cells)(size_t batch));

#ifdef __cplusplus
}
#endif

#endif
