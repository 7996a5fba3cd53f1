/* The command line, which all programs share. */
#ifndef HARNESS_OPTIONS_H
#define HARNESS_OPTIONS_H

#include "base/list.h"
#include "harness/experiment.h"

#ifdef __cplusplus
extern "C" {
#endif

struct options {
    const char **variants;                  /* names, NULL-terminated; NULL: all */
    struct int_list blocks, threads, sizes; /* empty: the experiment's own */
    int runs;                               /* the least samples of a point */
    int processes;                          /* that they are taken in; GPU only */
    int within; /* percent: more samples until the interval of the median is so narrow; 0: no more */
    unsigned long long seed;
    const char *input, *output; /* NULL: none */
    const char *json;           /* NULL: no result file */
    const char *sweep;  /* the name of a sweep (harness/sweeps.h), "all", or NULL: as the options say */
    const char *extent; /* how much sweeps measure: "default", "quick", "full" or "predicted" */
    const char *device; /* CUDA: an index; machine: a preset's name or a description file; NULL: the first */
    const char *schedule, *trace, *memory; /* machine only */
    bool races;       /* machine only: an ordered variant's data race is a wrong result */
    double timeout_s; /* 0: none */
    enum { BLOCKS_LISTED, BLOCKS_ALL, BLOCKS_TWICE, BLOCKS_DOUBLING } blocks_by; /* a LIST, or such a word */
    bool in_graph; /* repeats are timed in a CUDA graph */
    bool early;    /* a kernel alone may begin while the one before it ends */
    bool strict;   /* a wrong result of an unordered variant counts, too */
    bool list, quiet, force, resume, print_device, no_residency_check;
};

/* Fills in what the command line says, and the experiment's own options; `first`: options in one text, separated by
 * blanks, that come before those of the command line, or NULL. Values not given are 0 or NULL. Exits with
 * EXIT_BAD_INPUT if it is wrong. */
void parse_options(int argc, char **argv, const char *first, const struct experiment *experiment,
                   struct options *out);

/* The value that an option of the experiment's own has, as it was given. */
const char *option_text(const struct experiment *experiment, const char *name);

#ifdef __cplusplus
}
#endif

#endif
