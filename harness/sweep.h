/* A sweep: what it measures, and its results so far. main.c fills in the struct from top to bottom: first the
 * options, then what choose.c chooses for the device, the head of the result file, and the points. */
#ifndef HARNESS_SWEEP_H
#define HARNESS_SWEEP_H

#include "harness/device.h"
#include "harness/experiment.h"
#include "harness/measurement.h"
#include "harness/options.h"

#include <cjson/cJSON.h>

struct sweep {
    const struct experiment *experiment;
    int argc; /* number of words of the command line, which the result file quotes */
    char **argv;
    struct options options; /* the options of the command line, completed by choose.c */
    struct device device;
    const struct variant **variants; /* the variants that are measured */
    size_t variant_count;
    bool standard_blocks; /* --blocks was not given */
    int process; /* number of this process among the processes that share the samples, counted from 0 */
    bool is_last_process; /* this process is the last one and writes the result file */

    cJSON *header;     /* head of the result file: everything except what was measured */
    cJSON *points;     /* measured points */
    cJSON *references; /* times of the sequential reference, one entry for each size */
    cJSON *conditions; /* conditions before and after the sweep: clock rates, temperature, power */
    /* variants that are not measured, each with what it needs of a device or the reason why it failed */
    cJSON *skipped;
    bool wrong; /* an ordered variant had a wrong result */
};

/* Returns the number of threads of a block if the size decides it, or 0 if --threads decides it. */
static inline unsigned threads_by_size(const struct sweep *s, long long size)
{
    return s->experiment->launches.threads_of ? s->experiment->launches.threads_of(size) : 0;
}

/* Returns the number of blocks that the variant chooses for this size, or 0 if --blocks decides it. */
static inline unsigned own_blocks(const struct sweep *s, const struct variant *variant, long long size)
{
    const struct launches *launches = &s->experiment->launches;
    return launches->blocks_of ? launches->blocks_of(variant, size, s->device.sm_count) : 0;
}

/* ---- harness/passes.c ---- */

/*
 * Measures all points of a sweep, in all sizes, until each has `goal` samples. `earlier` has the points of an
 * interrupted run's journal, whose samples count. The problem of the first size must be open; the others are
 * opened here, and all are closed. Prints a table, writes the journal, and fills in the sweep's points, the
 * times of the sequential reference, and the variants that turned out to be impossible.
 */
void measure_points(struct sweep *sweep, const cJSON *earlier, size_t goal);

/* ---- harness/measure.c ---- */

/* A visit to a point of a sweep, which adds samples. */
struct visit {
    const struct sweep *sweep;
    const struct point *point;
    struct measurement *measurement; /* the point's measurement so far, or NULL before the first visit */
    /* on a GPU, number of samples that the visit adds; on the machine, number of samples that the point shall
     * have */
    size_t samples;
};

/* Makes a visit to a point; `context` points to a struct visit. The first visit verifies the point. Each
 * visit adds samples, whose runs are repeated until the time is long enough for the clock. The result is in
 * visit->measurement. This function can be the `work` of attempt() (harness/check.h). */
void measure_point(void *context);

/* ---- harness/choose.c ---- */

/* Chooses what a sweep measures on the opened device: sizes, variants, numbers of threads and of blocks.
 * Fills in what the options leave open, and lists in sweep->skipped the variants that the device cannot run.
 * Also opens the first problem, because its input, if it has one, decides its size. Exits if the device
 * cannot do what the options ask for. */
void choose_sweep(struct sweep *sweep);

/* Writes what the variant needs of a device, such as "compute capability 7.0", "CUDA graphs" or "-". Returns
 * `text`. */
const char *variant_needs(const struct variant *variant, char *text, size_t bytes);

/* ---- harness/problem.c: the problems of an experiment, which are open one at a time ---- */

/* Opens the problem of the size number `at` in the sweep's list of sizes, and first closes the problem of the
 * size before it. If --input names a file, the file decides the size, which then replaces the one in the
 * list. Does nothing for an experiment without problems. If the device has too little memory for the size,
 * prints a line that says so, notes it as skipped and returns false; the first size is not checked. */
bool problem_open(struct sweep *sweep, size_t at);

/* Notes for the result file that what this text names, a variant or a size, is not measured, and why. The
 * last process prints a line that says so. */
void leave_out(const struct sweep *sweep, const char *what, const char *reason);

/* Closes the open problem, if there is one. */
void problem_close(const struct experiment *experiment);

/* Computes the reference answers of the open problem, unless that is done already. */
void problem_need_reference(const struct experiment *experiment);

/* Times the sequential reference on the open problem, as Xiao and Feng 2010, Table III, does. Returns the
 * times as JSON, in ns. */
cJSON *problem_time_sequential(const struct experiment *experiment, long long size);

#endif
