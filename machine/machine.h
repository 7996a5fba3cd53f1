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
    MACHINE_RANDOM,      /* any ready warp with equal chance */
    MACHINE_ADVERSARIAL, /* the youngest ready warp; with several multiprocessors, warps are also held back */
    MACHINE_DELAYS /* in turn, but each warp may begin late, and some are held back once: machine_set_delays */
};

/* Which value a load gets where PTX allows several (docs/weak-memory.md). All but the
 * first are weak memory. */
enum machine_memory {
    MACHINE_COHERENT, /* the newest value, always */
    MACHINE_L1,       /* as GPUs do: what the multiprocessor's L1 has kept since the last acquire */
    MACHINE_OLDEST,   /* the oldest value that PTX allows */
    MACHINE_ANY       /* any of them by chance; now and then a store goes behind a newer one */
};

#define MOST_IN_FLIGHT 32 /* requests of a thread */

/* The constants of a machine. Times are in time units, which are clock cycles of a described GPU. */
struct machine_description {
    char name[64];
    double clock_hz;        /* 0: an abstract machine, whose time units are no clock */
    int compute_capability; /* 10 * major + minor, for example 13 for 1.3 */
    int sm_count;
    int warp_size; /* w of the paper; at most MACHINE_MAX_WARP */
    int max_threads_per_block;
    int max_threads_per_sm;
    int max_blocks_per_sm;
    int shared_bytes_per_sm;
    /* What is no access to memory (arrivals at barriers, warp-wide operations, fences, points of convergence) takes no
     * slot of dispatch: the paper's model, of lockstep warps. false: each takes one, as an access does (GPUs). */
    bool charges_memory_only;
    int issue_per_1000_units; /* instructions of warps that a multiprocessor issues */
    int issue_latency;        /* from the completion of a warp's request to its next one */
    int arithmetic_latency;   /* of an instruction whose result the next one needs (machine_arithmetic) */
    int instruction_per_1000; /* a warp's time units for 1000 instructions that wait for none of its requests */
    int long_instruction_per_1000; /* the same in runs of more than SHORT_RUN */
    int divide_latency;            /* of a division of integers, beside another instruction's time */
    int branch_latency; /* what a branch back to code before takes longer than other instructions */
    /* Like branch_latency, for the branch of a loop that polls a word until another thread changes it: if all
     * lanes of a warp poll, or while other lanes of the warp are elsewhere. 0: as other branches. */
    int poll_latency, poll_apart_latency, shared_poll_latency, shared_poll_apart_latency;
    int clock_latency;   /* of clock64; 0: one time unit */
    int loads_under_way; /* requests of a thread, at most, until something needs one; 1: it waits for each */
    int l1_latency;      /* of a plain load that the multiprocessor's L1 cache has; 0: it has none */
    int global_latency;  /* l of the paper */
    int global_width;    /* words of 4 bytes in an address group: w of the paper */
    int global_groups_per_1000_units; /* address groups that memory serves: its bandwidth */
    int global_banks;                 /* not 0: the global memory is a DMM of so many banks, not a UMM */
    int store_delay; /* how much later than a load a strong store takes effect, and half of what an atomic takes longer */
    bool posted_stores; /* a store lets its thread go on (GPUs); false: it waits (the paper's model) */
    int shared_latency;
    int shared_banks;
    int atomic_latency;
    /* What an atomic takes longer from a far multiprocessor, and after how many of them near ones and far ones take turns. */
    int atomic_far_latency, atomic_near_multiprocessors;
    int atomic_same_address_per_1000; /* time units for 1000 atomics on one address */
    /* Units of the cache that do atomics; each has every so-many-th run of lines, and takes the time between two
     * atomics on one address for the words of 32 bytes that a warp changes once. 0: each address has its own. */
    int atomic_units, atomic_unit_lines;
    int atomic_polled_latency; /* of a load of a word that atomics change; 0: as any other's */
    int shared_atomic_latency;
    int shared_atomic_same_address;
    int mbarrier_serial; /* between two mbarriers that a multiprocessor serves */
    int mbarrier_lane;   /* between two lanes of a warp that use their mbarriers at once */
    int lock_bits; /* of the shared memory's lock unit (Li 2015, section 3); 0: none, atomics are native */
    int lock_load_spread; /* an LDSLK is complete up to so many units later, by chance */
    bool lockstep;        /* before Volta: divergent lanes wait for each other; false: independent threads */
    int fence_block_latency; /* at the scope of a block */
    int fence_latency; /* of a fence at the scope of the device, and of one that only releases or only acquires */
    int fence_serial; /* between two fences, whoever calls them */
    int fence_store_latency; /* from the end of the caller's stores, if that is later; 0: a fence begins behind them */
    int fence_release_latency;
    int fence_acquire_latency;
    int fence_system_latency; /* at the scope of the system; 0: as at the scope of the device */
    int fence_release_system_latency;
    int fence_acquire_system_latency;
    int link_latency;               /* of a load from another device's memory; 0: as from its own */
    int link_groups_per_1000_units; /* address groups that a link carries in one direction */
    int syncthreads_latency;        /* of a block of one warp */
    int syncthreads_latency_of_32;  /* of one of 32 warps; between them it grows with each warp */
    int syncwarp_latency;
    int shuffle_latency;
    int launch_asynchronous; /* that the host takes for a launch */
    int launch_block;        /* that each block adds to a launch */
    int memset_asynchronous; /* that the host takes for a memset in a stream; 0: no time, nor on the device */
    int launch_behind; /* from a kernel's end to the start of one that was launched meanwhile; 0: as long as that */
    int launch_synchronous;          /* launch and wait: both together, without the kernel */
    int launch_graph;                /* between two nodes of a graph; 0: no graphs */
    int launch_graph_pdl;            /* the same with programmatic dependent launch; 0: not there */
    int launch_graph_block_per_1000; /* and for 1000 blocks beside the first one */
};

