/*
 * The asynchronous memory machine (Nakano 2013, sections 1 and 2), extended to several streaming
 * multiprocessors: each has a shared memory (a DMM), and all share one global memory (a UMM).
 * It runs the suite's CUDA C kernels on the CPU and counts time units.
 *
 * This header is the C interface for code that owns a machine: the harness and the tests. Kernels include
 * cuda_machine.h; host code that launches kernels includes runtime_api.h.
 */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum machine_schedule {
    MACHINE_ROUND_ROBIN, /* warps in turn: the paper's synchronous manner */
    MACHINE_RANDOM,      /* any ready warp, each with equal chance */
    MACHINE_ADVERSARIAL, /* the youngest ready warp; with several multiprocessors, warps are also held back */
    /* Warps in turn, but each may begin late, and some are held back once: machine_set_delays */
    MACHINE_DELAYS
};

/* Which value a load gets where PTX allows several (docs/weak-memory.md). All but the
 * first are weak memory. */
enum machine_memory {
    MACHINE_COHERENT, /* the newest value, always */
    /* The value that the multiprocessor's L1 cache has kept since the last acquire, as on GPUs */
    MACHINE_L1,
    MACHINE_OLDEST, /* the oldest value that PTX allows */
    MACHINE_ANY     /* any allowed value by chance; sometimes a store takes its place before a newer one */
};

#define PURE_CAPABILITY 999 /* compute capability of the paper's abstract machines */
#define MOST_IN_FLIGHT 32   /* the largest loads_under_way of a description */

