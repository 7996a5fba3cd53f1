/*
 * The running machine's data; internal to machine/. docs/architecture.md shows how the parts of machine/
 * depend on each other.
 */
#ifndef MACHINE_STATE_H
#define MACHINE_STATE_H

#include "base/random.h"
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
    REQUEST_FENCE_BLOCK,
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

/* The work between two requests of a thread (machine/code/instructions.h). Times are in parts of a time unit
 * (PARTS_OF_A_UNIT). */
struct work {
    uint32_t instructions;
    uint32_t free;  /* time of the instructions that need no result of an earlier request */
    uint32_t bound; /* time of those that do */
};

/* A thread and its request, in one cache line: the machine's speed depends on this. */
struct lane {
    void *context;     /* where the lane's code has stopped, for libboost-context */
    uintptr_t address; /* the address of the request; 0 if the request has none */
    /* Where its request is: the return address of the hook. Lanes at one place act together. */
    const void *instruction;
    uint64_t stores_done_at; /* when all stores that the lane has made are done */
    /* Earlier requests that decided that the lane makes its request (machine/code/dependence.h) */
    uint64_t needs;
    /* Instructions before the request that the source names; each waits for the one before */
    uint32_t arithmetic;
    struct work work; /* the other instructions before the request */
    uint16_t bytes;
    uint8_t kind; /* enum request_kind */
    /* The number of the last dispatched request in its function (machine/code/dependence.h) */
    uint8_t number;
    bool plain : 1;            /* is the request a load or store that is neither volatile nor atomic? */
    bool of_system : 1;        /* is the request a fence at the scope of the system? */
    bool of_mbarrier : 1;      /* is the request's word an mbarrier? */
    bool next_of_mbarrier : 1; /* will the word of the next request be an mbarrier? */
    /* Does the access go on where the last one ended? A GPU has one instruction for both, if it is so in
     * all lanes. */
    bool is_next_word : 1;
    bool unused : 1; /* is the request an atomic whose old value nobody asks for? */
} __attribute__((aligned(64)));

#define RECENT_LOADS 4
#define MAX_CONVERGENCE_DEPTH 8
#define NAMED_BARRIERS 16 /* named barriers of a block (PTX ISA, bar) */

/* The rest of a thread's data, which few requests need. */
struct lane_more {
    uint64_t effect_at; /* when the lane's atomic takes effect; the lanes of a warp take turns */
    /* For deadlock detection: a lane that polls repeats the same few loads while nothing changes. */
    uint64_t repeats;               /* loads in a row whose address was among the recent ones */
    uint64_t repeats_since;         /* what run.changed was when `repeats` began to count */
    uintptr_t recent[RECENT_LOADS]; /* addresses of the lane's last different loads */
    /* How many addresses were put into `recent`; the next one overwrites the oldest */
    unsigned recent_next;
    uint64_t refused;           /* how often in a row the lane was refused a lock bit */
    uint64_t refused_since;     /* how often the refused lock bit had been taken before */
    unsigned convergence_depth; /* convergence points that are set and not yet reached */
    /* Lanes of a warp-wide operation; or the number of threads of a named barrier */
    uint64_t mask;
    uint64_t value;          /* operand of a warp-wide operation; or the number of a named barrier */
    int source_lane;         /* the lane that a shuffle reads from */
    uint64_t result;         /* result of a warp-wide operation or of clock64 */
    unsigned copies;         /* asynchronous copies that the thread has issued */
    unsigned copy_groups[2]; /* committed groups of the thread's copies: small ones, bulk ones */
    unsigned cluster_phase;  /* how often the thread has arrived at its cluster's barrier */
    /* On a lockstep machine, for each convergence point that is set and not yet reached: the lanes that were
     * together when it was set. */
    uint64_t converging[MAX_CONVERGENCE_DEPTH];
};

