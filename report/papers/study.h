/* The study of Nakano 2013's abstract machines: results/reference/memory-machine/study.json. */
#ifndef REPORT_PAPERS_STUDY_H
#define REPORT_PAPERS_STUDY_H

#include "report/table.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

/* Every row of the study, by the names of its columns. */
struct study {
    cJSON *json, *paper; /* results/papers/nakano-2013.json */
    const cJSON *rows;
    int model, width, latency, schedule, variant, n, threads, time, barriers; /* columns */
};

struct study study_read(const char *folder);
void study_close(struct study *study);
double study_number(const cJSON *row, int column);
const char *study_text(const cJSON *row, int column);

/* Over all rows of a variant, NaN without any: the largest time over the bound counted in the paper's listing, or
 * difference from its number of barriers or threads. */
enum study_ratio { STUDY_TIME, STUDY_OTHER_BARRIERS, STUDY_OTHER_THREADS };
double study_most(const struct study *study, const char *variant, enum study_ratio what);
/* Over all rows, the smallest time over a term of the lower bound. */
double study_least(const struct study *study, const char *term);
/* The largest difference between a variant's numbers of barriers for two n above w l; the largest ratio of two schedules'
 * times (UMM); all else equal. */
double study_barriers_by_n(const struct study *study, const char *variant);
double study_schedules(const struct study *study, const char *variant);

#define STUDY_SCHEDULES 3 /* in turn, which is the synchronous manner, and two asynchronous ones */
extern const char *const study_schedule_names[STUDY_SCHEDULES];

/* Data for gnuplot: a variant's time units, or barriers, under a schedule against n (width 32, latency 100) or the
 * latency (width 32, n = 16,384), on the UMM; and the requests of "figure_2" or "figure_3". */
void study_curve(const struct study *study, const char *variant, const char *schedule, bool against_n,
                 bool barriers, FILE *file);
/* Of the same n, Table 1's time of sums by Simple with all constants 1: n/w + l log n. */
void study_bound(const struct study *study, FILE *file);
void study_trace(const struct study *study, const char *name, FILE *file);
/* When the last of those requests is complete; NaN without any. */
double study_complete(const struct study *study, const char *name);

/* Makes FOLDER/study.json of the result files in `work` and of the traces of Figures 2 and 3 there. */
void study_collect(const char *work, const char *folder);

/* Prints the table `bounds`: Table 1 of the paper with the runs of the study. */
void print_bounds(const char *folder, enum form form, FILE *file);

#endif
