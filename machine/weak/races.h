/* Data races as PTX defines them: two accesses to the same memory, of which at least one writes, that are not
 * ordered and not morally strong. They are not morally strong if one of them is weak, if the scope of one
 * excludes the other thread, or if they overlap only in part. There is one report for each pair of
 * instructions. */
#ifndef MACHINE_RACES_H
#define MACHINE_RACES_H

#include "machine/weak/memory_model.h"
#include "machine/state.h"

/* The last time that a thread learned of another thread's writes: the strong read, and the write whose value
 * it returned. */
struct observation {
    uint32_t reader, reader_site, writer, writer_site;
    uintptr_t home;          /* the location (cells.h) */
    bool is_released;        /* did the write release what its thread knew? */
    bool is_cluster_barrier; /* were the two a wait at a cluster's barrier, and an arrival there? */
};

/* What the second access of a race does. The first access was a write; in RACE_WRITES_READ and
 * RACE_ATOMIC_READ, a read. */
enum race_kind { RACE_READS, RACE_WRITES, RACE_ATOMIC, RACE_WRITES_READ, RACE_ATOMIC_READ };

struct race {
    /* the threads or copies that made the first and the second access; nothing orders the second with
     * the first */
    struct writer first, second;
    uint32_t first_site, second_site;
    enum race_kind kind;
    /* whether both accesses were strong, and whether only the first or only the second was; two strong
     * accesses race if a scope is too narrow or if their sizes differ */
    bool both_strong, only_first_strong, only_second_strong;
    bool sizes_differ;
    /* true if in each run only the order in which two fence.sc happened to be executed orders the accesses */
    bool is_hidden;
    /* Does the second access read what a copy wrote that its thread does not know to be issued? Then the copy
     * fills a buffer again too early: a barrier is missing before the copy, not a wait after it. */
    bool is_refill;
    uintptr_t address;
    size_t bytes;
    bool is_shared;  /* true for shared memory, where `address` is an offset */
    bool is_dynamic; /* true for the block's dynamic shared memory, false for its __shared__ variables */
    /* the what-if world in which the race would be absent; AS_IT_IS if there is no such world;
     * PROXIED_GLOBAL if a proxy fence is missing */
    enum what_if cure;
    /* the last observation by a thread of the second access's block; its reader is NO_THREAD if there is
     * none */
    struct observation last;
    struct writer last_writer; /* the writer of `last`, if `last` has a reader */
    bool last_reader_knows;    /* does the reader of `last`, another thread, know the first access? */
    /* If the location of `last` is a counter of arrivals: the atomic that counts, where the second access's
     * block last read the counter, and how often threads of the two blocks have counted; otherwise 0. */
    uint32_t counted_site, waited_site;
    unsigned first_came, second_came;
    /* For a race with a copy: the last wait at the copy's mbarrier that a thread of the second access's block
     * has passed, and the arrival that ended the phase. The reader is NO_THREAD if there was no such wait, or
     * if a copy ended the phase. */
    struct observation passed;
};

/* Forgets all races that were found. */
void races_forget(void);

/* Returns whether a race of this kind between these two instructions is already stored, and if so counts
 * it again. `span` tells how far apart its threads are this time. */
bool race_again(uint32_t first_site, uint32_t second_site, enum race_kind kind, enum race_span span);

/* Stores a race for the reports; its pair of instructions has not been stored before. */
void race_note(const struct race *race);

/* Notes for the reports that threads have come to this barrier of a warp or of a block. */
void race_note_barrier(uint32_t site, enum race_span span);

/* Returns the smallest group that has both threads. A copy does not count as a lane of its issuer's warp. */
enum race_span race_span_of(const struct writer *a, const struct writer *b);

/* Writes the name of a place that the block accesses, as in the reports of races. */
void race_describe_place(struct block *block, uintptr_t address, size_t bytes, char *text, size_t size);

#endif
