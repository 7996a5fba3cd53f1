/*
 * Computes what PTX allows a thread to read. Each location has a history of messages, one for each write.
 * Each thread has a view, which says for each location which is the oldest message that the thread may still
 * read. A strong read raises the view to the message that it returned. A release attaches the writer's view
 * to its message, and an acquire joins the views attached to the messages that were read. fence.sc joins the
 * views of all earlier ones. A barrier of threads joins their views, but not the views attached to messages
 * that they have read and not acquired.
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

#include "machine/weak/clocks.h"
#include "machine/weak/view.h"

/* The scope and memory order of an access or fence. A weak access has SCOPE_THREAD. */
struct strength {
    enum machine_scope scope;
    enum machine_order order;
};
static const struct strength WEAK = {SCOPE_THREAD, ORDER_RELAXED};

/*
 * The worlds for which the model keeps a view of each thread. AS_IT_IS is the program as it is. The PROXIED
 * worlds have the part of this knowledge that a proxy fence has handed to the asynchronous proxy, for shared
 * and for global memory. The other worlds are for reports: they have what the thread would know if the
 * program had wider scopes or more releases and acquires. A race is absent in a world in which the thread
 * knows the other access.
 */
enum what_if {
    AS_IT_IS,
    /* AS_IT_IS, but a fence.sc orders nothing after an earlier fence.sc if the two could also have come in
     * the other order */
    ANY_ORDER,
    PROXIED_SHARED,
    PROXIED_GLOBAL,
    WIDE,              /* as if all strong accesses and fences had system scope */
    RELEASED,          /* as if every strong write released */
    ACQUIRED,          /* as if every strong read acquired that is no arrival (ORDER_ARRIVAL) */
    RELEASED_ACQUIRED, /* as in RELEASED and in ACQUIRED */
    WIDE_AND_BOTH
};
_Static_assert(WIDE_AND_BOTH == MOST_VIEWS - 1, "a message carries a release for each world");

struct model_thread;
struct model_block;

/* The shape of the launches for which the model is made. */
struct model_shape {
    /* the largest number of blocks, and of threads in a block */
    unsigned blocks, threads;
    unsigned warp; /* number of threads in a warp */
    unsigned blocks_per_device;
    unsigned devices; /* the number of devices to which parties belong; 0 means 1 */
    /* `orders`: is a view of each thread kept for the world ANY_ORDER, in which races are judged? `what_ifs`:
     * are views kept for the worlds that show what would order a race's accesses? */
    bool orders, what_ifs;
};

void model_begin(struct model_shape shape);
void model_end(void);

/* A party of the model: a launch, or another task of a stream that accesses memory. Such a task, for example
 * a copy, has one block of one thread. */
struct model_party {
    unsigned blocks, threads; /* number of blocks, and of threads in each */
    unsigned cluster;         /* number of blocks in a cluster; 0 means 1 */
    unsigned device;          /* the device of the first block */
    struct stamp stamp;       /* the task's place among all tasks */
    struct clock *clock;      /* the tasks that had ended before the party began */
    bool is_task;             /* is the party a task other than a launch? */
    const char *name;         /* the party's name in reports: a kernel's name, or "a stream's copy" */
    const void *instruction;  /* the host's call that launched the party, or NULL */
};
/* model_join() adds a party and returns its number. All threads of the party know what the tasks wrote that
 * the party's clock knows. model_has_room() returns whether the model has enough numbers left for a party of
 * this number of blocks. */
unsigned model_join(const struct model_party *party);
bool model_has_room(unsigned blocks);
/* Returns whether the clock knows all parties so far. */
bool model_all_known(const struct clock *clock);
/* Notes that the host makes strong reads of the location until it gets the value for which it waits: it then
 * acquires what the message releases to the system. It may have got any message that has been kept. */
