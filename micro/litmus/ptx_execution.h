/* One execution of a litmus test, with the relations by which PTX's axioms judge it */
#ifndef MICRO_PTX_EXECUTION_H
#define MICRO_PTX_EXECUTION_H

#include "micro/litmus/ptx_relation.h"

#include <stdio.h>

/* The axiom that an execution violates; a later axiom of this list explains more to a reader. */
enum ptx_axiom { PTX_NONE, PTX_ATOMICITY, PTX_COHERENCE, PTX_CAUSALITY };

/*
 * A violation of an axiom by two events of one location.
 * PTX_COHERENCE: the write `first` is before the write `second` in causality order, and after it in coherence
 * order.
 * PTX_CAUSALITY: `first` is before `second` in causality order; either the read `first` reads from the write
 * `second`, or the read `second` reads from a write that the write `first` overwrites.
 * PTX_ATOMICITY: the write `first` is between the read `second` of an atomic and the atomic's write.
 */
struct ptx_violation {
    enum ptx_axiom axiom;
    int first, second;
};

/* Bit b of row a of a relation says that event a is before event b. */
struct ptx_execution {
    struct ptx_path path;
    int read_from[PTX_EVENTS]; /* for each read, the write that it reads from */
    /* Relations are sets of pairs of events. `strong`: morally strong with each other. `release` and
     * `acquire`: the first and the last event of such a pattern. `observation`: a write and a read that
     * observes it. `barriers`: a barrier that opens and one that passes. `synchronizes`: the first event of a
     * release pattern and the last event of an acquire pattern that synchronizes with it. */
    struct ptx_relation strong, release, acquire, observation, barriers, synchronizes;
    struct ptx_relation base; /* base causality order, transitive, with the order of fence.sc */
    struct ptx_relation coherence;
    struct litmus_outcome outcome;
    struct ptx_violation violation; /* PTX_NONE if the execution is allowed */
    bool is_allowed;
    /* number of executions with the wanted outcome that were enumerated, and whether these are all */
    int found;
    bool are_all_found;
};

/*
 * Finds an execution with the wanted outcome: one that fulfils the test's condition or, if the condition
 * begins with "forall", one that violates the condition. If PTX allows no such execution, finds one that
 * violates an axiom. `found` is 0 if there is none of these either, for example because no instruction writes
 * a value of the condition. Returns false for a test that it cannot judge.
 */
bool ptx_find_execution(const struct litmus *test, struct ptx_execution *execution);

/* Finds an execution as ptx_find_execution does, and prints its events, the writes that its reads read from,
 * and why PTX allows it or which axiom forbids it. Returns false for a test that it cannot judge. */
bool ptx_show_execution(const struct litmus *test, FILE *file);

#endif