/* The constants of a machine. Times are in time units, which are clock cycles of a described GPU. */
struct machine_description {
    char name[64];
    double clock_hz;        /* clock rate; 0 means an abstract machine, which has no clock */
    int compute_capability; /* 10 * major + minor, for example 13 for 1.3; or PURE_CAPABILITY */
    int sm_count;           /* streaming multiprocessors */
    int warp_size;          /* threads of a warp (w of the paper); at most MACHINE_MAX_WARP */
    int max_threads_per_block;
    int max_threads_per_sm;
    int max_blocks_per_sm;
    int shared_bytes_per_sm;
    /* Do only accesses to memory take issue slots? True in the paper's model, whose warps run in lockstep.
     * False for GPUs: arrivals at barriers, warp-wide operations, fences and points of convergence take a
     * slot, too. */
    bool charges_memory_only;
    int issue_per_1000_units; /* warp instructions that a multiprocessor issues in 1000 time units */
    int issue_latency;        /* time from the completion of a warp's request to its next request */
    /* Time of an instruction whose result the next one needs (machine_arithmetic) */
    int arithmetic_latency;
    /* Time of 1000 instructions of a warp that need no result of its requests: in runs of up to SHORT_RUN
     * instructions, and in longer runs (machine/code/runs.h). */
    int instruction_per_1000, long_instruction_per_1000;
    int divide_latency; /* additional time of an integer division */
    int branch_latency; /* additional time of a branch to earlier code */
    /* Additional time of the branch of a loop that polls a word until another thread changes it: if all
     * lanes of a warp poll, and while other lanes of the warp are elsewhere; for words of global memory,
     * and of shared memory. If poll_latency is 0, these branches take branch_latency, as others do. */
    int poll_latency, poll_apart_latency, shared_poll_latency, shared_poll_apart_latency;
    int clock_latency; /* time of clock64; 0 means one time unit */
    /* Requests of a thread that may be in flight at once; 1 means that it waits for each */
    int loads_under_way;
    /* Time of a plain load that finds its line in the L1 cache; 0 means that there is no cache */
    int l1_latency;
    int global_latency;               /* time of a load from global memory (l of the paper) */
    int global_width;                 /* 4-byte words of an address group (w of the paper) */
    int global_groups_per_1000_units; /* bandwidth: address groups that memory serves in 1000 time units */
    int global_banks; /* banks of a global memory that is a DMM; 0 means that the global memory is a UMM */
    /* How much later than a load a strong store takes effect. If it is not 0, an atomic takes effect
     * later, too: by half of the difference between atomic_latency and global_latency. */
    int store_delay;
    /* Does a store let its thread run on (GPUs)? If not, the thread waits (the paper's model). */
    bool posted_stores;
    int shared_latency; /* time of a load from shared memory */
    int shared_banks;
    int atomic_latency;
    /* Additional time of an atomic from a far multiprocessor. Multiprocessors are near and far in turn:
     * the first atomic_near_multiprocessors are near, the next ones far, and so on. */
    int atomic_far_latency, atomic_near_multiprocessors;
    int atomic_same_address_per_1000; /* time of 1000 atomics on one address */
    /* Units of the L2 cache that do atomics, and how many lines in a row belong to one unit: the unit of a
     * line is a hash of line / atomic_unit_lines, modulo atomic_units. A unit takes the time between two
     * atomics on one address for each 32-byte sector in which a warp changes every word once. If
     * atomic_units is 0, each address has a unit of its own. */
    int atomic_units, atomic_unit_lines;
    /* Time of a load of a word that atomics change; 0 means the time of any load */
    int atomic_polled_latency;
    int shared_atomic_latency;
    int shared_atomic_same_address; /* time between two atomics on one address of shared memory */
    int mbarrier_serial;            /* time between two mbarriers that a multiprocessor serves */
    int mbarrier_lane;              /* time between two lanes of a warp that use their mbarriers at once */
    /* Lock bits of shared memory (Li 2015, section 3); 0 means that its atomics are native */
    int lock_bits;
    int lock_load_spread; /* the largest additional time of an LDSLK, which is drawn by chance */
    /* Do divergent lanes wait for each other (before Volta)? If not, threads are independent. */
    bool lockstep;
    int fence_block_latency; /* time of a fence at the scope of a block */
    int fence_latency;       /* time of fence.sc at the scope of the device */
    int fence_serial;        /* time between two fences, whoever calls them */
    /* The least time from the end of the caller's stores to the end of a fence. If it is 0, a fence begins
     * when the stores have ended. */
    int fence_store_latency;
    int fence_release_latency; /* time of a fence at the scope of the device that only releases */
    int fence_acquire_latency; /* time of a fence at the scope of the device that only acquires */
    /* Times of these three fences at the scope of the system; 0 means the same time as at the scope of the
     * device. */
    int fence_system_latency, fence_release_system_latency, fence_acquire_system_latency;
    /* Time of a load from another device's memory; 0 means the same time as from the own memory */
    int link_latency;
    /* Address groups that a link carries in one direction in 1000 time units */
    int link_groups_per_1000_units;
    /* Time of __syncthreads in a block of one warp, and in a block of 32 warps; between them it grows with
     * each warp. */
    int syncthreads_latency, syncthreads_latency_of_32;
    int syncwarp_latency;
    int shuffle_latency;     /* time of a shuffle or vote */
    int launch_asynchronous; /* time that the host takes for a launch */
    int launch_block;        /* time that each block adds to a launch */
    /* Time that the host takes for a memset in a stream; 0 means that a memset takes no time */
    int memset_asynchronous;
    /* Time from a kernel's end to the start of one that was launched meanwhile; 0 means the time of a
     * launch. */
    int launch_behind;
    int launch_synchronous; /* time of a launch and the wait for it together, without the kernel */
    int launch_graph;       /* time between two nodes of a graph; 0 means that there are no graphs */
    int launch_graph_pdl;   /* the same time with programmatic dependent launch; 0 means that there is none */
    int launch_graph_block_per_1000; /* time that 1000 blocks add to it; the first block adds nothing */
};

#define MACHINE_MAX_WARP 64
#define MACHINE_MAX_LOCK_BITS 4096

/* What happened since machine_reset_counters. */
struct machine_counters {
    uint64_t time_units;
    uint64_t requests; /* memory requests: one for the lanes of a warp that access together */
    /* Warp instructions: requests, and those between them (machine/code/instructions.h) */
    uint64_t instructions;
    uint64_t transactions;                /* address groups that requests to global memory touched */
    uint64_t shared_loads, shared_stores; /* requests to shared memory */
    uint64_t shuffles;                    /* shuffles and votes, each counted once for a warp */
    uint64_t bank_conflicts;              /* additional time units that requests to shared memory took */
    uint64_t atomics;
    uint64_t fences;
    uint64_t block_barriers; /* __syncthreads, counted once a block */
    uint64_t named_barriers; /* the largest number of different named barriers that a block used */
    /* The largest number of different lock bits that were tried on a multiprocessor */
    uint64_t lock_bits;
    uint64_t launches;
};