void model_tell_host(const struct history *history);
/* Returns whether the host, which has this clock, knows all that the writer wrote up to this time. */
bool model_host_knows(const struct clock *clock, uint32_t writer, uint32_t time);

/* Called when a block of a party begins, and when it ends; blocks may do so in any order. model_thread()
 * returns the thread that has this number in the block. */
struct model_block *model_block_begin(unsigned party, unsigned block);
void model_block_end(struct model_block *block);
struct model_thread *model_thread(struct model_block *block, unsigned thread);

/* Returns the number of a thread or copy. Threads have their numbers in the grid; larger numbers stand for
 * copies and for the kernel before this one. */
uint32_t model_thread_number(const struct model_thread *thread);

/* What a thread number stands for: a thread, a copy, the kernel before this one, or a task of a stream. For a
 * copy, `thread` is the thread that issued it; the others have no thread. OF_HOST is for reports alone. */
enum writer_kind { OF_A_THREAD, OF_A_COPY, OF_KERNEL_BEFORE, OF_A_TASK, OF_HOST };
struct writer {
    enum writer_kind kind;
    unsigned party, block,
        /* the party's number, the block's number in its grid, and the thread's number in its block */
        thread;
    const char *name; /* the party's name in reports (struct model_party); NULL if it has no name */
    const void *instruction;
};
struct writer model_writer(uint32_t number);
/* Returns whether the thread with this number belongs to another launch or task than this thread. */
bool model_is_of_other_party(const struct model_thread *thread, uint32_t number);

/* Returns the time stamp for what the thread writes now. */
uint32_t model_write_time(struct model_thread *thread);

/* Returns whether the thread, in this what-if world, knows all that the writer wrote up to this time. */
bool model_knows(const struct model_thread *thread, enum what_if world, uint32_t writer, uint32_t time);

/*
 * Returns whether the writer's accesses up to this time are ordered before the thread's next access in each
 * execution that has the same values. Then the thread knows these accesses, and does not know them only by
 * the order in which two fence.sc happened to be executed. The model keeps the order of two fences, F1 before
 * F2, if the other order is impossible: if an access before F2 may come, in coherence order or as a read
 * before a later write, after an access that follows F1. It keeps the order of all fences if it cannot decide
 * this.
 */
bool model_orders(const struct model_thread *thread, uint32_t writer, uint32_t time);
/* A quick test: if it returns true, model_knows() and model_orders() would return true, too. It may return
 * false though they would return true. *known caches the last result, for threads with the same view that
 * access memory written by one block. It is {0} at first, and is valid until a view changes. */
struct model_known {
    const struct view *view, *ordered;
    uint32_t first, count, time; /* threads first..first + count - 1 are known up to this time */
};
bool model_surely_orders(struct model_known *known, const struct model_thread *thread, uint32_t writer,
                         uint32_t time);
bool model_orders_message(const struct model_thread *thread, const struct history *history,
                          unsigned position);

/* Returns the position in the history of the oldest message that the thread may read. */
unsigned model_oldest(const struct model_thread *thread, const struct history *history);

/* Returns whether the message and an access of the thread with this scope are morally strong: each scope
 * includes the other's thread. */
bool model_morally_strong(const struct model_thread *thread, enum machine_scope scope,
                          const struct message *message);

/* Lets the thread read the message at this position, which is at least model_oldest(). If an atomic
 * overwrites the message, the atomic's write follows at a later position. */
void model_read(struct model_thread *thread, struct history *history, unsigned position,
                struct strength strength, bool is_to_be_overwritten);

/*
 * Returns whether the thread may insert its message at this position, before the message that is there now.
 * The end (position == count) is always allowed; a position before a message that the thread knows never is.
 * If the writer is an atomic that read a message, the caller chooses a position after this message, and no
 * message between the two may be morally strong with the atomic.
 */
bool model_may_write(const struct model_thread *thread, const struct history *history, unsigned position,
                     enum machine_scope scope);

