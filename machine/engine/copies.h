/*
 * Asynchronous copies (PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy"). A thread
 * issues a copy, which reads a while later and writes a while after that. A complete copy tells its mbarrier,
 * or counts as a complete member of its group. Nothing orders copies with each other. A kernel calls
 * machine/cuda/copy_calls.c.
 */
#ifndef MACHINE_COPIES_H
#define MACHINE_COPIES_H

#include "machine/kernel_calls.h"
#include "machine/state.h"

enum copy_kind { COPY_SMALL, COPY_BULK, REDUCE_BULK, STORE_ASYNC, ARRIVAL };

/* A copy that a thread requests. An ARRIVAL copies nothing: it tells the mbarrier that the thread's small
 * copies are complete. */
struct copy_request {
    enum copy_kind kind;
    uintptr_t to, from;
    /* address of the mbarrier that the copy tells when it is complete; 0 if the copy belongs to a group */
    uintptr_t mbarrier;
    unsigned bytes;                   /* number of bytes that are written */
    unsigned bytes_from;              /* number of bytes that are read; the other bytes written are zero */
    enum machine_operation operation; /* the operation that a reduction does with each element */
    unsigned element;                 /* size of an element of a reduction, in bytes */
};

/* ---- called by the running lane ---- */

/* Issues a copy of the running thread. `data` holds the bytes that a STORE_ASYNC writes; other copies have
 * NULL. */
void copies_issue(const struct copy_request *asked, const void *data, const void *instruction);

/* Issues an ARRIVAL at the mbarrier, which comes after all small copies that the thread has issued so far. */
void copies_issue_arrival(uintptr_t mbarrier, const void *instruction);

/* Commits the thread's open group: of bulk copies if `bulk` is true, otherwise of small ones. */
void copies_commit(bool bulk);

/* Returns the number of groups that the thread has committed, minus `left`; at least 0. */
unsigned copies_groups_before(bool bulk, unsigned left);

/* Have the copies of the thread's first `groups` groups completed? If `reads` is true: have they read? */
bool copies_done(bool bulk, unsigned groups, bool reads);

/* Notes that the thread has waited for these groups: on weak memory it then knows what their copies did.
 * Forgets complete copies. */
void copies_learn(bool bulk, unsigned groups, bool reads);

/* ---- called by the scheduler ---- */

/* time at which any copy reads or writes next; NEVER if no copy is under way */
extern uint64_t copies_next_at;

/* Lets the copy that is next read or write. */
void copies_step(void);

/* Completes all copies that the block's threads have issued and all whose mbarrier is in the block. Called
 * when the block ends. */
void copies_finish(const struct block *block);

#endif
