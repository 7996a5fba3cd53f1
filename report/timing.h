/*
 * The time of a point: the only place that makes one of a result's numbers. A run of a micro-benchmark (micro-*)
 * repeats an operation as often as it takes to measure it, and launches are repeated less often than barriers: such
 * variants are compared by the time of an operation. A run of any other program solves one problem, in however many
 * steps: those are compared by the time of the run.
 */
#ifndef REPORT_TIMING_H
#define REPORT_TIMING_H

#include "report/results.h"

/* A median and its 95 % interval, in microseconds. NaN: there is none. */
struct timing {
    double us, low, high;
};

/* Of a whole run; of one operation; and of what the experiment's variants are compared by. NaN where `point` is NULL. */
struct timing run_time(const struct result *result, const cJSON *point);
struct timing operation_time(const struct result *result, const cJSON *point);
struct timing compared_time(const struct result *result, const cJSON *point);

/* Does the size of this experiment's points say how often something is done, not of what size it is? Those with
 * size_repeats (harness/experiment.h), which results do not tell. */
bool size_counts_repetitions(const struct result *result);

/* A run's median as it was taken: nanoseconds, cycles or time units. */
double run_in_units(const cJSON *point);

/* What the one takes longer than the other, or how many times as long: with the least and the most that the two
 * intervals allow. */
struct timing time_beyond(struct timing time, struct timing baseline);
struct timing time_ratio(struct timing time, struct timing other);

/* The medians of the first point of the variant with these numbers of blocks and of this size (-1: any). */
double run_us(const struct result *result, const char *variant, double blocks, double size);
double operation_us(const struct result *result, const char *variant, double blocks);

/* What an operation takes beyond one of the loop without barriers, at as many blocks and of the same size: of
 * micro-barrier, one barrier. */
struct timing barrier_time(const struct result *result, const cJSON *point);

/* The fastest point of the variant, of one size (-1: any); NULL if it has none. */
const cJSON *fastest_of(const struct result *result, const char *variant, double size);

/* The fastest of those of one size (-1: any) and so many blocks (-1: any) that are wanted; NULL if none is. */
const cJSON *fastest_point(const struct result *result, double blocks, double size,
                           bool (*wanted)(const cJSON *point));

/* The first number of blocks from which on `a` takes longer than `b`, by more than the intervals, and never less again;
 * below it `a` took less at one number of blocks or more. INFINITY: there is none. -INFINITY: `a` takes longer, and there
 * is no number of blocks at which it took less. */
double crossing_at(const struct result *result, const char *a, const char *b);

/* A grid barrier within a kernel whose order is guaranteed and whose answers were right; launches. */
bool is_ordered_barrier(const cJSON *point);
bool is_launch(const cJSON *point);

#endif
