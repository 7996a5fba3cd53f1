/* The study of the abstract machines of Nakano 2013: results/reference/memory-machine/study.json. */
#ifndef REPORT_PAPERS_STUDY_H
#define REPORT_PAPERS_STUDY_H

#include "report/table.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

/* The number of columns in study.json, and their names. */
#define STUDY_COLUMNS 9
extern const char *const study_columns[STUDY_COLUMNS];

/* The study. Each row is an array; the members below say in which place of the array each column is. */
struct study {
    cJSON *json, *paper; /* the study, and results/papers/nakano-2013.json */
    const cJSON *rows;
    /* the place of each column in a row of the study */
    int model, width, latency, schedule, variant, n, threads, time, barriers;
};

struct study study_read(const char *folder);
void study_close(struct study *study);
double study_number(const cJSON *row, int column);
const char *study_text(const cJSON *row, int column);

/* What study_most returns over all rows of a variant: the largest ratio of the time to the bound counted in
 * the paper's listing, or the largest difference from the expected number of barriers or from the paper's
 * number of threads. It returns NaN if there are no rows. */
enum study_ratio { STUDY_TIME, STUDY_OTHER_BARRIERS, STUDY_OTHER_THREADS };
double study_most(const struct study *study, const char *variant, enum study_ratio what);
/* Returns the smallest ratio of the time to a term of the lower bound, over all rows. */
double study_least(const struct study *study, const char *term);
/* study_barriers_by_n returns the largest difference between a variant's numbers of barriers for two n
 * above w l. study_schedules returns the largest ratio of its times on the UMM under two schedules, all
 * else equal. */
double study_barriers_by_n(const struct study *study, const char *variant);
double study_schedules(const struct study *study, const char *variant);

#define STUDY_SCHEDULES 3 /* round-robin, which is the synchronous manner, and two asynchronous schedules */
extern const char *const study_schedule_names[STUDY_SCHEDULES];

/* Write data for gnuplot. study_curve: a variant's time units, or barriers, under a schedule on the UMM of
 * width 32, against n (latency 100) or against the latency (n = 16,384). study_trace: the requests of
 * "figure_2" or "figure_3". */
void study_curve(const struct study *study, const char *variant, const char *schedule, bool against_n,
                 bool barriers, FILE *file);
/* Writes the bound n/w + l log n of Table 1 for sums by Simple, with all constants 1, for the same n as
 * study_curve. */
void study_bound(const struct study *study, FILE *file);
void study_trace(const struct study *study, const char *name, FILE *file);
/* Returns the time at which the last request of a trace is complete, or NaN if there is none. */
double study_complete(const struct study *study, const char *name);

/* Prints the table `bounds`: Table 1 of the paper with the runs of the study. */
void print_bounds(const char *folder, enum form form, FILE *file);

#endif
