/*
 * The running machine's data; internal to machine/. docs/architecture.md shows how the parts of machine/ depend on
 * each other.
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

/* Instructions between two requests of a thread (machine/code/instructions.h), and the time that a warp takes
 * for those that need no result of an earlier request, and for the others. */
struct work {
    uint32_t instructions;
    uint32_t free, bound; /* in parts of a time unit: PARTS_OF_A_UNIT */
};

/* A thread and its request, in one cache line: the machine's speed depends on this. */
struct lane {
    void *context;           /* of libboost-context */
    uintptr_t address;       /* of the request; 0: it has none */
    const void *instruction; /* the caller's return address: lanes at the same one act together */
    uint64_t stores_done_at;
    uint64_t needs;      /* requests that it took to know that this one comes (machine/code/dependence.h) */
    uint32_t arithmetic; /* instructions before it that the source names, each of which waits for the last */
    struct work work;    /* others before it */
    uint16_t bytes;
    uint8_t kind;       /* enum request_kind */
    uint8_t number;     /* of the last one that was dispatched, among its function's */
    bool plain : 1;     /* a load or store that is neither volatile nor atomic */
    bool of_system : 1; /* a fence at the scope of the system */
    bool of_mbarrier : 1, next_of_mbarrier : 1;
    bool
        is_next_word : 1; /* behind that of the load or store before: a GPU has one instruction for both, if it is so in
                              all lanes */
    bool unused : 1; /* an atomic whose old value nobody asks for */
} __attribute__((aligned(64)));

#define RECENT_LOADS 4
#define MAX_CONVERGENCE_DEPTH 8
#define NAMED_BARRIERS 16 /* a block has: PTX ISA, bar */

/* The rest of a thread's data, which few requests need. */
struct lane_more {
    uint64_t effect_at; /* of an atomic, whose lanes take their turns */
    /* For deadlock detection: a lane that polls repeats the same few loads while nothing changes. */
    uint64_t repeats, repeats_since;
    uintptr_t recent[RECENT_LOADS];
    unsigned recent_next;
    uint64_t refused, refused_since; /* a lock bit: times in a row, and the bit's turns before them */
    unsigned convergence_depth;
    uint64_t mask, value; /* of warp-wide operations; of named barriers: threads, barrier */
    int source_lane;
    uint64_t result;
    unsigned copies,
        copy_groups[2];     /* asynchronous ones that it has issued; groups of small ones, of bulk ones */
    unsigned cluster_phase; /* how often it has arrived at its cluster's barrier */
    /* Lockstep: for each convergence point that is set and not yet reached, the lanes that were together when
     * it was set. */
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
    uint64_t ready_at;    /* when it may be dispatched */
    uint64_t effect_at;   /* dispatched: when the request reaches memory */
    uint64_t complete_at; /* dispatched: when the request is done */
    uint64_t issue_at;    /* until its lanes have run on: when they may go on without any result */
    uint64_t value_at;    /* of a store: see scoreboard.h */
    struct work work;     /* of the lanes that have most */
    uint8_t kind;         /* enum request_kind */
    bool plain_load;
    bool is_next_word; /* of all its lanes */
    bool in_memory;
    bool is_held; /* waits at a join for other lanes: machine/engine/reconvergence.h */
};

/* A pending request: lanes of a warp continue without its result. */
struct in_flight {
    lane_set lanes;
    uint64_t requests; /* their numbers, a bit each: several of one vector */
    uint64_t done_at;
    unsigned
        stored_to; /* memories that a plain store waits to leave the result in, a bit each (scoreboard.c) */
};
/* A join of the code, and lanes that wait for each other there. */
struct join {
    size_t join;
    lane_set lanes, arrived;
};
#define MOST_JOINS 8                                /* of a warp at once */
#define MOST_IN_FLIGHT_OF_WARP (2 * MOST_IN_FLIGHT) /* whose lanes may go several ways */