/* Writes a message; `read_from` is the position of the message that an atomic read, or -1 for a store. */
void model_write(struct model_thread *thread, struct history *history, unsigned position, uint64_t value,
                 struct strength strength, int read_from, uint32_t site);

/* Executes a fence in these lanes of the block's warp number `warp`. */
void model_fence(struct model_block *block, unsigned warp, uint64_t lanes, struct strength strength);

/* ---- the asynchronous proxy ---- */

/*
 * Begins an asynchronous copy, which is a thread of its own that knows what its issuer knew (PTX ISA,
 * "Asynchronous operations"). If `is_async`, the copy belongs to the asynchronous proxy (bulk copies), and
 * knows only what a proxy fence has handed on; otherwise to the generic proxy (cp.async). `tells` is the
 * block whose mbarrier the copy completes; it determines the copy's block scope. Each thread has MOST_COPIES
 * places for copies: to reuse a `place`, its earlier copy must be complete.
 */
#define MOST_COPIES 8
struct model_thread *model_copy_begin(struct model_thread *issuer, struct model_block *tells, unsigned place,
                                      bool is_async);

/* Tells the model which memory the copy accesses from now on. */
void model_copy_turns_to(struct model_thread *copy, bool is_shared);

/* Returns a stamp of what the copy has done so far, for model_copy_known(). Later accesses of the copy get
 * a later stamp. */
uint32_t model_copy_so_far(struct model_thread *copy);

/* Tells the model that the thread has waited for what the copy did until its stamp was `so_far`
 * (model_copy_so_far()). */
void model_copy_known(struct model_thread *thread, const struct model_thread *copy, uint32_t so_far);

/* Returns whether the copy lacks only a proxy fence to know the write: a copy of the generic proxy would
 * know it. */
bool model_copy_needs_fence(const struct model_thread *copy, uint32_t writer, uint32_t time);

/* Executes a proxy fence of the thread; `which` has bits of enum proxy_fence. fence.proxy.async makes all
 * that the thread knows known to the asynchronous proxy. fence.mbarrier_init does so only for what the thread
 * itself wrote. */
void model_proxy_fence(struct model_thread *thread, unsigned which);

/* ---- the kernel before this one, which may still run (programmatic dependent launch) ---- */

/* Writers that are not threads of this grid. */
enum kernel_before {
    BEFORE,          /* the preceding kernel */
    BEFORE_PROXIED,  /* the preceding kernel, for writes that the asynchronous proxy knows */
    BEFORE_UNAWAITED /* a kernel before the preceding one, for whose end no thread has waited */
};
uint32_t model_before_number(enum kernel_before which);

/* Tells the model that the thread has waited for the end of the kernel before this one
 * (griddepcontrol.wait). */
void model_before_known(struct model_thread *thread);

/* Called for a kernel that has ended, before the next kernel begins. Returns the writer that will stand for
 * the thread or copy which made this write, when the next kernel runs. */
enum kernel_before model_before_of(uint32_t writer, uint32_t time);

/* ---- barriers of threads ---- */

/* The combined knowledge of the threads that have arrived at a barrier. */
struct gathering {
    struct view *view[MOST_VIEWS];
};
/* Adds the knowledge of these lanes, including their own writes. */
void model_gather(struct gathering *gathering, struct model_block *block, unsigned warp, uint64_t lanes);
/* For a barrier of the whole block, the next two functions replace model_gather(). model_gather_whole() adds
 * only what the lanes know of other threads' writes. model_gathered_whole() must follow when all threads of
 * the block have arrived; it adds these threads' own writes, for all of them at once. */
void model_gather_whole(struct gathering *gathering, struct model_block *block, unsigned warp,
                        uint64_t lanes);
void model_gathered_whole(struct gathering *gathering, struct model_block *block);
void model_learn(const struct gathering *gathering, struct model_block *block, unsigned warp, uint64_t lanes);
void model_gathering_end(struct gathering *gathering);

#endif