/*
 * Reads a description from JSON text (machine/presets has examples: every constant with its
 * source). Returns NULL, or a message that begins with the label and says what is wrong; it is
 * valid until the next call.
 */
const char *machine_description_parse(const char *text, const char *label, struct machine_description *out);

/* The abstract machine of the paper: one multiprocessor, one UMM of width w and latency l;
 * nothing else costs anything. */
struct machine_description machine_pure_umm(int width, int latency);

/* The paper's DMM of w banks, with one multiprocessor, too. */
struct machine_description machine_pure_dmm(int width, int latency);

/* Installs the machine on which everything runs from now on. */
void machine_install(const struct machine_description *description);
const struct machine_description *machine_installed(void);

void machine_set_schedule(enum machine_schedule schedule, uint64_t seed);

/* The memory of all launches from now on; coherent at first. */
void machine_set_memory(enum machine_memory memory);
/* From now on a launch's grid consists of the grids of this number of devices, one after the other: for weak
 * memory each device is a scope of its own. Memory, clock and multiprocessors remain those of one device. */
void machine_set_devices(unsigned count);

/* Finds the memory by its name: "coherent", "l1", "oldest" or "random". Returns false if there is no such
 * name. */
bool machine_memory_of(const char *name, enum machine_memory *out);

/*
 * Collects data races of launches from now on (weak memory only), and forgets those collected before. There
 * is one report for each pair of instructions, with their source lines. If `cures` is true, it also says what
 * would order the two, which takes most of the time. machine_races returns the number of pairs so far.
 */
void machine_collect_races(bool collect, bool cures);
size_t machine_races(void);
void machine_print_races(FILE *file);

size_t machine_race_notes(void); /* the number of pairs that common code has on purpose */

/* Shall reports add the line of the caller to a line in a function that was inlined? */
void machine_show_callers(bool show);

/* A race as texts; 0 <= number < machine_races(). */
#define MOST_WHO 64
struct machine_race {
    unsigned first_block, first_thread, second_block, second_thread; /* the thread, or the issuer of a copy */
    /* Who made the two accesses: "block 0 thread 3", "a copy of block 0 thread 3", "the kernel before". */
    char first[MOST_WHO], second[MOST_WHO];
    const char *nothing;                    /* "nothing orders them" */
    bool is_note;                           /* does common code have such a race on purpose? */
    char first_line[160], second_line[160]; /* FILE:LINE */
    const char *first_did, *second_does;    /* "wrote", "overwrites" */
    char place[256];                        /* "[3] of the array from FILE:LINE" */
    char mend[512];                         /* what would order the two accesses; "" without cures */
    unsigned long long times;               /* how often the race occurred */
    unsigned run; /* the least `run` that machine_add_races was called with for this race */
};
void machine_describe_race(size_t number, struct machine_race *race);
/* Races of a forked process: the child saves its races, and the parent adds them to its own as races of
 * this run. */
void machine_save_races(FILE *file);
void machine_add_races(FILE *file, unsigned run);

/*
 * From now on every access of a kernel must lie in an array of cudaMalloc and its like, in shared memory, in
 * a variable of the program, or on the thread's own stack. The first thread whose access does not calls
 * `fault`, which must not return. If `fault` is NULL, nothing is checked.
 */
void machine_check_bounds(void (*fault)(const char *text));

/* Sets the number of multiprocessors that a program is told, so that it launches other numbers of blocks;
 * 0 means the true number. */
void machine_show_multiprocessors(int count);

/* Sets the stack of each thread of a kernel; to be called before the first launch. */
void machine_set_stack(size_t bytes);