struct warp {
    struct block *block;
    struct lane *lanes;
    struct lane_more *more;
    unsigned char *stacks; /* of its lanes, one after the other */
    unsigned lane_count;
    unsigned slot; /* its place among the warps of its multiprocessor */
    /* The places of its lanes; each lane is in a group or in one of these sets. */
    struct group *groups;
    unsigned group_count;
    lane_set at_block_barrier, at_warp_barrier, at_named_barrier, at_convergence;
    lane_set exited;
    lane_set looked; /* whose last request was a look at a word in a loop that waits for another thread */
    lane_set looked_at_shared;
    lane_set turned; /* that have begun a loop again since their last request */
    lane_set held;   /* that wait at joins */
    struct join joins[MOST_JOINS], passed[MOST_JOINS]; /* awaited; and come to since lanes last ran */
    unsigned join_count, passed_count;
    lane_set unnoted; /* that have come to more joins than that */
    struct in_flight flights[MOST_IN_FLIGHT_OF_WARP];
    unsigned flight_count;
    uint64_t held_until; /* by the adversary */
    uint64_t last_dispatch;
    uint64_t mbarriers_at; /* when its last mbarrier is served */
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
    unsigned at_barrier, exited;
    unsigned arrived[NAMED_BARRIERS];
    unsigned expected[NAMED_BARRIERS]; /* threads, by the first that came */
    unsigned named_used;               /* a bit for each */
    uint64_t finished_at;
    unsigned char *statics;  /* its __shared__ variables while another block's are in place */
    unsigned char *dynamic;  /* its dynamic shared memory */
    struct weak_block *weak; /* what its threads know of memory; NULL on a coherent machine */
    struct cluster *cluster; /* NULL: it is in none */
    struct block *next;      /* among those that have ended, whose memory the next ones take over */
};

/* `taken`: a thread holds the bit. A deadlock report names this thread, and the word through which it took
 * the bit. */
struct lock_bit {
    bool taken, used;
    uint64_t turns; /* how often it has been taken */
    unsigned block, thread;
    size_t word;
};

struct sm {
    unsigned index;
    struct block **blocks;
    unsigned block_count;
    struct warp **warps;
    unsigned warp_count, cursor;
    /* For each warp, side by side, because the search for the next event reads them all. */
    uint64_t *issue_at;     /* when it has something to dispatch, or NEVER */
    uint64_t *next_effect;  /* earliest effect_at of its lanes in memory, or NEVER */
    uint64_t issue_slot;    /* when the next instruction can be issued, in parts: see time/work.h */
    uint64_t acquires;      /* how often its L1 cache was emptied */
    struct lock_bit *locks; /* NULL: the machine has none */
    unsigned locks_used;
    uint64_t shared_slot;   /* next free slot of the shared memory's pipeline */
    uint64_t mbarrier_slot; /* likewise, of mbarriers */
};

#define MOST_CLUSTER_BLOCKS 16

/* A cluster: neighbouring blocks of a launch that begin together (machine/engine/clusters.h). A block of a launch without
 * clusters is alone in one. */
struct cluster {
    unsigned count, left; /* blocks that have joined, and how many of them have not ended */
    struct block *blocks[MOST_CLUSTER_BLOCKS]; /* by rank; NULL for a block that has ended */
    unsigned threads;                          /* threads that have not exited */
    unsigned arrived;                          /* those of them that wait at the cluster's barrier */
    unsigned phase;                            /* how often the barrier has opened */
    uint32_t *words; /* the barrier's two words, through which its threads synchronize on weak memory */
};

#define MOST_DEVICES 8

/* One kernel launch in progress. */
struct kernel {
    struct machine_launch launch;
    const struct machine_stream *stream;
    unsigned number;                  /* counts the launches of a run, from 1 on; 0: this one has ended */
    unsigned grid, threads;           /* blocks of the launch, threads of a block */
    size_t per_sm;                    /* blocks of it that one multiprocessor holds */
    size_t first_stack, first_shared; /* of its blocks' memory on this side */
    bool begun;                       /* its blocks take the places that are free */
    unsigned started, blocks_left;
    unsigned started_on[MOST_DEVICES];
    bool *has_begun; /* of each block, where they begin in any order; or NULL */
    uint64_t end;
};

