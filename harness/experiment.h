/*
 * An experiment is a struct of functions and a table of variants. A program's main fills in the struct and
 * calls experiment_main, which does the rest: command line, sweep, verification, timing, result file.
 */
#ifndef HARNESS_EXPERIMENT_H
#define HARNESS_EXPERIMENT_H

#include "harness/variants.h"

#include <stddef.h>
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
    unsigned long long wrong;    /* number of values in the answers that are wrong */
    unsigned long long compared; /* number of values in the answers that were compared with the reference */
};

/*
 * An option --name VALUE that only one experiment has. A table of such options ends with one whose name is
 * NULL. The value from the command line, or `standard` if there is none, is checked and stored before
 * anything runs. An option with `text` stores the value as a text. An option with `choices` stores the number
 * of the chosen word, counted from 0. Any other option stores the value as a whole number.
 */
struct extra_option {
    const char *name;
    const char *help;
    const char *standard;
    /* the allowed values, as "a,b,c"; NULL means that any whole number within the limits is allowed */
    const char *choices;
    int least, most;   /* smallest and largest whole number that is allowed */
    int *number;       /* address at which the number is stored; NULL for an option with `text` */
    const char **text; /* address at which the text is stored; NULL for an option with `number` */
};
/* MACHINE_OR_GPU() is its first argument in programs for the memory machine, whose kernels g++ or nvcc
 * compiles (GPUSYNC_MACHINE), and its second one in programs for a GPU. */
#ifdef GPUSYNC_MACHINE
#define MACHINE_OR_GPU(on_machine, on_gpu) on_machine
#else
#define MACHINE_OR_GPU(on_machine, on_gpu) on_gpu
#endif
/* Initializers of struct extra_option. `standard_` is the text of the value that counts if the option is not
 * given. */
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

/* The families of experiments: experiments of one family share tables and figures. */
enum family {
    FAMILY_MICRO,
    FAMILY_STEPS, /* experiments that run a step loop under every grid barrier */
    FAMILY_BATCHES,
    FAMILY_OTHER
};

/* Names a list of numbers of blocks, which are measured if --blocks is not given. A list goes up to one block
 * on every multiprocessor; from there the number of blocks doubles as long as all blocks are resident. */
enum block_sweep {
    SWEEP_EVERY, /* every number of blocks up to 32, then every eighth number */
    /* numbers of blocks that are powers of two; on a GPU, of those above the multiprocessors only the
     * largest, for which the most requests are under way */
    SWEEP_DOUBLING,
    SWEEP_ONE_BLOCK,  /* one block, because the experiment measures what happens within a block */
    SWEEP_TWO_BLOCKS, /* two blocks, because the experiment measures what happens between two blocks */
    SWEEP_ALL_MULTIPROCESSORS, /* one block on every multiprocessor */
    /* every third number of blocks from 9 to 30 (Figures 10 to 13 of Xiao and Feng 2010), then a quarter,
     * half and three quarters of one block on every multiprocessor */
    SWEEP_9_TO_30
};

/* How an experiment's launches get their numbers of blocks and threads: from sweeps over both numbers, or
 * from the function `shape`. */
struct launches {
    /* the numbers of threads in a block, as a LIST (base/list.h), that are measured if --threads is not
     * given */
    const char *threads;
    enum block_sweep sweep;
    /* Returns the largest number of blocks that can be resident at once. Called only for variants whose
     * blocks must all be resident. */
    int (*resident_blocks)(const struct variant *variant, unsigned threads, long long size, int sm_count);
    /* Optional: returns the number of threads of a block for this size, or 0 if --threads decides it. If the
     * size decides the number, the option --threads is refused. */
    unsigned (*threads_of)(long long size);
    /* Optional: returns the number of blocks with which this variant runs, or 0 if --blocks decides it. Such
     * a variant is measured once for each size. */
    unsigned (*blocks_of)(const struct variant *variant, long long size, int sm_count);
    /* Optional: returns whether the variant is measured with this number of blocks if --blocks is not
     * given. */
    bool (*wants_blocks)(const struct variant *variant, unsigned blocks, int sm_count);
    /* Optional: exits if the variant cannot run with this number of threads in a block. Called before
     * anything is measured. */
    void (*check)(const struct variant *variant, unsigned threads);
    /* Optional, instead of the members above: sets the numbers of blocks and threads of a point from its
     * variant and size. */
    void (*shape)(struct point *point, int sm_count);
};

