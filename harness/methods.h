/* The methods to synchronise the steps of an algorithm (enum sync_id); methods.def has a row for each. */
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

/* What a barrier keeps in its memory; the tests set it to values at which the counters wrap around, as after
 * many launches. */
enum sync_memory {
    MEMORY_PHASE,  /* counters with one bit for the phase */
    MEMORY_COUNTS, /* a counter that only grows, and the count (base) at which the launch began */
    /* a round number for each block, in an array, and the round number (base) at which the launch began; none
     * of them ever decreases */
    MEMORY_ARRAYS
};

struct sync_method {
    enum sync_way way;
    enum sync_memory memory;
    bool cooperative;  /* the kernel is launched cooperatively */
    const char *color; /* color in figures, as "#rrggbb" */
    int point;         /* gnuplot's type of point in figures */
    const char *plain; /* what readers call the method, if its name is a paper's; else NULL */
};

/* The methods, indexed by enum sync_id. sync_variants has them as variants for every experiment that is a
 * step loop; sync_methods has the facts that struct variant lacks. */
extern const struct variant sync_variants[SYNC_METHODS];
extern const struct sync_method sync_methods[SYNC_METHODS];

/* Returns a copy of the text with the plain name of a method in place of each paper's name for it, as in
 * "sum-tree+launches"; the caller frees it. */
char *plain_names_in(const char *text);

#ifdef __cplusplus
}
#endif

#endif
