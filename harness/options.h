/* Reads the command line, which has the same form for all programs. */
#ifndef HARNESS_OPTIONS_H
#define HARNESS_OPTIONS_H

#include "base/list.h"
#include "harness/experiment.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MOST_EXTRA_OPTIONS 16
/* the values of --unit; "units" stands for the unit of the samples, as in the result file */
#define PRINT_UNITS "us,ns,cycles,units"

/* The options of a program. They come from the command line and, in a named sweep, from the sweep's row of
 * sweeps.txt. */
struct options {
    /* names of the variants to measure, with NULL at the end; `variants` itself is NULL for all variants */
    const char **variants;
    /* numbers of blocks, numbers of threads in a block, and sizes; an empty list means the experiment's own
     * list */
    struct int_list blocks, threads, sizes;
    /* the kind of value that --blocks has: a list, or one of the words "all", "twice" and "doubling" */
    enum { BLOCKS_LISTED, BLOCKS_ALL, BLOCKS_TWICE, BLOCKS_DOUBLING } blocks_by;
    /* --also: further numbers of blocks, and the names of the variants, with NULL at the end, that alone are
     * measured with them; without this option the list is empty */
    struct int_list also_blocks;
    const char **also_variants;
    int runs;      /* smallest number of samples of a point; 0 means the experiment's own number */
    int processes; /* number of processes that share the samples of a point, on a GPU */
    /* how narrow the median's interval shall become: half its width in percent of the median; 0 means that no
     * samples are added for that */
    int within;
    unsigned long long seed;
    const char *input, *output; /* files of --input and --output; NULL means that the option is not given */
    const char *json;           /* path of the result file, or NULL */
    const char *sweep; /* --sweep: name of a sweep (harness/sweeps.h) or "all"; NULL without this option */
    /* which rows of sweeps.txt are measured: "default", "quick", "full", "own",
     * "predicted" or "robust" */
    const char *extent;
    /* --device: the index of a GPU or, for the memory machine, a preset's name or a description file; NULL
     * means the first GPU or preset */
    const char *device;
    /* --unit: one of PRINT_UNITS, or NULL */
    const char *unit;
    /* texts of the memory machine's options --schedule, --trace and --memory, or NULL */
    const char *schedule, *trace, *memory;
    bool races;       /* a data race of an ordered variant on the machine is an error */
    double timeout_s; /* time limit of a kernel, in seconds; 0 means the usual limit */
    bool in_graph;    /* the runs of a sample are timed as nodes of one CUDA graph */
    bool early;  /* a run that is one kernel may begin while the run before it ends (harness/streams.h) */
    bool strict; /* a wrong result of an unordered variant is an error, too */
    bool list, quiet, force, resume, print_device, no_residency_check;

    const char *extras[MOST_EXTRA_OPTIONS]; /* texts of the options that only this experiment has */
    unsigned long long given;               /* bit i is set if the command line has option number i */
};

/*
 * Reads the command line into *out and stores the values of the experiment's own options. A later option
 * overrides an earlier one. Exits with EXIT_BAD_INPUT if the command line is wrong, and with EXIT_VERIFIED
 * after --help and --version.
 */
void parse_options(int argc, char **argv, const struct experiment *experiment, struct options *out);

/* Adds the options in `text`, which is a sweep's row of options separated by blanks, except options that the
 * command line has. */
void add_options(const char *text, const struct experiment *experiment, struct options *options);

#ifdef __cplusplus
}
#endif

#endif