/* The most kernels of overlapping streams at once. */
#define MOST_KERNELS 4

/* Multiprocessors are in bundles of this number, a power of two; the earliest event of each bundle is kept, so that a search
 * need not look at all of them. */
#define SMS_OF_BUNDLE 16u

/* The kernels in progress: one, or several that share the multiprocessors. A run ends when
 * no kernel is left. */
struct run {
    struct kernel kernels[MOST_KERNELS];
    unsigned launched;
    bool shared;            /* it has room for several */
    struct sm *sms;         /* NULL: there is no run */
    uint64_t *next_event;   /* of each multiprocessor */
    uint64_t *next_of_bundle; /* the earliest event of each bundle */
    unsigned sm_count;
    uint64_t start, now;
    uint64_t changed; /* how often anything happened that a polling lane could be waiting for */
    uint64_t dispatches_since_change;
    uint64_t patience; /* so many of them before a deadlock is looked for */
    bool rejoins;      /* lanes wait for each other at joins */
    uint64_t gave_up;  /* `changed`, when they last ceased to wait although others had not come */
};

struct machine {
    struct machine_description description;
    enum machine_schedule schedule;
    uint64_t steps, starts,
        delayed[MOST_DELAYS];       /* so far; the numbers of those that are held back, from 1 */
    uint64_t held_step, held_start; /* likewise, each for long */
    bool slow_fences;
    struct {
        enum machine_progress model;
        unsigned resident;    /* blocks, at most; 0: as many as fit */
        unsigned withheld_of; /* a block that is promised no steps gets none after one of so many */
        struct machine_grids grids;
    } progress;
    struct {
        bool is_weak, races, cures;
        enum machine_memory policy;
    } memory;
    struct random random;
    unsigned devices; /* that a grid belongs to; 0: one */
    uint64_t now;
    uint64_t host_at; /* when the host was done with its last launch, which the device may be behind */
    struct machine_counters counters;
    char deadlock[2048];
    struct run run;
};

extern struct machine the_machine;

/* The lane whose code is running; its warp is NULL while host code or the scheduler runs. */
struct running {
    struct warp *warp;
    const struct machine_launch *launch; /* the launch of its kernel */
    unsigned lane;
    uintptr_t code;        /* where its last basic block began, or where its last request was */
    lane_set left;         /* lanes that run after it, before the scheduler does */
    uintptr_t stack_limit; /* the lowest address of its stack that it may use */
    void *scheduler;       /* the scheduler's context */
};
extern struct running running;

/* Called in the running lane whenever it stops: its last access is complete. Weak memory, which watches accesses, sets it
 * before a launch; NULL means that nobody watches. */
extern void (*lane_watcher)(void);

/* The properties of a stream's kernels. */
struct machine_stream {
    struct machine_graph *capturing;
    bool overlaps;     /* others run meanwhile; false: the host waits for each kernel's end */
    int priority;      /* the lower number's blocks get a free place first */
    unsigned sm_count; /* they get the first so many multiprocessors only; 0: all */
};

/* Fences, barriers, warp-wide operations and points of convergence are none. */
static inline bool is_memory_request(enum request_kind kind)
{
    return kind <= REQUEST_STORE_UNLOCK;
}

/* Does the request wait for other lanes, or belong to how they come together (machine/engine/rendezvous.h)? */
static inline bool is_rendezvous(enum request_kind kind)
{
    return kind >= REQUEST_BLOCK_BARRIER && kind <= REQUEST_CONVERGENCE_WAIT;
}

static inline unsigned first_lane(lane_set lanes)
{
    return (unsigned)__builtin_ctzll(lanes);
}

/* To be called when something happened that a polling lane could be waiting for. */
static inline void note_change(void)
{
    the_machine.run.changed++;
    the_machine.run.dispatches_since_change = 0;
}

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
