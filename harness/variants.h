/* The variants of an experiment: what each is, what it guarantees, and what it needs of a device. */
#ifndef HARNESS_VARIANTS_H
#define HARNESS_VARIANTS_H

#include <stdbool.h>
#include <stddef.h>

/* The kind of CUDA graphs that a variant needs; "programmatic" graphs have programmatic dependent
 * launches. */
enum graphs { NO_GRAPHS, GRAPHS, GRAPHS_PROGRAMMATIC };

struct variant {
    int id;
    const char *name;
    const char *summary;
    bool ordered; /* the PTX memory model guarantees the variant's results */
    /* threads that exchange data do not wait for each other, so that results are wrong */
    bool unsynchronized;
    bool resident; /* the variant needs all blocks to be resident at once */
    /* the host waits for the device or numbers the runs, so that a CUDA graph cannot repeat a run */
    bool waits;
    /* blocks have nothing to do with each other, so that a GPU with more of them than multiprocessors would
     * only take longer */
    bool within_block;
    bool unchecked;     /* the variant computes nothing that could be verified */
    enum graphs graphs; /* the kind of CUDA graphs that the variant needs */
    int capability; /* lowest compute capability that the variant needs, 10 * major + minor; 0 means any */
    /* further needs in words, or NULL; the experiment's can_do tells whether the device meets them */
    const char *special;
};
/* Initializer of a struct variant; further members follow the summary as `.ordered = true, .capability =
 * 70`. */
#define VARIANT(id_, name_, summary_, ...)                                                                   \
    {                                                                                                        \
        .id = id_, .name = name_, .summary = summary_, __VA_ARGS__                                           \
    }

#endif