/*
 * For MACHINE_DELAYS: draws `delays` steps from the first `steps`. A warp that makes one of them is held back
 * after it, for up to some hundred times the latency of memory. A step is an instruction of a warp that is a
 * request. So a fault that shows if the right d steps are held back long enough is met with a chance of at
 * least 1 / steps^d (delay-bounded scheduling: Emmi, Qadeer and Rakamaric 2011). To be called after
 * machine_set_schedule.
 */
#define MOST_DELAYS 4
void machine_set_delays(unsigned delays, uint64_t steps);
uint64_t machine_steps(void);  /* steps so far */
uint64_t machine_starts(void); /* warps that have begun so far */

/*
 * Makes half of all fences late, the lanes of a warp apart, under any schedule but the plain one. Two
 * fence.sc order what is around them by who was first; so a missing release does not show while an idle
 * thread's fence happens to be early.
 */
void machine_slow_fences(bool slow);

/* Holds one warp back for long, under any schedule: after step number `step`, or before it begins as warp
 * number `start`. Both are counted from 1; 0 means none. */
void machine_hold_back(uint64_t step, uint64_t start);

/*
 * What is promised to the blocks of a grid (machine/engine/progress.h). At most `resident` blocks are
 * resident at a time; 0 means as many as fit. A cooperative launch promises that all its blocks are resident
 * and go on. To be called after machine_set_schedule.
 */
enum machine_progress {
    MACHINE_FAIR, /* resident blocks go on; blocks begin in the order of their numbers */
    MACHINE_LOBE, /* the same as MACHINE_FAIR */
    /* Resident blocks go on; the lowest that has not ended is among them, others begin in any order */
    MACHINE_HSA_OBE,
    MACHINE_OBE, /* resident blocks go on; blocks begin in any order */
    MACHINE_HSA  /* the lowest block that has not ended goes on; nothing is promised to others */
};
void machine_set_progress(enum machine_progress model, unsigned resident);

/* The extremes of all kernels so far. */
struct machine_grids {
    unsigned blocks;      /* blocks of the largest grid */
    unsigned cooperative; /* blocks of the largest cooperative grid */
    unsigned per_sm;      /* the smallest number of a kernel's blocks that a multiprocessor holds */
};
struct machine_grids machine_grids_so_far(void);

/* A kernel that has run by itself. */
struct machine_launched {
    char name[128];
    unsigned blocks, threads;
    uint64_t units; /* time units without the launch */
};
/* Sets the function that is called after each such kernel, or none if it is NULL. */
void machine_watch_launches(void (*watcher)(const struct machine_launched *launched));

/* Time units since the machine was installed. */
uint64_t machine_now(void);

const struct machine_counters *machine_get_counters(void);
void machine_reset_counters(void);

/* What happened between two __syncthreads of launches of one block, interval
 * after interval, since machine_reset_counters. */
struct machine_interval {
    uint64_t time_units, requests, transactions;
};
size_t machine_intervals(const struct machine_interval **out);

/*
 * Writes a tab-separated line for each request of a warp of every launch from now on: block, warp, kind, and
 * the time units since the launch at which the request was dispatched, served and complete. If `file` is
 * NULL, nothing is written any more. Kinds:
 *
 *     load, store, atomic       served when memory begins to serve it
 *     lock-load, store-unlock   LDSLK and STSUL, served when shared memory begins to serve it, whether
 *                               the bit is free or not
 *     syncthreads, syncwarp, named-barrier     served when the last thread has arrived, complete when all may
 *                               continue; the line is written then
 *     named-arrival             an arrival at a named barrier that does not wait
 */
void machine_trace(FILE *file);

/* Weak memory has one kernel at a time. If `separate` is true, kernels of non-blocking streams run by
 * themselves there; if not, a second kernel ends the program. machine_ran_alone says whether such a kernel
 * has run by itself; then a deadlock may come from kernels that wait for each other. */
void machine_separate_kernels(bool separate);
bool machine_ran_alone(void);

/* How the last deadlock came about: which blocks and threads wait where. Empty if there was none. */
const char *machine_deadlock_report(void);

#ifdef __cplusplus
}
#endif

#endif
