/*
 * The running machine's data; internal to machine/. docs/architecture.md shows how the parts of machine/
 * depend on each other. One file because each of these structs points to the others.
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
    REQUEST_CLUSTER_ARRIVAL,
    REQUEST_CLUSTER_WAIT,
    REQUEST_WARP_BARRIER,
    REQUEST_SHUFFLE,
    REQUEST_MATCH,
    REQUEST_REDUCTION,
    REQUEST_BALLOT,
    REQUEST_CONVERGENCE_SET,
    REQUEST_CONVERGENCE_WAIT,
    REQUEST_SLEEP,
    REQUEST_CLOCK
};

/* How a GPU does an atomic operation in shared memory. For an addition of the constant 1 whose result is not
 * used, nvcc generates ATOMS.POPC.INC, which changes a word once for all lanes that add to it. For additions
 * of floating-point numbers and for most operations on 64 bits, it generates a loop around
 * ATOMS.CAST.SPIN. */
enum atomic_way { ATOMIC_CHANGES, ATOMIC_COUNTS, ATOMIC_SWAPS, ATOMIC_LOOPS };

/* The work between two requests of a thread (machine/code/instructions.h). Its times are in parts of a
 * time unit (PARTS_OF_A_UNIT). */
struct work {
    uint32_t instructions;
    uint32_t free;  /* time of the instructions that need no result of an earlier request */
    uint32_t bound; /* time of the instructions that need a result of an earlier request */
    uint8_t unit;   /* the unit that is occupied longest, of enum machine_unit */
};

/* A thread and its request. It fills one cache line, because the machine's speed depends on this. */
struct lane {
    uintptr_t address; /* the address of the request; 0 if the request has none */
    /* the instruction that made the request; lanes at equal instructions act together */
    const void *instruction;
    uint64_t stores_done_at; /* time at which all stores of the lane so far are done */
    /* earlier requests that decided whether the lane makes this request (machine/code/instructions.h) */
    uint64_t needs;
    /* number of instructions, each dependent on the preceding one, that gpusync.arithmetic has counted before
     * the request (machine/ptx/lock.h) */
    uint32_t arithmetic;
    struct work work; /* the instructions since the lane's last request that `arithmetic` does not count */
    uint16_t bytes;
    uint8_t kind; /* the kind of the request, of enum request_kind */
    /* the number of the lane's last dispatched request in its function (machine/code/instructions.h) */
    uint8_t number;
    bool plain : 1;       /* is the request a load or store that is neither volatile nor atomic? */
    bool of_system : 1;   /* is the request a fence with system scope? */
    bool of_mbarrier : 1; /* is the request's word an mbarrier? */
    bool unused : 1;      /* is the request an atomic whose old value is not used? */
    bool of_access : 1;   /* is the request the fence of an access that has an order? */
    bool past_l1 : 1;     /* is the request a load that the L1 cache never serves? */
    unsigned way : 2;     /* for an atomic: how a GPU changes a word of shared memory (enum atomic_way) */
} __attribute__((aligned(64)));

#define NAMED_BARRIERS 16 /* number of named barriers that a block has (PTX ISA, bar) */

/* Copies whose groups a thread commits apart: cp.async; cp.async.bulk; and the reads of wgmma, which its
 * warp's first thread issues for all of them. */
enum copy_groups { GROUPS_SMALL, GROUPS_BULK, GROUPS_OF_PRODUCTS, COPY_GROUPS };

