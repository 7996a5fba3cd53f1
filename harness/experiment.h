/*
 * An experiment is a struct of functions and a table of variants. Its program's main fills one in and calls
 * experiment_main, which does the rest: command line, sweep, verification, timing, result file.
 */
#ifndef HARNESS_EXPERIMENT_H
#define HARNESS_EXPERIMENT_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cJSON;

struct variant {
    int id;
    const char *name;
    const char *summary;
    bool ordered;      /* the PTX memory model guarantees its results */
    bool resident;     /* needs all its blocks resident at once */
    bool checked;      /* computes something that can be verified */
    int capability;    /* compute capability it needs, 10 * major + minor */
    const char *needs; /* the same in words, for the message */
};

struct point {
    const struct variant *variant;
    unsigned blocks, threads;
    long long size;
    unsigned long long seed;
};

struct verdict {
    bool correct;
    unsigned long long wrong; /* how many of `compared` values were wrong */
    unsigned long long compared;
};

struct experiment {
    const char *name;
    const char *question;
    const struct variant *variants;
    int variant_count;
    int threads;
    const char *size_means;
    long long gpu_size, machine_size;
    int gpu_runs;
    bool doubling_blocks; /* the default sweep is 1, 2, 4, ... rather than every number of blocks */
    /* The most blocks that can be resident at once; asked only for variants that need it. */
    int (*resident_blocks)(const struct variant *variant, unsigned threads, int sm_count);
    /* Allocates and fills what the point needs; untimed. */
    void (*prepare)(const struct point *point);
    /* Runs the point's algorithm, or a check of it, and compares with the reference. */
    struct verdict (*verify)(const struct point *point);
    /* Enqueues the algorithm once on harness_stream(): what is timed. */
    void (*run)(const struct point *point);
    void (*release)(void);
    /* How many operations one run does; times are reported per operation too. */
    double (*operations)(const struct point *point);
    /* Optional: what follows from all points together, as a JSON object for the result file. */
    struct cJSON *(*analyse)(const struct cJSON *points, int sm_count);
};

int experiment_main(int argc, char **argv, const struct experiment *experiment);

#ifdef __cplusplus
}
#endif

#endif
