/*
 * What PTX allows a thread to read, as a machine of views: each location has a history of messages, and each
 * thread has a view: for each location, the oldest message that the thread may still read. A strong read
 * raises the view to the message that it returned. A release attaches the writer's view to its message, and
 * an acquire joins the views attached to the messages that were read. fence.sc joins with all earlier ones. A
 * barrier of threads joins what they know, but not what they have only seen released.
 *
 * The machine never shows what PTX forbids (tests/memory_model.c compares it with the axioms), and does not
 * show all that PTX allows: no load takes effect after a store that follows it (load buffering), and all
 * writes to a location have one order.
 *
 * This file does not know kernels, addresses or policies: the caller chooses which message is read and where
 * a new message goes, among the choices that this file allows.
 */
#ifndef MACHINE_MEMORY_MODEL_H
#define MACHINE_MEMORY_MODEL_H

#include "machine/weak/release.h"

/* The scope and order of an access or fence; a weak access has SCOPE_THREAD. */
struct strength {
    enum machine_scope scope;
    enum machine_order order;
};
static const struct strength WEAK = {SCOPE_THREAD, ORDER_RELAXED};

/*
 * What a thread knows, in several respects. The first is what the program orders. The next two are the part of it that a
 * proxy fence on the way has handed to the asynchronous proxy, for shared and for global memory. The others are for
 * reports: what it would know if the program were different; they ask in which of these programs a race would be absent.
 */
enum what_if {
    AS_IT_IS,
    PROXIED_SHARED,
    PROXIED_GLOBAL,
    WIDE,              /* all strong accesses and fences had system scope */
    RELEASED,          /* every strong write released */
    ACQUIRED,          /* every strong read acquired */
    RELEASED_ACQUIRED, /* both */
    WIDE_AND_BOTH
};
_Static_assert(WIDE_AND_BOTH == MOST_VIEWS - 1, "as many as a message carries");

struct model_thread;
struct model_block;

/* The properties of a launch that the model needs. */
struct model_shape {
    unsigned blocks, threads; /* of the grid, of a block */
    unsigned warp;            /* threads */
    unsigned blocks_per_device;
    bool what_ifs; /* keep the views of all of enum what_if: for reports */
};

void model_begin(struct model_shape shape);
void model_end(void);

/* A block's threads, by their number in the block; blocks may begin and end. */
struct model_block *model_block_begin(unsigned block);
void model_block_end(struct model_block *block);
struct model_thread *model_thread(struct model_block *block, unsigned thread);

/* Threads are numbered through the grid; behind them, copies and the kernel before. */
uint32_t model_thread_number(const struct model_thread *thread);

/* What a number stands for: the thread, or the thread that issued the copy. The kernel before has no threads. */
enum writer_kind { OF_A_THREAD, OF_A_COPY, OF_KERNEL_BEFORE };
struct writer {
    enum writer_kind kind;
    uint32_t thread; /* its number */
};
struct writer model_writer(uint32_t number);

/* The time to stamp on what the thread writes now. */
uint32_t model_write_time(struct model_thread *thread);

/* Does the thread know what the writer wrote at this time? */
bool model_knows(const struct model_thread *thread, enum what_if world, uint32_t writer, uint32_t time);

/* The position of the oldest message that the thread may read. */
unsigned model_oldest(const struct model_thread *thread, const struct history *history);

/* Do the scopes of the message and of an access of the thread include each other's thread? */
bool model_morally_strong(const struct model_thread *thread, enum machine_scope scope,
                          const struct message *message);

/* Does the thread know the message of this history, in that world? */
bool model_knows_message(const struct model_thread *thread, enum what_if world, const struct history *history,
                         unsigned position);

/* The thread reads the message at this position, which is not before model_oldest's. If an atomic overwrites
 * the message, its write follows at a later position. */
void model_read(struct model_thread *thread, struct history *history, unsigned position,
                struct strength strength, bool is_to_be_overwritten);

/*
 * May the thread write a message at this position, before the message that is there now? At the end (position
 * == count) it always may; never before a message that it knows. For an atomic that read a message, the
 * position is after that message, and no message between the two is morally strong with the atomic.
 */
bool model_may_write(const struct model_thread *thread, const struct history *history, unsigned position,
                     enum machine_scope scope);

/* Writes a message; `read_from` is the position of the message that an atomic read, -1 for a store. */
void model_write(struct model_thread *thread, struct history *history, unsigned position, uint64_t value,
                 struct strength strength, int read_from, uint32_t site);

/* A fence of these lanes of one warp of the block, all at once. */
void model_fence(struct model_block *block, unsigned warp, uint64_t lanes, struct strength strength);

/* ---- the asynchronous proxy ---- */

/*
 * A copy that the thread issues is a thread of its own, which knows what the issuer knew (PTX ISA, "Asynchronous
 * operations"). One of the asynchronous proxy (`is_async`: bulk copies) reads and overwrites only what a proxy fence has
 * handed on; others are of the generic proxy (cp.async). Its scope is that of the block whose mbarrier it tells. There are
 * MOST_COPIES places for the copies of threads of one number; who takes one says that the copy before is complete.
 */
#define MOST_COPIES 8
struct model_thread *model_copy_begin(struct model_thread *issuer, struct model_block *tells, unsigned place,
                                      bool is_async);

/* Which memory the copy accesses from now on. */
void model_copy_turns_to(struct model_thread *copy, bool is_shared);

/* What the copy has done so far, as a stamp for model_copy_known; what it does next is later. */
uint32_t model_copy_so_far(struct model_thread *copy);

/* The thread has waited for what the copy had done by then. */
void model_copy_known(struct model_thread *thread, const struct model_thread *copy, uint32_t so_far);

/* Would the copy know of the write if it were of the generic proxy? */
bool model_copy_needs_fence(const struct model_thread *copy, uint32_t writer, uint32_t time);

/* fence.proxy.async of the thread: what it knows is handed on; or only what it wrote itself (fence.mbarrier_init). */
void model_proxy_fence(struct model_thread *thread, unsigned which);

/* ---- the kernel before, which may still run (programmatic dependent launch) ---- */

/*
 * Whose writes these are: of the kernel before; of it too, and a proxy fence has handed them on; or of one before that,
 * which nobody has awaited. Their numbers are no thread's.
 */
enum kernel_before { BEFORE, BEFORE_PROXIED, BEFORE_UNAWAITED };
uint32_t model_before_number(enum kernel_before which);

/* The thread waits for the kernel before (griddepcontrol.wait). */
void model_before_known(struct model_thread *thread);

/* Behind the kernel's end: what its write is to the next one. */
enum kernel_before model_before_of(uint32_t writer, uint32_t time);

/* ---- barriers of threads ---- */

/* The combined knowledge of the threads that have arrived at a barrier. */
struct gathering {
    struct view *view[MOST_VIEWS];
};
void model_gather(struct gathering *gathering, struct model_block *block, unsigned warp, uint64_t lanes);
/* Like model_gather, for lanes at a barrier of the whole block. */
void model_gather_whole(struct gathering *gathering, struct model_block *block, unsigned warp,
                        uint64_t lanes);
/* The whole block has arrived. */
void model_gathered_whole(struct gathering *gathering, struct model_block *block);
void model_learn(const struct gathering *gathering, struct model_block *block, unsigned warp, uint64_t lanes);
void model_gathering_end(struct gathering *gathering);

#endif
