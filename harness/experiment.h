/*
 * An experiment is a struct of functions and a table of variants. Its program's main fills one in
 * and calls experiment_main, which does the rest: command line, sweep, verification, timing, result
 * file.
 */
#ifndef HARNESS_EXPERIMENT_H
#define HARNESS_EXPERIMENT_H

#include "harness/variants.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cJSON;

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

/*
 * An option --name VALUE of one experiment; a table of them ends with a NULL name. The command
 * line's value, or the standard one, is checked and stored before anything runs: as the number of a
 * choice or as a whole number in *number, else as it is in *text.
 */
struct extra_option {
    const char *name;
    const char *help;
    const char *standard;
    const char *choices; /* "a,b,c": *number is which of them, counted from 0 */
    int least, most;     /* of a whole number */
    int *number;
    const char **text;
};

/* What its results have in common with others', for tables and figures. */
enum family {
    FAMILY_MICRO,
    FAMILY_STEPS /* a step loop under every barrier */,
    FAMILY_BATCHES,
    FAMILY_OTHER
};

/* The numbers of blocks that are swept where the command line names none; up to all that are
 * resident. */
enum block_sweep {
    SWEEP_EVERY,               /* each up to 32, then every eighth up to one block a multiprocessor */
    SWEEP_DOUBLING,            /* powers of two up to there */
    SWEEP_ONE_BLOCK,           /* no sweep: what is measured happens within a block */
    SWEEP_TWO_BLOCKS,          /* no sweep: what is measured happens between two blocks */
    SWEEP_ALL_MULTIPROCESSORS, /* no sweep: a block on each */
    SWEEP_9_TO_30 /* every third of Figures 10 to 13 of Xiao and Feng 2010, then quarters up to there */
};

/* The launches: swept over blocks and threads, or shaped by the experiment. */
struct launches {
    const char *threads; /* LIST of threads in a block, where the command line has none */
    enum block_sweep sweep;
    /* The most blocks that can be resident at once; asked only for variants that need it. */
    int (*resident_blocks)(const struct variant *variant, unsigned threads, long long size, int sm_count);
    /* Optional: the threads of a block, where the size decides them, so that there is no --threads; else 0. */
    unsigned (*threads_of)(long long size);
    /* Optional: exits if the variant cannot run with so many threads in a block; before anything is measured. */
    void (*check)(const struct variant *variant, unsigned threads);
    /* Instead of all that: sets the blocks and threads of a point where its variant and size decide
     * them. */
    void (*shape)(struct point *point, int sm_count);
};

/* A problem with an input and answers, for experiments that have one. */
struct problem {
    /* Reads `input`, or generates a problem of the size if that is NULL; returns the size that the
     * points get. Exits if it is wrong. */
    long long (*open)(const char *input, long long size, unsigned long long seed);
    void (*close)(void);
    /* Optional: computes what `check` compares with, on as many of the host's processors as it can use: called before
     * a problem's first check. */
    void (*reference)(void);
    /* Optional: the same by one thread, where its own time is of interest (Table III). */
    void (*sequential)(void);
    void (*write_answers)(FILE *file); /* optional: those that the last run left, in input order */
};

struct experiment {
    const char *name;
    const char *sample_of; /* the experiment whose name its results have, if it samples it; or NULL */
    const char *question;
    enum family family;
    const struct variant *variants;
    int variant_count;
    bool begins_early;            /* its variants of one kernel do what --early says (harness/early.h) */
    bool any_warp_size;           /* its kernels do not rely on warps of 32 threads */
    bool one_process;             /* its samples cannot be taken in several (--processes) */
    const char *default_variants; /* names, comma-separated; NULL: all that the device can do */
    const char *left_out;         /* of those, unless they are asked for; NULL: none */
    /* Optional: is what a variant's `special` says there? */
    bool (*can_do)(const struct variant *variant);
    const struct extra_option *options; /* NULL: none */
    const char *size_means;
    bool size_repeats; /* a run does the same so many times that on a GPU its launch counts for little */
    const char *gpu_sizes, *machine_sizes; /* LISTs, where the command line has none */
    int gpu_runs;                          /* samples of each point, at least */
    struct launches launches;
    struct problem problem;

    /* Allocates and fills what the point needs; untimed. */
    void (*prepare)(const struct point *point);
    /* Enqueues the algorithm once on harness_stream(): what is timed. May be called again and
     * again. */
    void (*run)(const struct point *point);
    /* Compares what the last run left with the sequential reference. */
    struct verdict (*check)(const struct point *point);
    void (*release)(void);
    /* How many operations one run does, or the whole of which it does a sample; times are reported per operation
     * too. */
    double (*operations)(const struct point *point);
    /* Optional: where a run does a sample of a problem: the whole's time, which is reported, from a run's. */
    double (*whole)(double time);

    /* Optional: what the last run measured itself, in measured_unit; replaces its time. */
    double (*measured)(const struct point *point);
    const char *measured_unit;
    /* Optional: adds facts of the point that was just run to its JSON. */
    void (*describe)(const struct point *point, struct cJSON *json);
    /* Optional: what follows from all points together, as a JSON object for the result file. */
    struct cJSON *(*analyse)(const struct cJSON *points, int sm_count);
};

int experiment_main(int argc, char **argv, const struct experiment *experiment);

/* The same for a program that calls the functions of every experiment what they are called here. */
#define run_experiment(argc, argv, e)                                                                        \
    ((e).prepare = prepare, (e).run = run, (e).check = check, (e).release = release,                         \
     (e).operations = operations, experiment_main(argc, argv, &(e)))

#ifdef __cplusplus
}
#endif

#endif
