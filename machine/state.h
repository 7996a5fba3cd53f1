/* The running machine's state; internal to machine/. */
#ifndef MACHINE_STATE_H
#define MACHINE_STATE_H

#include "machine/machine.h"
#include "machine/runtime_api.h"

#define NEVER UINT64_MAX

enum request_kind {
    REQUEST_LOAD,
    REQUEST_STORE,
    REQUEST_ATOMIC,
    REQUEST_LOCK_LOAD,    /* LDSLK */
    REQUEST_STORE_UNLOCK, /* STSUL */
    REQUEST_FENCE_FULL,
    REQUEST_FENCE_RELEASE,
    REQUEST_FENCE_ACQUIRE,
    REQUEST_BLOCK_BARRIER,
    REQUEST_NAMED_BARRIER,
    REQUEST_NAMED_ARRIVAL,
    REQUEST_WARP_BARRIER,
    REQUEST_SHUFFLE,
    REQUEST_BALLOT,
    REQUEST_CONVERGENCE_SET,
    REQUEST_CONVERGENCE_WAIT,
    REQUEST_CLOCK
};

/* What a lane wants to do next; it does it itself as soon as the scheduler lets it go on. */
struct request {
    enum request_kind kind;
    uintptr_t address;
    unsigned bytes;
    const void *instruction; /* the caller's return address: lanes at the same one act together */
    uint64_t mask, value;    /* warp-wide operations; named barriers: threads, barrier */
    int source_lane;
    int arithmetic; /* dependent instructions before it, beyond the first */
    uint64_t result;
};

enum lane_state {
    LANE_READY,     /* has a request that was not dispatched yet */
    LANE_IN_MEMORY, /* dispatched; takes effect at `effect_at` */
    LANE_AT_BLOCK_BARRIER,
    LANE_AT_WARP_BARRIER,
    LANE_AT_NAMED_BARRIER,
    LANE_AT_CONVERGENCE,
    LANE_EXITED
};

#define RECENT_LOADS 4
#define MAX_CONVERGENCE_DEPTH 8
#define NAMED_BARRIERS 16 /* a block has: PTX ISA, bar */

struct lane {
    void *context; /* of libboost-context */
    uintptr_t stack_low, stack_high;
    struct warp *warp;
    unsigned thread; /* index in its block */
    enum lane_state state;
    struct request request;
    uint64_t ready_at;    /* when it may be dispatched */
    uint64_t effect_at;   /* when the dispatched request reaches memory */
    uint64_t complete_at; /* when the dispatched request is done */
    uint64_t stores_done_at;
    /* Lockstep: the lanes that were together at each convergence point that was set and not yet reached. */
    uint64_t converging[MAX_CONVERGENCE_DEPTH];
    unsigned convergence_depth;
    /* For deadlock detection: a lane that polls repeats the same few loads while nothing changes. */
    uintptr_t recent[RECENT_LOADS];
    unsigned recent_next;
    uint64_t repeats, repeats_since;
};

struct warp {
    struct block *block;
    struct lane *lanes;
    unsigned lane_count;
    uint64_t next_ready;  /* earliest ready_at of its ready lanes, or NEVER */
    uint64_t next_effect; /* earliest effect_at of its lanes in memory, or NEVER */
    uint64_t held_until;  /* by the adversary */
    uint64_t last_dispatch;
};

struct block {
    unsigned index;
    struct sm *sm;
    unsigned place; /* which of its multiprocessor's stacks it uses */
    struct lane *lanes;
    struct warp *warps;
    unsigned warp_count;
    unsigned at_barrier, exited;
    unsigned arrived[NAMED_BARRIERS];
    unsigned named_used; /* a bit for each */
    uint64_t finished_at;
    unsigned char *shared_image; /* its shared memory while another block's is in place */
};

/* Set: somebody holds it. Who, and through which word, a deadlock report tells. */
struct lock_bit {
    bool taken, used;
    unsigned block, thread;
    size_t word;
};

struct sm {
    unsigned index;
    struct block **blocks;
    unsigned block_count;
    struct warp **warps;
    unsigned warp_count, cursor;
    uint64_t next_issue;
    unsigned issued; /* in the time unit next_issue */
    struct lock_bit locks[MACHINE_MAX_LOCK_BITS];
    unsigned locks_used;
    uint64_t shared_slot; /* next free slot of the shared memory's pipeline */
    uint64_t next_event;
};

/* One kernel launch in progress. */
struct run {
    const struct machine_launch *launch;
    struct sm *sms;
    unsigned sm_count;
    unsigned next_block;
    unsigned blocks_left;
    uint64_t start, now, end;
    uint64_t changed; /* how often anything happened that a polling lane could be waiting for */
    uint64_t dispatches_since_change;
    uint64_t patience; /* so many of them before a deadlock is looked for */
};

struct machine {
    struct machine_description description;
    enum machine_schedule schedule;
    uint64_t random_state;
    uint64_t now;
    struct machine_counters counters;
    char deadlock[2048];
    struct block *shared_owner; /* whose shared memory is in place */
    struct run run;
};

extern struct machine the_machine;
extern struct lane *current_lane; /* NULL while host code runs */

uint64_t machine_random(void);

/* lane.c: fibers. */
void lane_prepare(struct lane *lane, size_t slot);
void lane_resume(struct lane *lane); /* returns when the lane has its next request, or has exited */
void lane_wait(void); /* in a lane: hands its request to the scheduler, returns when it may be done */
void lane_exit(void);

/* memory.c: when a request takes effect and when it is complete. */
void memory_reset(void);
void memory_charge(struct sm *sm, struct lane **lanes, unsigned count, uint64_t now);
bool memory_is_shared(uintptr_t address);
size_t shared_memory_offset(uintptr_t address); /* in its block's shared memory */
void shared_memory_install(struct block *block);
size_t shared_memory_bytes(void);

/* trace.c */
void trace_request(struct lane *const *lanes, uint64_t now);
void trace_interval_ends(uint64_t now);
void trace_forget_intervals(void);

/* lock_unit.c */
size_t lock_word(const struct lane *lane, uintptr_t address);
struct lock_bit *lock_bit_of(const struct lane *lane, uintptr_t address);
bool lock_try(struct lane *lane, uintptr_t address);
void lock_release(struct lane *lane, uintptr_t address);

/* rendezvous.c */
void rendezvous_block(struct block *block, uint64_t now);
void rendezvous_warp(struct warp *warp, uint64_t mask, enum request_kind kind, uint64_t now);
void rendezvous_named(struct block *block, struct lane **lanes, unsigned count, uint64_t now);

/* convergence.c */
void convergence_set(struct lane **lanes, unsigned count, uint64_t now);
void convergence_check(struct warp *warp, uint64_t now);

/* scheduler.c */
cudaError_t scheduler_run(const struct machine_launch *launch);
void scheduler_let_go(struct lane *lane, uint64_t done_at);
void scheduler_go_on(struct lane *lane, uint64_t done_at, uint64_t ready_at);
void scheduler_changed(void);

/* deadlock.c */
bool deadlock_suspected(struct run *run);
void deadlock_describe(struct run *run);

#endif
