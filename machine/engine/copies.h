/*
 * Asynchronous copies (PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy"). A thread
 * issues a copy, which reads a while later and writes a while after that. A complete copy reports to its
 * mbarrier, or counts as a complete member of its copy group. Nothing orders copies with each other.
 */
#ifndef MACHINE_COPIES_H
#define MACHINE_COPIES_H

#include "machine/memory/operations.h"
#include "machine/state.h"

enum copy_kind { COPY_SMALL, COPY_BULK, REDUCE_BULK, READ_OF_PRODUCT, STORE_ASYNC, REDUCE_ASYNC, ARRIVAL };

/* Contiguous bytes of a copy, at these distances from the beginnings of its destination and source. Bytes
 * that are not read are written as zeros. */
struct copy_piece {
    ptrdiff_t to, from;
    unsigned bytes;
    bool is_read, is_written;
};

/* A copy that a thread requests. An ARRIVAL copies nothing: it arrives at the mbarrier when the
 * thread's earlier cp.async copies are complete. */
struct copy_request {
    enum copy_kind kind;
    uintptr_t to, from;
    /* address of the mbarrier that the copy signals when it is complete; 0 if the copy belongs to a copy
     * group */
    uintptr_t mbarrier;
    unsigned bytes; /* number of bytes that the copy writes */
    /* number of bytes that the copy reads; the rest of the bytes that it writes are zero */
    unsigned bytes_from;
    /* the pieces of a copy whose bytes are not contiguous; NULL for other copies */
    const struct copy_piece *pieces;
    unsigned piece_count;
    enum machine_operation operation; /* the operation that a reduction does with each element */
    unsigned element;                 /* size of an element of a reduction, in bytes */
    /* returns an element's new value in a reduction that `operation` cannot express; NULL otherwise */
    uint64_t (*combine)(uint64_t old, uint64_t value);
};

/* ---- called by the running lane ---- */

/* Issues a copy of the running thread. `data` is the bytes that a STORE_ASYNC writes or a REDUCE_ASYNC
 * combines, and NULL for other copies. */
void copies_issue(const struct copy_request *asked, const void *data, const void *instruction);

/* Issues a READ_OF_PRODUCT, which writes nothing. It reads at once, into `data`, since the code that nvcc
 * emits moves the product's registers before the wait for it; it is complete a while later. */
void copies_issue_read(const struct copy_request *asked, void *data, const void *instruction);

/* Issues an ARRIVAL at the mbarrier. It takes effect after all cp.async copies that the thread has
 * issued so far. */
void copies_issue_arrival(uintptr_t mbarrier, const void *instruction);

/* Commits the thread's open copy group of this kind. */
void copies_commit(enum copy_groups kind);

/* Returns how many copy groups a thread waits for if it waits for all groups but the last `left`: the number
 * of committed groups minus `left`, but at least 0. */
unsigned copies_groups_before(enum copy_groups kind, unsigned left);

/* Returns whether the copies of the thread's first `groups` copy groups are complete or, if `reads` is
 * true, have read. */
bool copies_done(enum copy_groups kind, unsigned groups, bool reads);

/* Notes that the thread, or its warp if they are products, has waited for its first `groups` copy groups: on
 * weak memory it then knows what their copies did. Forgets these copies unless the thread has waited only for
 * their reads. */
void copies_learn(enum copy_groups kind, unsigned groups, bool reads);

/* ---- called by the scheduler ---- */

/* time at which the next copy reads or writes; NEVER if no copy is under way */
extern uint64_t copies_next_at;

/* Executes the copies' next read or write, the one due at copies_next_at. */
void copies_step(void);

/* Completes all copies that the block's threads have issued and all whose mbarrier is in the block. Called
 * when the block ends. */
void copies_finish(const struct block *block);

#endif
