/* The variants of an experiment: what each is, what it guarantees, what a device must have for it. */
#ifndef HARNESS_VARIANTS_H
#define HARNESS_VARIANTS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum graphs { NO_GRAPHS, GRAPHS, GRAPHS_PROGRAMMATIC /* with programmatic dependent launch */ };

struct variant {
    int id;
    const char *name;
    const char *summary;
    bool ordered;        /* the PTX memory model guarantees its results */
    bool resident;       /* needs all its blocks resident at once */
    bool waits;          /* for the device, launches a graph, or numbers its runs: no graph can repeat it */
    bool unchecked;      /* computes nothing that could be verified */
    enum graphs graphs;  /* the launches it needs */
    int capability;      /* compute capability it needs, 10 * major + minor; 0: any */
    const char *special; /* what else it needs, in words; the experiment's can_do says whether it is there */
};

/* What it needs, in words: "compute capability 7.0", "CUDA graphs", or "-". Returns text. */
const char *variant_needs(const struct variant *variant, char *text, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