#define MACHINE_MAX_WARP 64
#define MACHINE_MAX_LOCK_BITS 4096

/* What happened since machine_reset_counters. */
struct machine_counters {
    uint64_t time_units;
    uint64_t requests; /* memory requests: one for the lanes of a warp that access together */
    uint64_t
        instructions; /* of warps: the requests and what lies between them (machine/code/instructions.h) */
    uint64_t transactions;                /* address groups that the global requests touched */
    uint64_t shared_loads, shared_stores; /* requests among them */
    uint64_t shuffles;                    /* and votes: one for a warp */
    uint64_t bank_conflicts;              /* extra time units that shared requests took */
    uint64_t atomics;
    uint64_t fences;
    uint64_t block_barriers; /* __syncthreads, counted once a block */
    uint64_t named_barriers; /* different ones that a block used: the largest number of any block */
    uint64_t lock_bits; /* different ones that were tried on a multiprocessor: the largest number of any */
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

/* "coherent", "l1", "oldest", "random"; false: no such name. */
bool machine_memory_of(const char *name, enum machine_memory *out);

/*
 * Collects data races of launches from now on (weak memory only), and forgets those collected before: one
 * report for each pair of instructions, with their source lines, and with `cures` what would order the two,
 * which takes most of the time. machine_races returns the number of pairs so far.
 */
void machine_collect_races(bool collect, bool cures);
size_t machine_races(void);
void machine_print_races(FILE *file);

size_t machine_race_notes(void); /* those of them that common code has on purpose */

/* Lines of functions that were inlined are told with the line of the kernel that called them. */
void machine_show_callers(bool show);

/* A race as texts; 0 <= number < machine_races(). */
#define MOST_WHO 64
struct machine_race {
    unsigned first_block, first_thread, second_block, second_thread; /* of a copy: its issuer */
    char first[MOST_WHO],
        second[MOST_WHO]; /* "block 0 thread 3", "a copy of block 0 thread 3", "the kernel before" */
    const char *nothing;  /* "nothing orders them" */
    bool is_note;
    char first_line[160], second_line[160]; /* FILE:LINE */
    const char *first_did, *second_does;    /* "wrote", "overwrites" */
    char place[256];                        /* "[3] of the array from FILE:LINE" */
    char mend[512];                         /* "" without cures */
    unsigned long long times;
    unsigned run; /* the least that machine_add_races was given for it */
};
void machine_describe_race(size_t number, struct machine_race *race);
/* Those of a process that was forked off this one: it saves them, and this one adds them to its own. */
void machine_save_races(FILE *file);
void machine_add_races(FILE *file, unsigned run);

/*
 * Every access of a kernel from now on must lie in an array of cudaMalloc and its like, in shared memory, in a variable of
 * the program, or on the thread's own stack. `fault` is called in the thread of the first that does not; it must not return.
 * NULL: nothing is checked.
 */
void machine_check_bounds(void (*fault)(const char *text));

/* What a program is told when it asks how many multiprocessors there are, to fill them with blocks; 0: the truth. */
void machine_show_multiprocessors(int count);

/* Of each thread of a kernel; before the first launch. */
void machine_set_stack(size_t bytes);

/*
 * Of MACHINE_DELAYS: this number of steps, drawn from the first `steps`, hold the warp that makes it back, for up to some
 * hundred times the latency of memory. A step is an instruction of a warp that is a request. So a fault that shows if the
 * right d steps are held back is met with a chance of at least 1 / steps^d (delay-bounded scheduling: Emmi, Qadeer and
 * Rakamaric 2011), times that of long enough delays. Call it behind machine_set_schedule.
 */
#define MOST_DELAYS 4
void machine_set_delays(unsigned delays, uint64_t steps);
uint64_t machine_steps(void);  /* so far */
uint64_t machine_starts(void); /* warps that have begun so far */

/*
 * Under any schedule but the plain one: half of all fences come late, the lanes of a warp apart. Two fence.sc order what is
 * around them by who was first; so a missing release does not show while some idle thread's fence happens to be early.
 */
void machine_slow_fences(bool slow);

/* Under any schedule: holds one warp back for long, after its step with this number, or before it begins as the warp with
 * this number. Both are counted from 1; 0 means none. */
void machine_hold_back(uint64_t step, uint64_t start);

/*
 * What is promised to the blocks of a grid (machine/engine/progress.h): fair: that those that are resident go on; LOBE: the
 * same, and they begin in the order of their numbers, as in fair, but at most `resident` (0: as many as fit) at a time;
 * OBE: they begin in any order; HSA+OBE: in any order, but the lowest that has not ended is among them; HSA: that the lowest
 * goes on, and nothing of others. A cooperative launch promises that all its blocks are resident and go on.
 */
enum machine_progress { MACHINE_FAIR, MACHINE_LOBE, MACHINE_HSA_OBE, MACHINE_OBE, MACHINE_HSA };
void machine_set_progress(enum machine_progress model, unsigned resident); /* behind machine_set_schedule */

/* Of all kernels so far: the blocks of the largest grid, and of the largest of a cooperative launch; and the fewest blocks
 * that a multiprocessor holds. */
struct machine_grids {
    unsigned blocks, cooperative, per_sm;
};
struct machine_grids machine_grids_so_far(void);

/* A kernel that has run by itself, and what it took without its launch. */
struct machine_launched {
    char name[128];
    unsigned blocks, threads;
    uint64_t units;
};
/* `watcher` is called behind each; NULL: nobody is. */
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
 * the time units since the launch at which the request was dispatched, served and complete. NULL: writes no
 * more. Kinds:
 *
 *     load, store, atomic       served when memory begins to serve it
 *     lock-load, store-unlock   LDSLK and STSUL: served likewise by shared memory, with a free bit or not
 *     syncthreads, syncwarp, named-barrier     served when the last thread has arrived, complete when all may
 *                               continue; the line is written then
 *     named-arrival             an arrival at a named barrier that does not wait
 */
void machine_trace(FILE *file);

/* Weak memory has one kernel at a time. `separate`: those of non-blocking streams run by themselves there; false: a second
 * one ends the program. machine_ran_alone: has such a kernel run by itself? Then a deadlock may be of kernels that wait
 * for each other. */
void machine_separate_kernels(bool separate);
bool machine_ran_alone(void);

/* How the last deadlock came about: which blocks and threads wait where. Empty if there was none. */
const char *machine_deadlock_report(void);

#ifdef __cplusplus
}
#endif

#endif
