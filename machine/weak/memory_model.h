/*
 * What PTX allows a thread to read, as a machine of views: each location has a history of messages, and each
 * thread has a view: for each location, the oldest message that the thread may still read. A strong read
 * raises the view to the message that it returned. A release attaches the writer's view to its message, and
 * an acquire joins the views attached to the messages that were read. fence.sc joins the views of all earlier
 * ones. A barrier of threads joins what they know, but not what they have only seen released.
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
 * The worlds in which the model keeps what a thread knows. The first is the program as it is. The next two
 * have the part of it that a proxy fence has handed to the asynchronous proxy, for shared and for global
 * memory. The others are for reports: what the thread would know if the program were different. They tell in
 * which of these programs a race would be absent.
 */
enum what_if {
    AS_IT_IS,
    PROXIED_SHARED,
    PROXIED_GLOBAL,
    WIDE,              /* as if all strong accesses and fences had system scope */
    RELEASED,          /* as if every strong write released */
    ACQUIRED,          /* as if every strong read acquired */
    RELEASED_ACQUIRED, /* as if both were so */
    WIDE_AND_BOTH
};
_Static_assert(WIDE_AND_BOTH == MOST_VIEWS - 1, "a message carries a release for each world");

struct model_thread;
struct model_block;

/* The properties of a launch that the model needs. */
struct model_shape {
    unsigned blocks, threads; /* the blocks of the grid and the threads of a block */
    unsigned warp;            /* the threads of a warp */
    unsigned blocks_per_device;
    bool what_ifs; /* keep what threads know in all worlds of enum what_if, for reports */
};

void model_begin(struct model_shape shape);
void model_end(void);

/* Begin and end a block, in any order of blocks; model_thread() returns a thread by its number in the
 * block. */
struct model_block *model_block_begin(unsigned block);
void model_block_end(struct model_block *block);
struct model_thread *model_thread(struct model_block *block, unsigned thread);

/* Returns the number of a thread. Threads are numbered through the grid; after them come copies and the
 * kernel before. */
uint32_t model_thread_number(const struct model_thread *thread);

/* What a number stands for: a thread, or the copy of a thread, which is then the issuer. The kernel before
 * has no threads. */
enum writer_kind { OF_A_THREAD, OF_A_COPY, OF_KERNEL_BEFORE };
struct writer {
    enum writer_kind kind;
    uint32_t thread; /* the number of the thread in the grid */
};
struct writer model_writer(uint32_t number);

/* Returns the time to stamp on what the thread writes now. */
uint32_t model_write_time(struct model_thread *thread);

/* Returns whether the thread knows what the writer wrote at this time. */
bool model_knows(const struct model_thread *thread, enum what_if world, uint32_t writer, uint32_t time);

/* Returns the position of the oldest message that the thread may read. */
unsigned model_oldest(const struct model_thread *thread, const struct history *history);

/* Returns whether the message and an access of the thread with this scope are morally strong: each scope
 * includes the other's thread. */
bool model_morally_strong(const struct model_thread *thread, enum machine_scope scope,
                          const struct message *message);

/* Returns whether the thread knows the message at this position, in that world. */
bool model_knows_message(const struct model_thread *thread, enum what_if world, const struct history *history,
                         unsigned position);

/* The thread reads the message at this position, which is at least model_oldest(). If an atomic overwrites
 * the message, its write follows at a later position. */
void model_read(struct model_thread *thread, struct history *history, unsigned position,
                struct strength strength, bool is_to_be_overwritten);

/*
 * Returns whether the thread may write a message at this position, before the message that is there now. At
 * the end (position == count) it always may; before a message that it knows it never may. For an atomic that
 * read a message, the position is after that message, and no message between the two is morally strong with
 * the atomic.
 */
bool model_may_write(const struct model_thread *thread, const struct history *history, unsigned position,
                     enum machine_scope scope);

/* Writes a message; `read_from` is the position of the message that an atomic read, or -1 for a store. */
void model_write(struct model_thread *thread, struct history *history, unsigned position, uint64_t value,
                 struct strength strength, int read_from, uint32_t site);

/* Does a fence of these lanes of one warp of the block, all at once. */
void model_fence(struct model_block *block, unsigned warp, uint64_t lanes, struct strength strength);

/* ---- the asynchronous proxy ---- */

/*
 * Begins a copy, which is a thread of its own that knows what the issuer knew (PTX ISA, "Asynchronous
 * operations"). A copy of the asynchronous proxy (`is_async`: bulk copies) reads and overwrites only what a
 * proxy fence has handed on; others are of the generic proxy (cp.async). Its scope is the scope of the block
 * whose mbarrier it completes, `tells`. There are MOST_COPIES places for the copies of each thread; to take a
 * place means that the copy before there is complete.
 */
#define MOST_COPIES 8
struct model_thread *model_copy_begin(struct model_thread *issuer, struct model_block *tells, unsigned place,
                                      bool is_async);

/* Tells the model which memory the copy accesses from now on. */
void model_copy_turns_to(struct model_thread *copy, bool is_shared);

/* Returns a stamp of what the copy has done so far, for model_copy_known(); what it does next is later. */
uint32_t model_copy_so_far(struct model_thread *copy);

/* Tells the model that the thread has waited for what the copy had done by then. */
void model_copy_known(struct model_thread *thread, const struct model_thread *copy, uint32_t so_far);

/* Returns whether the copy would know of the write if it were of the generic proxy. */
bool model_copy_needs_fence(const struct model_thread *copy, uint32_t writer, uint32_t time);

/* Does a fence.proxy.async of the thread, which hands on what it knows; or fence.mbarrier_init, which hands
 * on only what it wrote itself. `which` is of enum proxy_fence. */
void model_proxy_fence(struct model_thread *thread, unsigned which);

/* ---- the kernel before, which may still run (programmatic dependent launch) ---- */

/* Whose writes these are: of the kernel before; of the kernel before, and handed on by a proxy fence; or of
 * an earlier kernel, for which no thread has waited. Their numbers are not the number of any thread. */
enum kernel_before { BEFORE, BEFORE_PROXIED, BEFORE_UNAWAITED };
uint32_t model_before_number(enum kernel_before which);

/* Tells the model that the thread has waited for the kernel before (griddepcontrol.wait). */
void model_before_known(struct model_thread *thread);

/* Returns, after the end of the kernel, what its write is to the next kernel. */
enum kernel_before model_before_of(uint32_t writer, uint32_t time);

/* ---- barriers of threads ---- */

/* The combined knowledge of the threads that have arrived at a barrier. */
struct gathering {
    struct view *view[MOST_VIEWS];
};
void model_gather(struct gathering *gathering, struct model_block *block, unsigned warp, uint64_t lanes);
/* Does the same as model_gather() for lanes at a barrier of the whole block. */
void model_gather_whole(struct gathering *gathering, struct model_block *block, unsigned warp,
                        uint64_t lanes);
/* Completes the gathering when the whole block has arrived. */
void model_gathered_whole(struct gathering *gathering, struct model_block *block);
void model_learn(const struct gathering *gathering, struct model_block *block, unsigned warp, uint64_t lanes);
void model_gathering_end(struct gathering *gathering);

#endif
