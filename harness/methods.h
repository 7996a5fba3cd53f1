/* Every way to synchronise the steps of an algorithm; the rows are in methods.def. */
#ifndef HARNESS_METHODS_H
#define HARNESS_METHODS_H

#include "harness/variants.h"

#ifdef __cplusplus
extern "C" {
#endif

enum sync_id {
#define METHOD(id, ...) SYNC_##id,
#include "harness/methods.def"
#undef METHOD
    SYNC_METHODS
};

/* How the steps are launched. */
enum sync_way { ONE_LAUNCH, LAUNCH_EACH, LAUNCH_AND_WAIT, LAUNCH_GRAPH };

/* What the barrier's memory is like after many launches, for the tests of its wrap-around. */
enum sync_memory {
    MEMORY_PHASE,  /* counters with a phase bit */
    MEMORY_COUNTS, /* a counter that grows, and its base */
    MEMORY_ARRAYS  /* a base, and an element for each block, that grow */
};

struct sync_method {
    enum sync_way way;
    enum sync_memory memory;
    bool cooperative;  /* launched cooperatively */
    const char *color; /* in figures: "#rrggbb" */
    int point;         /* gnuplot's type of point */
};

/* Both indexed by enum sync_id; sync_variants are the variants of every experiment that is a step
 * loop. */
extern const struct variant sync_variants[SYNC_METHODS];
extern const struct sync_method sync_methods[SYNC_METHODS];

#ifdef __cplusplus
}
#endif

#endif