/* The functions of an experiment that solves a problem, which has an input and answers. In an experiment
 * without a problem, all of them are NULL. */
struct problem {
    /* Reads the problem from the file `input` and returns its size. `input` may be NULL; then a problem of
     * the given size is generated from the seed. Exits if the input is wrong. */
    long long (*open)(const char *input, long long size, unsigned long long seed);
    void (*close)(void);
    /* Optional: computes the reference answers with which `check` compares, on as many of the host's
     * processors as it can use. Called before the first check of a problem. */
    void (*reference)(void);
    /* Optional: computes the answers by one thread of the host. Its time is reported, too, as in Xiao and
     * Feng 2010, Table III. */
    void (*sequential)(void);
    /* Optional: writes the answers of the last run, in the order of the input. */
    void (*write_answers)(FILE *file);
    /* Optional: returns how many bytes of the device's memory a problem of this size and its points need at
     * most. A size for which the device has too few is left out. */
    size_t (*bytes)(long long size);
    /* Optional: points to whether the open problem's input is on the device alone, so that the host cannot
     * compute its answers. */
    const bool *on_device;
    bool is_generated; /* open() takes no notice of `input`, so that --input is refused */
};

struct experiment {
    const char *name;
    /* If this experiment runs only a sample of another experiment's points: the name of the other experiment,
     * which the results then have. Otherwise NULL. */
    const char *sample_of;
    const char *question;
    enum family family;
    const struct variant *variants;
    int variant_count;
    /* --early is allowed: each run that is one kernel can begin early (harness/streams.h) */
    bool begins_early;
    bool any_warp_size; /* the kernels also run on machines whose warps do not have 32 threads */
    bool one_process;   /* --processes is not allowed: all samples must be taken in one process */
    /* names of the variants that are measured without --variant; NULL means all */
    const char *default_variants;
    /* names of the variants that are measured only if --variant names them; NULL means that there are none */
    const char *left_out;
    /* Optional: returns whether the device meets the needs that the variant names in `special`. */
    bool (*can_do)(const struct variant *variant);
    const struct extra_option *options; /* the options that only this experiment has, or NULL */
    const char *size_means;             /* what --help says about --size */
    /* the size is a number of repetitions of the same work; on a GPU it is so large that the launch's time
     * hardly counts */
    bool size_repeats;
    /* the sizes that are measured on a GPU and on the machine if --size is not given, each a LIST
     * (base/list.h) */
    const char *gpu_sizes, *machine_sizes;
    int gpu_runs; /* smallest number of samples of a point on a GPU */
    struct launches launches;
    struct problem problem;

    /* Allocates and fills the memory that the point needs. Its time is not measured. */
    void (*prepare)(const struct point *point);
    /* Enqueues one run of the algorithm on harness_stream(). The run is timed. May be called any number of
     * times. */
    void (*run)(const struct point *point);
    /* Compares the answers of the last run with the sequential reference and returns the verdict. */
    struct verdict (*check)(const struct point *point);
    /* Frees the memory that `prepare` allocated. */
    void (*release)(void);
    /* Returns the number of operations of a run; the time of a run divided by it is the time per operation.
     * If a run is a sample of a problem, returns the number of operations of the whole problem. */
    double (*operations)(const struct point *point);
    /* Optional, if a run is only a sample of a problem: returns the time of the whole problem, computed from
     * the time of the run. This time is reported instead of the run's. */
    double (*whole)(double time);

    /* Optional: returns what the last run measured by itself, in the unit measured_unit. The harness reports
     * this instead of the run's time. */
    double (*measured)(const struct point *point);
    const char *measured_unit;
    /* Optional: adds facts about the last run to `json`, the point in the result file. */
    void (*describe)(const struct point *point, struct cJSON *json);
    /* Optional: returns conclusions from all points together, as a JSON object for the result file. */
    struct cJSON *(*analyse)(const struct cJSON *points, int sm_count);
};

/* Runs the program of an experiment; returns its exit status. */
int experiment_main(int argc, char **argv, const struct experiment *experiment);

/* Calls experiment_main after it has set e.prepare, e.run, e.check, e.release and e.operations to the
 * functions with these names. */
#define run_experiment(argc, argv, e)                                                                        \
    ((e).prepare = prepare, (e).run = run, (e).check = check, (e).release = release,                         \
     (e).operations = operations, experiment_main(argc, argv, &(e)))

#ifdef __cplusplus
}
#endif

#endif
