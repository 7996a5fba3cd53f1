/*
 * Asynchronous copies (PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy"). A thread
 * issues a copy, which reads a while later and writes a while after that; then it tells an mbarrier, or it is
 * a complete member of its group. Nothing orders several copies. What a kernel calls is in
 * machine/cuda/copy_calls.c.
 */
#ifndef MACHINE_COPIES_H
#define MACHINE_COPIES_H

#include "machine/kernel_calls.h"
#include "machine/state.h"

enum copy_kind { COPY_SMALL, COPY_BULK, REDUCE_BULK, STORE_ASYNC, ARRIVAL };

/* What a thread asks for. An arrival copies nothing: it tells the mbarrier that the thread's small copies
 * are complete. */
struct copy_request {
    enum copy_kind kind;
    uintptr_t to, from;
    uintptr_t mbarrier; /* the mbarrier that the copy tells when it is complete; 0 if it belongs to a group */
    unsigned bytes;     /* bytes that are written */
    unsigned bytes_from;              /* bytes that are read; the rest of what is written is zero */
    enum machine_operation operation; /* what a reduction does with each element */
    unsigned element;                 /* bytes of an element of a reduction */
};

/* ---- for the running lane ---- */

/* Issues a copy. `data` holds the bytes to write of STORE_ASYNC; it is NULL for the others. */
void copies_issue(const struct copy_request *asked, const void *data, const void *instruction);

/* Issues an ARRIVAL, which comes after the thread's small copies that have been issued so far. */
void copies_issue_arrival(uintptr_t mbarrier, const void *instruction);

/* Ends the thread's open group of small copies, or of bulk copies. */
void copies_commit(bool bulk);

/* The number of the thread's committed groups without the last `left` of them. */
unsigned copies_groups_before(bool bulk, unsigned left);

/* Are the copies of the first `groups` groups complete, or have they read (`reads`)? */
bool copies_done(bool bulk, unsigned groups, bool reads);

/* The thread has waited for these groups: on weak memory it knows what they did. Complete ones are
 * forgotten. */
void copies_learn(bool bulk, unsigned groups, bool reads);

/* ---- for the scheduler ---- */

extern uint64_t copies_next_at; /* when the next copy reads or writes; NEVER if none is under way */

/* Lets the next copy read or write. */
void copies_step(void);

/* Completes all copies that the block's threads have issued, or whose mbarrier the block has, because the
 * block ends. */
void copies_finish(const struct block *block);

#endif
