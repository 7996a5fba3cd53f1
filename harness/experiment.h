/*
 * An experiment is a struct of functions and a table of variants. A program's main fills in the struct and
 * calls experiment_main, which does the rest: command line, sweep, verification, timing, result file.
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
    unsigned long long wrong;    /* number of wrong values */
    unsigned long long compared; /* number of values that were compared */
};

/*
 * An option --name VALUE of one experiment; a table of options ends with a NULL name. The value of the
 * command line, or else the standard one, is checked and stored before anything runs. An option with `text`
 * keeps the value as a text; any other one becomes a number: of the choice, counted from 0, or the whole
 * number itself.
 */
struct extra_option {
    const char *name;
    const char *help;
    const char *standard;
    const char *choices; /* the values that are allowed, as "a,b,c"; NULL means a whole number */
    int least, most;     /* limits of the whole number */
    int *number;         /* where the number is stored; NULL for an option with `text` */
    const char **text;   /* where the text is stored; NULL for an option with `number` */
};
/* The value for the memory machine, and the value for GPUs. */
#ifdef GPUSYNC_MACHINE
#define MACHINE_OR_GPU(on_machine, on_gpu) on_machine
#else
#define MACHINE_OR_GPU(on_machine, on_gpu) on_gpu
#endif
/* The rows of an array of options; `standard_` is the text of the value if the option is not given. */
#define OPTION_OF_NUMBER(name_, least_, most_, standard_, number_, help_)                                    \
    {                                                                                                        \
        .name = name_, .help = help_, .standard = standard_, .least = least_, .most = most_,                 \
        .number = number_                                                                                    \
    }
#define OPTION_OF_CHOICE(name_, choices_, standard_, number_, help_)                                         \
    {                                                                                                        \
        .name = name_, .help = help_, .standard = standard_, .choices = choices_, .number = number_          \
    }
#define OPTION_OF_TEXT(name_, standard_, text_, help_)                                                       \
    {                                                                                                        \
        .name = name_, .help = help_, .standard = standard_, .text = text_                                   \
    }

/* Experiments of one family share tables and figures. */
enum family {
    FAMILY_MICRO,
    FAMILY_STEPS, /* a step loop under every barrier */
    FAMILY_BATCHES,
    FAMILY_OTHER
};

/* The numbers of blocks that are measured if the command line names none. Sweeps go up to one block on every
 * multiprocessor, and then double the number as long as all blocks are resident. */
enum block_sweep {
    SWEEP_EVERY,               /* every number of blocks up to 32, then every eighth number */
    SWEEP_DOUBLING,            /* numbers of blocks that are powers of two */
    SWEEP_ONE_BLOCK,           /* one block: what is measured happens within a block */
    SWEEP_TWO_BLOCKS,          /* two blocks: what is measured happens between them */
    SWEEP_ALL_MULTIPROCESSORS, /* one block on every multiprocessor */
    /* every third number of blocks from 9 to 30 (Figures 10 to 13 of Xiao and Feng 2010), then a quarter,
     * half and three quarters of one block on every multiprocessor */
    SWEEP_9_TO_30
};

/* The launches of an experiment: swept over blocks and threads, or shaped by the experiment. */
struct launches {
    const char *threads; /* LIST of numbers of threads in a block, used if the command line has none */
    enum block_sweep sweep;
    /* Returns the largest number of blocks that can be resident at once. Called only for variants whose
     * blocks must all be resident. */
    int (*resident_blocks)(const struct variant *variant, unsigned threads, long long size, int sm_count);
    /* Optional: returns the number of threads of a block if the size decides it, which excludes --threads;
     * otherwise 0. */
    unsigned (*threads_of)(long long size);
    /* Optional: exits if the variant cannot run with this number of threads in a block. Called before
     * anything is measured. */
    void (*check)(const struct variant *variant, unsigned threads);
    /* Optional, instead of the members above: sets the blocks and threads of a point, if its variant and size
     * decide them. */
    void (*shape)(struct point *point, int sm_count);
};

/* A problem with an input and answers. An experiment without one leaves all members NULL. */
struct problem {
    /* Reads the file `input`. `input` may be NULL; then a problem of the size is generated from the seed.
     * Returns the size that the points get. Exits if the input is wrong. */
    long long (*open)(const char *input, long long size, unsigned long long seed);
    void (*close)(void);
    /* Optional: computes what `check` compares with, on as many of the host's processors as it can use.
     * Called before the first check of a problem. */
    void (*reference)(void);
    /* Optional: computes the answers by one thread; its time is reported, too (Table III). */
    void (*sequential)(void);
    /* Optional: writes the answers of the last run, in the order of the input. */
    void (*write_answers)(FILE *file);
};

struct experiment {
    const char *name;
    const char *sample_of; /* the experiment that this one samples, whose name its results have; or NULL */
    const char *question;
    enum family family;
    const struct variant *variants;
    int variant_count;
    bool begins_early;  /* the variants whose run is one kernel support --early (harness/early.h) */
    bool any_warp_size; /* the kernels do not rely on warps of 32 threads */
    bool one_process;   /* the samples cannot be taken in several processes (--processes) */
    /* names of the variants that are measured without --variant; NULL means all */
    const char *default_variants;
    const char *left_out; /* names of the variants that are measured only if --variant names them, or NULL */
    /* Optional: does the device meet the needs that the variant has in `special`? */
    bool (*can_do)(const struct variant *variant);
    const struct extra_option *options; /* options of this experiment alone, or NULL */
    const char *size_means;             /* what --help says about --size */
    bool size_repeats; /* a run repeats the same work, so often that on a GPU its launch counts for little */
    const char *gpu_sizes, *machine_sizes; /* LISTs of sizes, used if the command line has none */
    int gpu_runs;                          /* smallest number of samples of a point on a GPU */
    struct launches launches;
    struct problem problem;

    /* Allocates and fills the memory that the point needs. Is not timed. */
    void (*prepare)(const struct point *point);
    /* Enqueues the algorithm once on harness_stream(), which is timed. May be called any number of times. */
    void (*run)(const struct point *point);
    /* Compares the answers of the last run with the sequential reference. */
    struct verdict (*check)(const struct point *point);
    /* Frees what prepare allocated. */
    void (*release)(void);
    /* Returns the number of operations of a run, or of the whole problem if a run is a sample of it. Times
     * are reported per operation, too. */
    double (*operations)(const struct point *point);
    /* Optional: returns the time of the whole problem, which is reported, from the time of a run that is a
     * sample of it. */
    double (*whole)(double time);

    /* Optional: returns what the last run measured itself, in measured_unit. It replaces the run's time. */
    double (*measured)(const struct point *point);
    const char *measured_unit;
    /* Optional: adds facts about the last run to the JSON of its point. */
    void (*describe)(const struct point *point, struct cJSON *json);
    /* Optional: returns what follows from all points together, as a JSON object for the result file. */
    struct cJSON *(*analyse)(const struct cJSON *points, int sm_count);
};

/* Runs the program of an experiment; returns its exit status. */
int experiment_main(int argc, char **argv, const struct experiment *experiment);

/* experiment_main for a program whose functions have the names that they have in struct experiment. */
#define run_experiment(argc, argv, e)                                                                        \
    ((e).prepare = prepare, (e).run = run, (e).check = check, (e).release = release,                         \
     (e).operations = operations, experiment_main(argc, argv, &(e)))

#ifdef __cplusplus
}
#endif

#endif
