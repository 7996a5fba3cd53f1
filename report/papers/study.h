/* Reads the study of the abstract machines of Nakano 2013, results/reference/memory-machine/study.json. */
#ifndef REPORT_PAPERS_STUDY_H
#define REPORT_PAPERS_STUDY_H

#include "report/table.h"

#include <cjson/cJSON.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Computes the bounds of Nakano 2013. They are lists of terms, such as ["n/w", "3 l log n"], in
 * results/papers/nakano-2013.json. */

/* Values for the letters of a bound: n numbers, machine width w, memory latency l, and p threads. */
struct bound_setting {
    double n, w, l, p;
};

/* Returns the value of a term, its factor included; logarithms are to the base 2. Exits with EXIT_BAD_INPUT
 * for an unknown term. */
double bound_term(const char *term, struct bound_setting setting);
/* Returns whether the term grows with n itself, and not only with log n. */
bool bound_of_n(const char *term);

/* Returns the value of a bound, which is the sum of its terms, or 0 if it has none. */
double bound_value(const cJSON *terms, struct bound_setting setting);

/* Writes a bound into `text` as a sum of its terms, "n/w + l log n", or "0" if it has none, and returns
 * `text`. */
const char *bound_text(const cJSON *terms, char *text, size_t bytes);

/* number of columns in study.json; study_columns has their names */
#define STUDY_COLUMNS 9
extern const char *const study_columns[STUDY_COLUMNS];

/* The study of the abstract machines. */
struct study {
    const cJSON *json, *paper;  /* contents of study.json, and of results/papers/nakano-2013.json */
    int columns[STUDY_COLUMNS]; /* index of each of study_columns in a row of the study */
};

struct study study_read(const char *folder);

/* study_most returns the largest value over all rows of a variant, or NaN if it has no rows. STUDY_TIME is
 * the ratio of the time to the bound counted in the paper's listing, STUDY_OTHER_BARRIERS the difference from
 * the expected number of barriers, STUDY_OTHER_THREADS the difference from the paper's number of threads,
 * STUDY_ABOVE_LISTING by how many barriers the run exceeds the listing, and STUDY_OPTIMALITY the ratio of the
 * time to n/w + l log n, the lower bound of every sum. */
enum study_ratio {
    STUDY_TIME,
    STUDY_OTHER_BARRIERS,
    STUDY_OTHER_THREADS,
    STUDY_ABOVE_LISTING,
    STUDY_OPTIMALITY
};
double study_most(const struct study *study, const char *variant, enum study_ratio what);
/* Returns the smallest ratio of a run's time to this term of the lower bound, over all rows of the study. */
double study_least(const struct study *study, const char *term);
/* study_barriers_by_n compares a variant's runs with different n, all above w l, and returns the largest
 * difference between their numbers of barriers. study_schedules compares runs on the UMM that differ only in
 * the schedule, and returns the largest ratio of their times. */
double study_barriers_by_n(const struct study *study, const char *variant);
double study_schedules(const struct study *study, const char *variant);
/* Returns the largest number of barriers of a variant's runs with this width and latency, or NaN if there are
 * none. */
double study_barriers_at(const struct study *study, const char *variant, double width, double latency);
/* Returns the time of `variant` divided by the time of `other`, on the UMM under the round-robin schedule.
 * Returns NaN if one of the two has no such run. */
double study_times(const struct study *study, const char *variant, const char *other,
                   struct bound_setting setting);

/* number of schedules: round-robin, which is Nakano's synchronous manner, and two asynchronous ones */
#define STUDY_SCHEDULES 3
extern const char *const study_schedule_names[STUDY_SCHEDULES];

/* What a curve of the study shows: the time units that a run took, the bound on them that is counted in the
 * paper's listing, or the barriers that it needed. */
enum study_quantity { STUDY_TAKEN, STUDY_BOUND, STUDY_NEEDED };

/* Functions that write data for gnuplot. study_curve writes this quantity of a variant under a
 * schedule on the UMM of width 32, against n (with latency 100) or against the latency (with n = 16,384).
 * study_trace writes the requests of the trace "figure_2" or "figure_3". */
void study_curve(const struct study *study, const char *variant, const char *schedule, bool against_n,
                 enum study_quantity what, FILE *file);
void study_trace(const struct study *study, const char *name, FILE *file);
/* Returns the time at which the last request of a trace ("figure_2" or "figure_3") is complete, or NaN if
 * there is none. */
double study_complete(const struct study *study, const char *name);

/* Prints the table `bounds`: Nakano 2013, Table 1, with the runs of the study. */
void print_bounds(const char *folder, enum form form, FILE *file);

#endif