/* Sets of a warp's lanes are bits of a word. */
typedef uint64_t lane_set;
#define LANE(i) (UINT64_C(1) << (i))
#define FOR_EACH_LANE(i, set)                                                                                \
    for (lane_set left_##i = (set); left_##i; left_##i &= left_##i - 1)                                      \
        for (unsigned i = (unsigned)__builtin_ctzll(left_##i), once_##i = 1; once_##i; once_##i = 0)

/*
 * Lanes of a warp that are at one instruction and have the same times; most warps are one group. A group is
 * first ready, then dispatched: its request is in memory.
 */
struct group {
    lane_set lanes;
    const void *instruction;
    uint64_t ready_at;    /* when the group may be dispatched */
    uint64_t effect_at;   /* when the request reaches memory; set by the dispatch */
    uint64_t complete_at; /* when the request is done; set by the dispatch */
    uint64_t issue_at;    /* when the group could be dispatched if it needed no result */
    uint64_t value_at;    /* when a store has its value: see struct due in scoreboard.h */
    struct work work;     /* the work before the request: for each member, the largest of all lanes */
    uint8_t kind;         /* enum request_kind */
    bool plain_load;
    bool is_next_word; /* does the access go on where the last one ended, in all lanes? */
    bool in_memory;    /* has the request been dispatched? */
    bool is_held;      /* do the lanes wait at a join for others (machine/engine/reconvergence.h)? */
};

/* A pending request: lanes of a warp continue without its result. */
struct in_flight {
    lane_set lanes;
    uint64_t requests; /* its number, as a bit; several bits if loads of one vector are one request */
    uint64_t done_at;
    /* Memories (a bit each) that a plain store waits to leave the result in: see scoreboard.c. */
    unsigned stored_to;
};
/* A join of the code, and lanes that wait for each other there. */
struct join {
    size_t join;      /* the join's number (machine/code/joins.h) */
    lane_set lanes;   /* lanes that meet there */
    lane_set arrived; /* lanes that have come to the join */
};
#define MOST_JOINS 8                                /* joins that lanes of a warp wait at at once */
#define MOST_IN_FLIGHT_OF_WARP (2 * MOST_IN_FLIGHT) /* room for lanes that have gone two ways */

struct warp {
    struct block *block;
    struct lane *lanes;
    struct lane_more *more;
    unsigned char *stacks; /* the stacks of the lanes, one after the other */
    unsigned lane_count;
    unsigned slot; /* its place among the warps of its multiprocessor */
    /* The places of its lanes; each lane is in a group or in one of these sets. */
    struct group *groups;
    unsigned group_count;
    lane_set at_block_barrier, at_warp_barrier, at_named_barrier, at_convergence;
    lane_set exited;
    lane_set looked;                /* lanes whose last request looked at a word that a loop polls */
    lane_set looked_at_shared;      /* polling lanes whose word is in shared memory */
    lane_set turned;                /* lanes that have begun a loop again since their last request */
    lane_set held;                  /* lanes that wait at joins */
    struct join joins[MOST_JOINS];  /* joins at which lanes wait for others */
    struct join passed[MOST_JOINS]; /* joins that lanes have come to since they last began to run */
    unsigned join_count, passed_count;
    lane_set unnoted; /* lanes that have come to a join for which `passed` had no room */
    struct in_flight flights[MOST_IN_FLIGHT_OF_WARP];
    unsigned flight_count;
    uint64_t held_until;    /* when it may be dispatched again, if the schedule holds it back */
    uint64_t last_dispatch; /* when the warp was dispatched last */
    uint64_t mbarriers_at;  /* when its last mbarrier is served */
};

struct block {
    struct kernel *kernel;
    unsigned index, threads;
    struct sm *sm;
    unsigned place; /* which of its kernel's places on its multiprocessor it has */
    struct lane *lanes;
    struct lane_more *more;
    struct group *groups;
    struct warp *warps;
    unsigned warp_count;
    unsigned at_barrier;              /* threads that wait at __syncthreads */
    unsigned exited;                  /* threads that have exited */
    unsigned arrived[NAMED_BARRIERS]; /* threads that have arrived at each named barrier */
    /* Threads that each named barrier waits for, as the first to arrive said */
    unsigned expected[NAMED_BARRIERS];
    unsigned named_used;     /* named barriers that were used, a bit for each */
    uint64_t finished_at;    /* when the last of the exited threads and its stores ended */
    unsigned char *statics;  /* its __shared__ variables while another block's are in place */
    unsigned char *dynamic;  /* its dynamic shared memory */
    struct weak_block *weak; /* what its threads know of memory; NULL on a coherent machine */
    struct cluster *cluster; /* the block's cluster; it is alone in it if the launch has none */
    /* The next ended block whose memory can be used again (machine/engine/blocks.c) */
    struct block *next;
};

/* A bit of the lock unit (machine/memory/lock_unit.h). */
struct lock_bit {
    bool taken;             /* does a thread hold the bit? */
    bool used;              /* has the bit ever been tried? */
    uint64_t turns;         /* how often the bit has been taken */
    unsigned block, thread; /* the thread that took the bit last */
    size_t word;            /* the word through which the thread took the bit */
};

struct sm {
    unsigned index;
    struct block **blocks;
    unsigned block_count;
    struct warp **warps;
    unsigned warp_count;
    unsigned cursor; /* the slot after the warp that was dispatched last */
    /* Two times of each warp, side by side, because the search for the next event reads them all. */
    uint64_t *issue_at;    /* when the warp has something to dispatch, or NEVER */
    uint64_t *next_effect; /* when the warp's next request takes effect, or NEVER */
    /* When the next instruction can be issued, in parts of a time unit: see time/work.h */
    uint64_t issue_slot;
    uint64_t acquires;      /* how often the multiprocessor's L1 cache was emptied */
    struct lock_bit *locks; /* the multiprocessor's lock bits, or NULL if the machine has none */
    unsigned locks_used;    /* how many lock bits have ever been tried */
    uint64_t shared_slot;   /* the next free slot of the shared memory's pipeline */
    uint64_t mbarrier_slot; /* when the next mbarrier can be served */
};

#define MOST_CLUSTER_BLOCKS 16

/* A cluster: neighbouring blocks of a launch that begin together (machine/engine/clusters.h). A block of a
 * launch without clusters is alone in one. */
struct cluster {
    unsigned count, left; /* blocks that have joined, and how many of them have not ended */
    struct block *blocks[MOST_CLUSTER_BLOCKS]; /* by rank; NULL for a block that has ended */
    unsigned threads;                          /* threads that have not exited */
    unsigned arrived;                          /* threads that wait at the cluster's barrier */
    unsigned phase;                            /* how often the barrier has opened */
    uint32_t *words; /* the barrier's two words, through which its threads synchronize on weak memory */
};

#define MOST_DEVICES 8

/* One kernel launch in progress. */
struct kernel {
    struct machine_launch launch;
    const struct machine_stream *stream;
    /* The launch's number in its run, counted from 1; 0 if no kernel is here */
    unsigned number;
    unsigned grid, threads; /* blocks of the launch, threads of a block */
    size_t per_sm;          /* how many of the kernel's blocks one multiprocessor holds */
    /* Where its blocks' stacks and shared memories begin among those of all kernels */
    size_t first_stack, first_shared;
    bool begun;                        /* may the kernel's blocks take free places? */
    unsigned started, blocks_left;     /* blocks that have begun; blocks that have not ended */
    unsigned started_on[MOST_DEVICES]; /* blocks that have begun on each device */
    bool *has_begun;                   /* whether each block has begun; NULL if blocks begin in order */
    uint64_t end;                      /* when the last of the ended blocks ended */
};

/* The most kernels of overlapping streams at once. */
#define MOST_KERNELS 4

/* Multiprocessors are in bundles of this number, a power of two; the earliest event of each bundle is
 * kept, so that a search need not look at all of them. */
#define SMS_OF_BUNDLE 16u

/* The kernels in progress: one, or several that share the multiprocessors. A run ends when
 * no kernel is left. */
struct run {
    struct kernel kernels[MOST_KERNELS];
    unsigned launched;        /* kernels that have been launched so far */
    bool shared;              /* has the run room for several kernels? */
    struct sm *sms;           /* the multiprocessors; NULL if there is no run */
    uint64_t *next_event;     /* the time of each multiprocessor's next event */
    uint64_t *next_of_bundle; /* the earliest event of each bundle */
    unsigned sm_count;
    uint64_t start, now;
    uint64_t changed; /* how often anything has happened that a polling lane could be waiting for */
    uint64_t dispatches_since_change;
    uint64_t patience; /* dispatches without a change after which a deadlock is looked for */
    bool rejoins;      /* do lanes wait for each other at joins? */
    uint64_t gave_up;  /* what `changed` was when lanes last ceased to wait at joins for others */
};

struct machine {
    struct machine_description description;
    enum machine_schedule schedule;
    uint64_t steps, starts;        /* steps that warps have made so far, and warps that have begun */
    uint64_t delayed[MOST_DELAYS]; /* steps that are held back, counted from 1; 0 means none */
    /* The step, and the beginning of a warp, that is held back for long; 0 means none */
    uint64_t held_step, held_start;
    bool slow_fences; /* see machine_slow_fences */
    struct {
        enum machine_progress model;
        unsigned resident; /* the largest number of resident blocks; 0 means as many as fit */
        /* A block that is promised no steps gets no more after a step, once in this number */
        unsigned withheld_of;
        struct machine_grids grids;
    } progress;
    struct {
        bool is_weak, races, cures;
        enum machine_memory policy;
    } memory;
    struct random random;
    unsigned devices; /* devices that a grid belongs to; 0 means one */
    uint64_t now;     /* the time that the host sees */
    uint64_t host_at; /* when the host was done with its last launch; the device may still be busy then */
    struct machine_counters counters;
    char deadlock[2048];
    struct run run;
};

extern struct machine the_machine;

/* The lane whose code is running; its warp is NULL while host code or the scheduler runs. */
struct running {
    struct warp *warp;
    const struct machine_launch *launch; /* the launch of the lane's kernel */
    unsigned lane;
    uintptr_t code;        /* where the lane's last basic block began, or where its last request was */
    lane_set left;         /* lanes that run after this lane, before the scheduler does */
    uintptr_t stack_limit; /* the lowest address of the lane's stack that the lane may use */
    void *scheduler;       /* the scheduler's context */
};
extern struct running running;

/* Called in the running lane whenever it stops: its last access is complete. Weak memory, which watches
 * accesses, sets it before a launch; NULL means that nobody watches. */
extern void (*lane_watcher)(void);

/* The properties of a stream's kernels. */
struct machine_stream {
    struct machine_graph *capturing; /* the graph that records its launches, or NULL */
    bool overlaps;     /* may other kernels run meanwhile? If not, the host waits for each kernel's end. */
    int priority;      /* blocks of the stream with the lower number get a free place first */
    unsigned sm_count; /* its kernels use only this number of multiprocessors, the first ones; 0 means all */
};

/* Is it an access to memory? Fences, barriers, warp-wide operations and points of convergence are not. */
static inline bool is_memory_request(enum request_kind kind)
{
    return kind <= REQUEST_STORE_UNLOCK;
}

/* Does the request wait for other lanes, or belong to how they come together
 * (machine/engine/rendezvous.h)? */
static inline bool is_rendezvous(enum request_kind kind)
{
    return kind >= REQUEST_BLOCK_BARRIER && kind <= REQUEST_CONVERGENCE_WAIT;
}

static inline unsigned first_lane(lane_set lanes)
{
    return (unsigned)__builtin_ctzll(lanes);
}

/* Notes that something has happened that a polling lane could be waiting for. */
static inline void note_change(void)
{
    the_machine.run.changed++;
    the_machine.run.dispatches_since_change = 0;
}

/* The number of the lane's thread in its block. */
static inline unsigned thread_of(const struct warp *warp, unsigned lane)
{
    return (unsigned)(warp->lanes - warp->block->lanes) + lane;
}

static inline lane_set all_lanes(const struct warp *warp)
{
    return warp->lane_count == 64 ? ~UINT64_C(0) : LANE(warp->lane_count) - 1;
}

static inline struct lane *running_lane(void)
{
    return &running.warp->lanes[running.lane];
}

static inline struct lane_more *more_of_running_lane(void)
{
    return &running.warp->more[running.lane];
}

#endif
