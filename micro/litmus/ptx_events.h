/*
 * A litmus test as PTX's axioms see it: the events of one path through each thread, and the sources of their
 * values. A path is a choice for every branch (taken or not) and every compare-and-swap (equal or not). The
 * values that reads return must then fulfil the path's conditions.
 */
#ifndef MICRO_PTX_EVENTS_H
#define MICRO_PTX_EVENTS_H

#include "micro/litmus/litmus_test.h"

#include <stdint.h>

enum { PTX_EVENTS = 64, PTX_SOURCES = 256, PTX_CONDITIONS = 48 };

typedef uint64_t ptx_set; /* a set of events, one bit each */
#define PTX_BIT(e) (UINT64_C(1) << (e))
#define PTX_FOR_EACH(e, set)                                                                                 \
    for (ptx_set left_##e = (set); left_##e; left_##e &= left_##e - 1)                                       \
        for (int e = __builtin_ctzll(left_##e), once_##e = 1; once_##e; once_##e = 0)

enum ptx_kind { PTX_READ, PTX_WRITE, PTX_FENCE, PTX_BARRIER, PTX_ARRIVAL };

/* The source of a value: a constant, a read event, or an operator with two other sources */
struct ptx_source {
    enum { PTX_CONSTANT, PTX_FROM_READ, PTX_COMPUTED } kind;
    int value; /* a constant's value, the index of a read event, or an operator */
    int a, b;  /* a computed value's two operands, as indices in the path's `sources` */
};

struct ptx_event {
    enum ptx_kind kind;
    int thread; /* number of the thread, or -1 for the initial value of a location */
    /* the instruction that has the event, or NULL for an initial value */
    const struct litmus_instruction *instruction;
    int location;
    enum machine_scope scope;
    enum machine_order order;
    int source;          /* for a write's value or a barrier's id, the index in the path's `sources` */
    int written;         /* for the read of an atomic, the event of its write, or -1 if there is none */
    int instance, count; /* for a barrier, its instance and its count of arrivals */
    ptx_set needs;       /* the reads that decide whether the event happens and what it writes */
};

/* A condition on the values of reads under which a path is taken */
struct ptx_condition {
    enum litmus_operator operation;
    int a, b; /* the two operands, as indices in the path's `sources` */
    bool holds;
};

/* A path through each thread of a test. A thread's events follow each other in program order. */
struct ptx_path {
    const struct litmus *test;
    struct ptx_event events[PTX_EVENTS];
    struct ptx_source sources[PTX_SOURCES];
    struct ptx_condition conditions[PTX_CONDITIONS];
    int count, source_count, condition_count;
    /* for the value of each thread's registers at the end, the index in `sources` */
    int registers[LITMUS_THREADS][LITMUS_REGISTERS];
};

/* Calls `take` for each path of the test. Returns false if some paths were too long and were omitted. */
bool ptx_for_each_path(const struct litmus *test, void (*take)(const struct ptx_path *path));

/* Computes the value of path->sources[source] if each read returns the value of the write read_from[read].
 * Returns false if the value depends on a read for which this is -1. */
bool ptx_value(const struct ptx_path *path, int source, const int *read_from, int *value);

/* Returns false if the values that are known from read_from contradict a condition of the path. */
bool ptx_may_be_taken(const struct ptx_path *path, const int *read_from);

#endif
