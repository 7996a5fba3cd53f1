/* The methods to synchronise the steps of an algorithm; methods.def has a row for each. */
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

/* How a method launches the steps. */
enum sync_way { ONE_LAUNCH, LAUNCH_EACH, LAUNCH_AND_WAIT, LAUNCH_GRAPH };

/* What a barrier keeps in its memory, for the tests of its wrap-around after many launches. */
enum sync_memory {
    MEMORY_PHASE,  /* counters with a phase bit */
    MEMORY_COUNTS, /* a counter that only grows, and the value that it had before the launch */
    MEMORY_ARRAYS  /* a base and an element for each block, all of which grow */
};

struct sync_method {
    enum sync_way way;
    enum sync_memory memory;
    bool cooperative;  /* the kernel is launched cooperatively */
    const char *color; /* color in figures, as "#rrggbb" */
    int point;         /* gnuplot's type of point in figures */
};

/* sync_variants has the methods as variants of every experiment that is a step loop; sync_methods has what
 * the variants leave out. The index is an enum sync_id. */
extern const struct variant sync_variants[SYNC_METHODS];
extern const struct sync_method sync_methods[SYNC_METHODS];

#ifdef __cplusplus
}
#endif

#endif
