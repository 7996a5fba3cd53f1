/* The variants of an experiment: what each is, what it guarantees, and what it needs of a device. */
#ifndef HARNESS_VARIANTS_H
#define HARNESS_VARIANTS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The CUDA graphs that a variant needs; programmatic ones have programmatic dependent launches. */
enum graphs { NO_GRAPHS, GRAPHS, GRAPHS_PROGRAMMATIC };

struct variant {
    int id;
    const char *name;
    const char *summary;
    bool ordered;       /* the PTX memory model guarantees the variant's results */
    bool resident;      /* all blocks must be resident at once */
    bool waits;         /* the host waits for the device or numbers the runs, so no graph can repeat a run */
    bool unchecked;     /* the variant computes nothing that could be verified */
    enum graphs graphs; /* the graphs that the variant needs */
    int capability;     /* compute capability that the variant needs, 10 * major + minor; 0 means any */
    /* further needs in words, or NULL; the experiment's can_do tells if the device meets them */
    const char *special;
};
/* A row of an array of variants; further members follow as `.ordered = true, .capability = 70`. */
#define VARIANT(id_, name_, summary_, ...)                                                                   \
    {                                                                                                        \
        .id = id_, .name = name_, .summary = summary_, __VA_ARGS__                                           \
    }

/* Writes what the variant needs of a device, such as "compute capability 7.0", "CUDA graphs" or "-". Returns
 * `text`. */
const char *variant_needs(const struct variant *variant, char *text, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