/* The rest of a thread's data, which only few requests need. */
struct lane_more {
    /* time at which the lane's part of an atomic takes effect; the lanes of a warp take turns */
    uint64_t effect_at;
    uint64_t stored_at; /* time at which the lane's last strong store took or takes effect */
    /* For deadlock detection: a lane that polls returns to an earlier state while nothing changes. */
    uint64_t repeats;       /* number of loads in a row while nothing changed */
    uint64_t repeats_since; /* the value of run.changed when `repeats` began to count */
    uint64_t state;         /* a hash of the state to which a polling lane returns */
    bool returned;          /* has the lane returned to this state? */
    uint64_t clock_since;   /* run.changed + 1 when the lane last read a clock; 0 if it has read none */
    const void *polled;     /* the instruction with which the lane last polled a word */
    uint64_t refused;       /* number of times in a row that the lane was refused a lock bit */
    /* how often the refused lock bit had been taken when `refused` began to count */
    uint64_t refused_since;
    /* set of the lanes of a warp-wide operation, or number of threads of a named barrier */
    uint64_t mask;
    /* the lane's operand of a warp-wide operation, or the number of a named barrier */
    uint64_t value;
    /* for a shuffle: the lane whose value it reads; for a reduction: its operation (enum machine_operation);
     * for a match: whether it asks for all lanes */
    int source_lane;
    uint64_t result;         /* the lane's result of a warp-wide operation or of clock64() */
    unsigned copies;         /* number of asynchronous copies that the thread has issued */
    struct copy *own_copies; /* copies that it may still have to wait for (machine/engine/copies.c) */
    unsigned copy_groups[COPY_GROUPS]; /* number of copy groups of each kind that the thread has committed */
    unsigned cluster_phase; /* number of times that the thread has arrived at its cluster's barrier */
    /* The members from here to unordered_store serve to check the rules of warps (machine/engine/rules.h). */
    bool source_is_named;     /* does a shuffle name the lane that it reads, and not the distance to it? */
    bool undefined;           /* is the result of the lane's last shuffle undefined? */
    const void *undefined_at; /* the shuffle from which the last undefined value came */
    uint32_t undefined_site;  /* `undefined_at` with the calls that led to it (machine/code/calls.h) */
    unsigned undefined_lane;  /* the lane from which the last undefined value came */
    uint32_t active_mask;     /* the mask that the lane's last activemask returned */
    const void *active_at;    /* this activemask; NULL if there was none */
    /* For values that lanes exchange through volatile shared memory. ordered_at is the time of the lane's
     * last barrier or fence. `unordered` is the set of the loads whose values no barrier or fence orders, a
     * bit each. unordered_load is the last of these loads, and unordered_store the store whose value it
     * got. */
    uint64_t ordered_at, unordered;
    const void *unordered_load, *unordered_store;
    /* `calls` is the number of the calls that led to the lane's function (machine/code/calls.h). If numbers
     * ran out, it stands for the outer calls only, and `calls_uncounted` is how many calls came after. */
    uint32_t calls, calls_uncounted;
};

