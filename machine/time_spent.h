/*
 * Where a kernel's time goes, by instruction: for code that owns a machine. The time of each warp is
 * divided without gaps into spans, each of which is charged to an instruction and to a reason.
 *
 * The critical path of a kernel is followed back from the warp that ends last. Where a warp waited for
 * another one (at a barrier for the last to arrive, in a polling loop for a store, at its beginning for the
 * end of the block whose place its block takes), the path goes on in the other warp from then on. So the
 * spans of the path add up to the kernel's time. The spans of all warps add up to the sum of the warps'
 * lifetimes.
 */
#ifndef MACHINE_TIME_SPENT_H
#define MACHINE_TIME_SPENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum machine_reason {
    SPENT_WORK,    /* instructions, and the wait for their turn to be issued */
    SPENT_MEMORY,  /* a plain load or store is under way, and L1 lacks its words */
    SPENT_L1,      /* a plain load is under way that L1 serves */
    SPENT_SHARED,  /* a plain access to shared memory is under way */
    SPENT_ORDER,   /* a fence, an atomic, or a load or store that is volatile or atomic is under way */
    SPENT_UNIT,    /* an atomic waits until the atomics before it have been served */
    SPENT_WAIT,    /* polls until another thread stores */
    SPENT_SLEEP,   /* __nanosleep() */
    SPENT_BARRIER, /* waits at a barrier of the block, of the cluster or of the warp */
    SPENT_OUTSIDE, /* before the warp's block began, for an unknown reason */
    SPENT_REASONS
};

struct machine_spent {
    const void *at;   /* the instruction, or NULL */
    const void *whom; /* for SPENT_WAIT, the instruction that stored the polled value; NULL for other reasons
                       * or if it is not known */
    enum machine_reason reason;
    uint64_t path;  /* time units on the critical path */
    uint64_t warps; /* time units of all warps together */
};

/* A span of one warp, in time units since the kernel began. */
struct machine_span {
    unsigned multiprocessor, block, warp; /* the warp's number in its block */
    const void *at, *whom;
    enum machine_reason reason;
    uint64_t from, to;
};

/* Sets whether the time of later launches is noted, which makes them slower. `watcher` is called for each
 * span when it has ended; NULL means that nothing is called. Kernels that overlap with others are not
 * noted. */
void machine_note_spent(bool note, void (*watcher)(const struct machine_span *span));

/* Returns what the last launch spent, in no order, and the number of entries and of warps. The entries are
 * valid until the next launch. */
const struct machine_spent *machine_spent(size_t *count, uint64_t *warps);

#ifdef __cplusplus
}
#endif

#endif
