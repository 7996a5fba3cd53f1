/*
 * Times of points; no other file computes times from the members of a result.
 *
 * A run of a micro-benchmark (micro-*) repeats one operation, and launches are repeated less often than
 * barriers. Therefore variants of a micro-benchmark are compared by the time of one operation. A run of any
 * other program solves one problem, in any number of steps, and variants are compared by the time of the run.
 */
#ifndef REPORT_TIMING_H
#define REPORT_TIMING_H

#include "report/results.h"

/* A median in microseconds and its 95 % interval; NaN if nothing was measured. */
struct timing {
    double us, low, high;
};

/* run_time returns the time of a run of the point, and operation_time the time of one operation.
 * compared_time returns the one by which the experiment's variants are compared. `point` may be NULL; then
 * the time is NaN. */
struct timing run_time(const struct result *result, const cJSON *point);
struct timing operation_time(const struct result *result, const cJSON *point);
struct timing compared_time(const struct result *result, const cJSON *point);

/* Returns whether `size` in this experiment's points is a number of repetitions and not the size of a
 * problem. The function has a list of the experiments that set size_repeats (harness/experiment.h), because
 * results do not tell. */
bool size_counts_repetitions(const struct result *result);

/* Returns the median time of a run in the unit of the point: nanoseconds, cycles or time units.
 * run_as_measured also returns its interval, in the same unit. */
double run_in_units(const cJSON *point);
struct timing run_as_measured(const cJSON *point);

/* time_beyond returns time - baseline, and time_ratio returns time / other. The result's interval spans all
 * values that the intervals of both times allow. */
struct timing time_beyond(struct timing time, struct timing baseline);
struct timing time_ratio(struct timing time, struct timing other);

/* run_us returns the median time of a run, and operation_us the median time of one operation, in
 * microseconds, for the first point of the variant with this number of blocks and this size. -1 stands for
 * any number of blocks or any size. */
double run_us(const struct result *result, const char *variant, double blocks, double size);
double operation_us(const struct result *result, const char *variant, double blocks);

/* Returns the time of one operation of the point, less the time of one iteration of the loop without barriers
 * with as many blocks and threads. For micro-barrier this is the time of one barrier. */
struct timing barrier_time(const struct result *result, const cJSON *point);

/* Returns the fastest point of the variant with this size, or NULL if it has none. -1 stands for any size. */
const cJSON *fastest_of(const struct result *result, const char *variant, double size);

/* Returns the variant's point with the largest size, the first of several, or NULL if it has none. */
const cJSON *largest_of(const struct result *result, const char *variant);

/* Returns the fastest point for which wanted() is true, with this number of blocks and this size, or NULL if
 * there is none. -1 stands for any number of blocks or any size. */
const cJSON *fastest_point(const struct result *result, double blocks, double size,
                           bool (*wanted)(const cJSON *point));

/* By what factor a time must be longer than another one to count as longer; less is a tie. */
#define BETTER 1.01

/*
 * Returns the smallest number of blocks from which on variant `a` takes longer than variant `b`, provided
 * that `a` is faster at some smaller number. Times count as different if their intervals do not overlap and
 * one is longer than the other by the factor BETTER.
 * INFINITY means that there is no such number; -INFINITY means that `a` takes longer at some number and is
 * never faster.
 */
double crossing_at(const struct result *result, const char *a, const char *b);

/* is_ordered_barrier returns whether the point is of a grid barrier within a kernel, whose order the memory
 * model guarantees and whose results were right. is_launch returns whether the point is of a method that ends
 * the kernel at each barrier. */
bool is_ordered_barrier(const cJSON *point);
bool is_launch(const cJSON *point);

#endif