/* A set of a warp's lanes, a bit for each lane. */
typedef uint64_t lane_set;
#define LANE(i) (UINT64_C(1) << (i))
#define FOR_EACH_LANE(i, set)                                                                                \
    for (lane_set left_##i = (set); left_##i; left_##i &= left_##i - 1)                                      \
        for (unsigned i = (unsigned)__builtin_ctzll(left_##i), once_##i = 1; once_##i; once_##i = 0)

/* Lanes of a warp that are at one instruction and have equal times; most warps are one group. A group is
 * first ready, then dispatched: its request is then on its way to memory. */
struct group {
    lane_set lanes;
    const void *instruction;
    uint64_t ready_at;    /* time from which the group may be dispatched */
    uint64_t effect_at;   /* time at which the request reaches memory; set by the dispatch */
    uint64_t complete_at; /* time at which the request is done; set by the dispatch */
    /* time at which the group could be dispatched if it did not have to wait for results */
    uint64_t issue_at;
    uint64_t value_at; /* time at which the value to be stored is there: see struct due in scoreboard.h */
    struct work work;  /* work before the request: for each member, the largest value of all lanes */
    uint8_t kind;      /* the kind of the request, of enum request_kind */
    bool plain_load;
    bool in_memory; /* has the group's request been dispatched? */
    bool is_held;   /* do the lanes wait at a join for other lanes (machine/engine/reconvergence.h)? */
    /* Does each lane's part of an atomic take effect at its own time (in struct lane_more)? If not,
     * `effect_at` is the time of all lanes. */
    bool parts;
};

/* A request in flight: lanes of a warp have made it, and have gone on without waiting for its result. */
struct in_flight {
    lane_set lanes;
    /* the request's number as a bit */
    uint64_t requests;
    uint64_t done_at;
    /* memories, a bit each: a plain store to one of these memories waits for this request's result
     * (scoreboard.c) */
    unsigned stored_to;
};
/* A join in the code, at which lanes of a warp wait for each other. */
struct join {
    size_t join;      /* the join (next_join_of(), machine/code/instructions.h) */
    lane_set lanes;   /* lanes that meet at the join */
    lane_set arrived; /* lanes that have reached the join */
};
/* largest number of joins at which lanes of a warp wait at the same time */
#define MOST_JOINS 8
/* largest number of a warp's requests in flight: twice the largest number of a lane, because diverged lanes
 * have different requests */
#define MOST_IN_FLIGHT_OF_WARP (2 * MOST_IN_FLIGHT)

struct warp {
    struct block *block;
    struct lane *lanes;
    struct lane_more *more;
    struct convergence *convergence; /* machine/engine/reconvergence.h */
    struct ptx_warp *ptx;            /* machine/ptx/warp.h */
    /* the addresses of the lanes' requests */
    uintptr_t *addresses;
    /* Do the lanes that have not exited form one group, in which they differ only in the addresses of their
     * requests? If so, only the entry in `lanes` of the first such lane is valid
     * (machine/engine/groups.h). */
    bool together;
    unsigned fragments; /* machine/ptx/warp.h */
    unsigned lane_count;
    unsigned slot; /* index of the warp among the warps of its multiprocessor */
    /* The groups of the warp's lanes. Each lane is in one group, or in one of the sets of waiting or exited
     * lanes below. */
    struct group *groups;
    unsigned group_count;
    lane_set at_block_barrier, at_warp_barrier, at_named_barrier, at_cluster_barrier, at_convergence;
    lane_set exited;
    lane_set ends;               /* lanes that end when their request is complete (machine/engine/sample.h) */
    lane_set looked;             /* lanes whose last request read a word that they poll in a loop */
    lane_set tries_again;        /* lanes whose request repeats a try_wait for an mbarrier */
    lane_set looked_at_shared;   /* lanes in `looked` whose polled word is in shared memory */
    lane_set looked_at_mbarrier; /* lanes in `looked` that test whether an mbarrier's phase has ended */
    lane_set looked_in_order;    /* lanes in `looked` that poll by acquire loads */
    /* lanes that have begun another iteration of a loop since their last request */
    lane_set turned;
    lane_set held; /* lanes that wait at a join */
    unsigned join_count, passed_count;
    lane_set unnoted; /* lanes that have reached a join that did not fit into `passed` */
    unsigned flight_count;
    uint64_t held_until; /* time until which the schedule holds the warp back */
    /* the place of a delay that would hold back the warp's next step: its last step, or its beginning */
    struct machine_hold last_step;
    lane_set accessed; /* lanes that have made loads or atomics of global memory since their last fence */
    /* lanes that wait at __syncthreads_count(), and lanes whose predicate is not 0 */
    lane_set voting, votes;
    uint64_t last_dispatch; /* time at which the warp was dispatched last */
    uint64_t mbarriers_at;  /* time at which the warp's last request to an mbarrier is served */
    /* time at which the last lane's turn begins in the warp's last atomic on shared memory */
    uint64_t shared_atomics_at;
    /* the warp's critical path and the time charged to it (engine/critical_path.h); NULL if this is not
     * noted */
    struct warp_path *path;
    /* the arrays come last, because most of them is rarely used */
    struct join joins[MOST_JOINS]; /* joins at which some lanes wait for others */
    /* joins that lanes have reached since the warp's lanes last began to run */
    struct join passed[MOST_JOINS];
    struct in_flight flights[MOST_IN_FLIGHT_OF_WARP];
};

struct block {
    struct kernel *kernel;
    unsigned index, threads;
    struct sm *sm;
    /* the number of the block's place among the multiprocessor's places for blocks of its kernel */
    unsigned place;
    struct lane *lanes;
    struct lane_more *more;
    struct group *groups;
    struct warp *warps;
    struct convergence *convergence; /* one entry for each warp */
    unsigned warp_count;
    unsigned at_barrier; /* number of threads that wait at __syncthreads */
    /* for __syncthreads_count(): number of arrived threads whose predicate is not 0, at the current barrier
     * (`counting`) and at the last one (`counted`) */
    unsigned counting, counted;
    bool counts;              /* is the current barrier a __syncthreads_count()? */
    unsigned exited;          /* number of threads that have exited */
    unsigned long long steps; /* number of steps of its warps, counted if `sample_steps` limits it */
    unsigned new_places;      /* number of its last steps that were at places at which it had not been */
    bool comes_back;          /* has one of its lanes come back to a word for which it may wait? */
    unsigned arrived[NAMED_BARRIERS]; /* for each barrier, the number of threads that have arrived */
    /* for each barrier, the number of threads that it waits for, as its first arrival said */
    unsigned expected[NAMED_BARRIERS];
    unsigned named_used;    /* named barriers that the block has used, a bit for each */
    uint64_t finished_at;   /* time at which the last exited thread and its stores ended */
    uint64_t counted_at;    /* time at which the last arrival at one of its barriers was counted */
    unsigned char *dynamic; /* the block's shared memory: its __shared__ variables come first */
    /* which bytes of its shared memory are written; NULL if this is not noted (machine/memory/arrays.h) */
    struct written *written;
    /* values of special registers of PTX (machine/ptx/special.c) */
    void *special;
    struct weak_block *weak; /* the knowledge of memory of the block's threads; NULL on a coherent machine */
    /* the block's cluster; in a launch without clusters, the block is alone in its cluster */
    struct cluster *cluster;
    /* the state of the checks of rules for the block (machine/engine/block_rules.c); NULL if rules are not
     * checked */
    struct block_rules *rules;
    /* the last volatile store to each word of the block's shared memory (machine/engine/warp_rules.c); NULL
     * if there was none */
    struct volatile_store *volatile_stores;
    /* the next block in the list of ended blocks whose memory can be reused (machine/engine/run.c) */
    struct block *next;
};

struct sm {
    unsigned index;
    struct block **blocks;
    unsigned block_count;
    struct warp **warps;
    unsigned warp_count;
    unsigned cursor; /* index in `warps` after the index of the warp that was dispatched last */
    /* Two times of each warp, in arrays of their own, because the search for the next event reads the
     * times of all warps. */
    uint64_t *issue_at;    /* for each warp, the time at which it has something to dispatch, or NEVER */
    uint64_t *next_effect; /* for each warp, the time at which its next request takes effect, or NEVER */
    uint64_t first_effect; /* the earliest time in next_effect when the last event had been handled */
    /* time at which the next instruction can be issued, in units of the issue port's parts (ISSUE_SLOT in
     * time/work.h) */
    uint64_t issue_slot;
    /* number of times that the multiprocessor's L1 cache was emptied in this launch */
    uint64_t acquires;
    struct lock_bit *locks; /* the multiprocessor's lock bits, or NULL if the machine has none */
    unsigned locks_used;    /* number of lock bits that any thread has ever tried */
    uint64_t shared_slot;   /* time of the next free slot of the shared memory's pipeline */
    uint64_t mbarrier_slot; /* time at which the next request to an mbarrier can be served */
    /* times of the next free slots of the ways to L2 and to other multiprocessors of the cluster, in parts
     * (cost.c) */
    uint64_t l2_way_slot, cluster_slot;
    /* times at which the next arrivals at a barrier of a block and of a cluster can be counted, in parts of a
     * time unit (work.c) */
    uint64_t barrier_parts, cluster_parts;
};

#define MOST_CLUSTER_BLOCKS 16

/* A cluster: neighbouring blocks of a launch that begin together (machine/engine/clusters.h). In a launch
 * without clusters, each block is alone in a cluster. */
struct cluster {
    /* number of blocks that have joined the cluster, and how many of these have not ended */
    unsigned count, left;
    /* the cluster's blocks by rank; NULL for a block that has ended */
    struct block *blocks[MOST_CLUSTER_BLOCKS];
    unsigned threads; /* number of the cluster's threads that have not exited */
    unsigned arrived; /* number of threads that wait at the cluster's barrier */
    unsigned phase;   /* number of times that the cluster's barrier has opened */
    /* Times at which the last arrival so far was counted, and at which the barrier opened last. They are
     * unused on weak memory, whose threads wait by polling. */
    uint64_t counted_at, opened_at;
    /* the two words of the cluster's barrier, through which its threads synchronize on weak memory */
    uint32_t *words;
};

#define MOST_DEVICES 8

/* A kernel launch in progress. */
struct kernel {
    struct machine_launch launch;
    const struct machine_stream *stream;
    /* number of the launch in its run, counted from 1; 0 means that this entry has no kernel */
    unsigned number;
    unsigned grid, threads; /* number of blocks in the grid, and of threads in a block */
    unsigned most;          /* number of the grid's blocks that are run (machine/engine/sample.h) */
    uint64_t nth;           /* number of the kernel among all kernels of the program, counted from 1 */
    bool is_sample;         /* were blocks left out when the kernel began? */
    bool has_gaps;          /* have threads ended because of what was left out? */
    bool is_cut;            /* have blocks ended after their steps? */
    unsigned char mark; /* what the kernel writes has this mark or a larger one (machine/memory/arrays.h) */
    unsigned lowest;    /* if blocks are left out: all blocks before this one have begun */
    size_t per_sm;      /* number of the kernel's blocks that a multiprocessor can hold */
    /* where the kernel's part of the memory begins that has all blocks' shared memories */
    size_t first_shared;
    bool begun; /* has the kernel begun, so that its blocks begin wherever there is room? */
    /* number of blocks that have begun, and number of blocks that have not ended */
    unsigned started, blocks_left;
    unsigned started_on[MOST_DEVICES]; /* number of blocks that have begun on each device */
    /* for each block, whether it has begun; NULL if blocks begin in ascending order */
    bool *has_begun;
    uint64_t end;                   /* time at which the kernel's last block so far ended */
    unsigned party;                 /* the number of the launch in the memory model (model_join()) */
    const struct task_order *order; /* the launch's place among the tasks of all streams, or NULL */
    bool *has_ended;                /* set to true when the kernel ends; may be NULL */
};

/* Largest number of kernels that overlap at one time. A GPU has at most this number of hardware queues
 * (CUDA_DEVICE_MAX_CONNECTIONS). */
#define MOST_KERNELS 32

/* number of multiprocessors in a bundle, a power of two; the time of each bundle's earliest event is kept,
 * so that a search need not examine all multiprocessors */
#define SMS_OF_BUNDLE 16u

/* The kernels in progress: one, or several that share the multiprocessors. A run ends when no kernel is in
 * progress. */
struct run {
    struct kernel kernels[MOST_KERNELS];
    unsigned launched;        /* number of kernels launched in this run so far */
    bool shared;              /* does the run have memory for several overlapping kernels? */
    struct sm *sms;           /* the multiprocessors; NULL while no run is open */
    uint64_t *next_event;     /* for each multiprocessor, the time of its next event */
    uint64_t *next_of_bundle; /* for each bundle of multiprocessors, the time of its earliest event */
    unsigned sm_count;
    uint64_t start, now;
    uint64_t changed; /* number of changes so far: events for which a polling lane may be waiting */
    uint64_t dispatches_since_change;
    uint64_t patience; /* number of dispatches without a change after which a deadlock is looked for */
    bool rejoins;      /* do lanes of a warp wait for each other at joins? */
    uint64_t gave_up;  /* the value of `changed` when all lanes that waited at joins were last released */
    /* For deadlock detection: the time that all clocks show as long as `changed` has the value stopped_since,
     * 0 if they were never stopped; and how far they have been set forward. */
    uint64_t stopped_clock, stopped_since, clock_ahead;
};

struct machine {
    struct machine_description description;
    enum machine_schedule schedule;
    /* number of steps that warps have made so far, and number of warps that have begun */
    uint64_t steps, starts;
    /* numbers of the steps after which a warp is held back, counted from 1; 0 means none */
    uint64_t delayed[MOST_DELAYS];
    struct machine_hold holds[MOST_HOLDS]; /* the places that machine_hold_back() chose */
    unsigned hold_count;
    uint64_t hold_units; /* how long the first of these delays is */
    bool slow_fences;    /* set by machine_slow_fences() */
    /* the departures from the plain schedule (machine_keep_departures()) */
    struct {
        uint32_t seen;        /* number of departures so far, whether or not they were made */
        const uint32_t *kept; /* if are_limited: the numbers of the departures that are made, ascending */
        size_t count, next;   /* number of entries in `kept`, and index of the next one to be made */
        bool are_limited;     /* false if all departures are made */
    } departures;
    struct {
        enum machine_progress model;
        unsigned resident; /* the largest number of resident blocks that is allowed; 0 means as many as fit */
        unsigned resident_threads; /* see machine_set_resident_threads() */
        /* In the model MACHINE_HSA: after a step, a block (unless its launch is cooperative) is held back
         * with a chance of 1 in this number. The lowest block is held back for a long time, any other block
         * until it is the lowest. */
        unsigned withheld_of;
        struct machine_grids grids;
    } progress;
    struct {
        bool is_weak, races, cures;
        enum machine_memory policy;
        void (*got_old)(void); /* called when an access reads a value that is not the newest; may be NULL */
    } memory;
    struct random random;
    unsigned devices; /* number of devices to which a grid's blocks belong; 0 means one */
    uint64_t now;     /* the time that the host sees, in time units */
    /* time at which the host's last launch call returned; the device may still be busy at this time */
    uint64_t host_at;
    struct machine_counters counters;
    struct machine_uses uses;
    char deadlock[6144];
    char mend[MOST_HANG_MEND]; /* see machine_mend() */
    struct run run;
};

extern struct machine the_machine;

/* The lane whose instruction is executed. `warp` is NULL while host code or the scheduler runs. */
struct running {
    struct warp *warp;
    const struct machine_launch *launch; /* the launch of the running lane's kernel */
    unsigned lane;
    const void *code; /* the beginning of the lane's last basic block; only noted if rules are checked */
};
extern struct running running;

/* The properties of a stream, which apply to its kernels. */
struct machine_stream {
    struct machine_graph *capturing; /* the graph that captures the stream (machine/cuda/graphs.c), or NULL */
    struct machine_node **tails;     /* the nodes of this graph that the next task needs */
    size_t tail_count;
    struct machine_stream *next_captured; /* the next stream that the graph captures */
    /* The members from here to `next` serve queues (machine/cuda/queues.h). */
    struct queued *last;         /* the stream's last task, or NULL */
    unsigned line, device;       /* the stream's line (machine/weak/clocks.h), and its device */
    bool waits_for_legacy;       /* do the stream and the legacy default stream wait for each other? */
    struct machine_stream *next; /* the next stream in the list of all streams */
    /* may other kernels run at the same time? If not, the host waits for each kernel's end. */
    bool overlaps;
    /* the stream's priority; blocks of the stream with the lowest number get a free place first */
    int priority;
    /* number of multiprocessors, from the first one on, that the stream's kernels may use; 0 means all */
    unsigned sm_count;
};

/* Is a request of this kind a request to memory? Fences, barriers, warp-wide operations and convergence
 * points are not. */
static inline bool is_memory_request(enum request_kind kind)
{
    return kind <= REQUEST_STORE_UNLOCK;
}

/* Is a request of this kind a barrier, a warp-wide operation or a convergence point? At such a request, lanes
 * wait for each other (machine/engine/rendezvous.h). */
static inline bool is_rendezvous(enum request_kind kind)
{
    return kind >= REQUEST_BLOCK_BARRIER && kind <= REQUEST_CONVERGENCE_WAIT;
}

static inline unsigned first_lane(lane_set lanes)
{
    return (unsigned)__builtin_ctzll(lanes);
}

/* Counts a choice that departs from the plain schedule, or from the newest value. Returns whether it is
 * made. */
bool departs(void);

/* Notes a change: something has happened that a polling lane may be waiting for. */
static inline void note_change(void)
{
    the_machine.run.changed++;
    the_machine.run.dispatches_since_change = 0;
}

/* Returns the number of the lane's thread in its block. */
static inline unsigned thread_of(const struct warp *warp, unsigned lane)
{
    return (unsigned)(warp->lanes - warp->block->lanes) + lane;
}

static inline lane_set all_lanes(const struct warp *warp)
{
    return warp->lane_count == 64 ? ~UINT64_C(0) : LANE(warp->lane_count) - 1;
}

/* Returns the lanes that wait at the named barrier with this number. */
static inline lane_set lanes_at_named(const struct warp *warp, unsigned barrier)
{
    lane_set lanes = 0;
    FOR_EACH_LANE(i, warp->at_named_barrier)
    if (warp->more[i].value == barrier)
        lanes |= LANE(i);
    return lanes;
}

/* Returns an entry of warp->lanes that is valid for this lane in everything but the address. */
static inline const struct lane *lane_of(const struct warp *warp, unsigned lane)
{
    return &warp->lanes[warp->together ? first_lane(all_lanes(warp) & ~warp->exited) : lane];
}

/* Return the number of registers that a block takes, and its bytes of shared memory, both rounded up. */
size_t registers_of_block(unsigned threads, unsigned registers);
size_t shared_of_block(size_t bytes);

/* bytes of shared memory that CUDA itself takes for each block, since compute capability 8.0 */
#define RESERVED_SHARED 1024

/* Return how many blocks fit into a multiprocessor's registers, of which `used` are taken, and into its
 * shared memory. SIZE_MAX means that a block needs none, or that its registers are not known. */
size_t blocks_by_registers(size_t used, unsigned threads, unsigned registers);
size_t blocks_by_shared(size_t used, size_t bytes);

/* Returns the lanes with valid entries in warp->lanes: all of these lanes, or one that stands for all. */
static inline lane_set told_lanes(const struct warp *warp, lane_set lanes)
{
    return warp->together ? lanes & -lanes : lanes;
}

static inline struct lane_more *more_of_running_lane(void)
{
    return &running.warp->more[running.lane];
}

#endif
