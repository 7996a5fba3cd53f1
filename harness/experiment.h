/*
 * An experiment is a struct of functions and a table of variants. Its program's main fills one in and calls
 * experiment_main, which does the rest: command line, sweep, verification, timing, result file.
 */
#ifndef HARNESS_EXPERIMENT_H
#define HARNESS_EXPERIMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

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

/* The numbers of blocks that are swept where the command line names none; up to all that are resident. */
enum block_sweep {
    SWEEP_EVERY,     /* each up to one block a multiprocessor */
    SWEEP_DOUBLING,  /* powers of two up to there */
    SWEEP_ONE_BLOCK, /* no sweep: what is measured happens within a block */
    SWEEP_9_TO_30    /* as Figures 10 to 13 of Xiao and Feng 2010, then eighths up to there */
};

/* An option --name VALUE; the table ends with a NULL name. */
struct extra_option {
    const char *name;
    const char *help;
    const char *standard; /* the value where the command line has none */
};

/* The value of an extra option or of "input". */
const char *experiment_option(const char *name);

struct experiment {
    const char *name;
    const char *question;
    const struct variant *variants;
    int variant_count;
    const char *default_variants; /* names, comma-separated; NULL: all that the device can do */
    const char *threads;          /* LIST of threads in a block, where the command line has none */
    const char *size_means;
    const char *gpu_sizes, *machine_sizes; /* the same of sizes */
    int gpu_runs;
    enum block_sweep sweep;
    /* Options of this experiment alone; NULL: none. Their values: experiment_option(). */
    const struct extra_option *options;
    /* Optional: can the device do the variant? Beyond its compute capability; the variant's `needs` says
     * what. */
    bool (*can_do)(const struct variant *variant);
    /* Optional: sets the blocks and threads of a point where its variant and size decide them, not the user.
     */
    void (*shape)(struct point *point, int sm_count);
    /* The most blocks that can be resident at once; asked only for variants that need it. */
    int (*resident_blocks)(const struct variant *variant, unsigned threads, int sm_count);
    /* Optional: reads or generates the problem of a size; returns the size that the points get. Exits if it
     * is wrong. */
    long long (*open)(long long size, unsigned long long seed);
    /* Frees what open made; needed by experiments that have it. */
    void (*close)(void);
    /* Allocates and fills what the point needs; untimed. */
    void (*prepare)(const struct point *point);
    /* Enqueues the algorithm once on harness_stream(): what is timed. May be called again and again. */
    void (*run)(const struct point *point);
    /* Optional: what the last run measured itself, in measured_unit; replaces its time. */
    double (*measured)(const struct point *point);
    const char *measured_unit;
    /* Compares what the last run left with the sequential reference. */
    struct verdict (*check)(const struct point *point);
    void (*release)(void);
    /* Optional: the sequential reference once, on one thread of the host; timed for Table III. */
    void (*reference)(void);
    /* Optional: writes the answers that the last run left, in input order. */
    void (*write_answers)(FILE *file);
    /* How many operations one run does; times are reported per operation too. */
    double (*operations)(const struct point *point);
    /* Optional: adds facts of the point that was just run to its JSON. */
    void (*describe)(const struct point *point, struct cJSON *json);
    /* Optional: what follows from all points together, as a JSON object for the result file. */
    struct cJSON *(*analyse)(const struct cJSON *points, int sm_count);
};

int experiment_main(int argc, char **argv, const struct experiment *experiment);

#ifdef __cplusplus
}
#endif

#endif
