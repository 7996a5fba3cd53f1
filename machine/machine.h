/*
 * The asynchronous memory machine (Nakano 2013, sections 1 and 2), extended to several streaming
 * multiprocessors: each has a shared memory (a DMM), and all share one global memory (a UMM).
 * It runs the suite's CUDA C kernels on the CPU and counts time units.
 *
 * This header is the C interface for code that owns a machine: the harness and the tests. Host code that
 * launches kernels includes runtime_api.h. One file because it is what such code sees of the machine.
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
    MACHINE_ROUND_ROBIN, /* ready warps in turn, the synchronous manner of Nakano 2013 */
    MACHINE_RANDOM,      /* any ready warp; each has equal chance */
    /* the ready warp that ran last; with several multiprocessors, warps are also held back by chance */
    MACHINE_ADVERSARIAL,
    /* warps in turn, but each may begin late, and some are held back once (machine_set_delays) */
    MACHINE_DELAYS
};

/* Which value a load gets where PTX allows several (docs/weak-memory.md). All but MACHINE_COHERENT are
 * weak memory. */
enum machine_memory {
    MACHINE_COHERENT, /* always the newest value */
    /* the value that the multiprocessor's L1 cache has kept since its last acquire, as on GPUs */
    MACHINE_L1,
    MACHINE_OLDEST, /* the oldest value that PTX allows */
    /* any value that PTX allows, drawn by chance; sometimes a store's value becomes older than an earlier
     * store's */
    MACHINE_ANY
};

#define PURE_CAPABILITY 999 /* compute capability of the abstract machines of Nakano 2013 */
#define MOST_IN_FLIGHT 32   /* the largest loads_under_way of a description */

/* The constants of a machine. Times are in time units; for the machine of a GPU these are clock cycles. */
struct machine_description {
    char name[64];
    double clock_hz; /* clock rate; 0 means an abstract machine, which has no clock */
    /* Do only memory accesses take issue slots? True in the model of Nakano 2013, whose warps run in
     * lockstep. False for GPUs, where arrivals at barriers, warp-wide operations, fences and convergence
     * points take issue slots, too. */
    bool charges_memory_only;
    int global_banks; /* number of banks if the global memory is a DMM; 0 means that it is a UMM */
    /* Does a thread run on while its store is under way (GPUs)? If not, the thread waits (the model of
     * Nakano 2013). */
    bool posted_stores;
    /* Do divergent lanes of a warp wait for each other (before Volta)? If not, threads are independent. */
    bool lockstep;
#define CONSTANT(name, low, high) int name;
#define FRACTION(name, member, low, high) int member;
#include "machine/constants.def"
#undef CONSTANT
#undef FRACTION
};

#define MACHINE_MAX_WARP 64
#define MACHINE_MAX_LOCK_BITS 4096

/* Units of a multiprocessor. Every instruction of a warp takes an issue slot, whatever its unit. The unit for
 * multiply-adds takes as many instructions as there are issue slots, and has no name of its own. */
enum machine_unit { UNIT_ISSUE, UNIT_INTEGER, UNIT_DOUBLE, UNIT_SPECIAL, MACHINE_UNITS };

/* Counts of what has happened since machine_reset_counters(). */
struct machine_counters {
    uint64_t time_units;
    /* number of requests to memory; lanes of a warp that access together make one request */
    uint64_t requests;
    /* number of warp instructions: requests and the instructions between them
     * (machine/code/instructions.h) */
    uint64_t instructions;
    /* Issue slots of the instructions between two requests. They count for the unit that needs most of
     * them, and for UNIT_ISSUE where the machine code of the kernel is not known. */
    uint64_t unit_slots[MACHINE_UNITS];
    /* number of address groups that requests to global memory touched, and how many of them the L2 cache did
     * not hold */
    uint64_t transactions, l2_misses;
    /* numbers of requests that load from shared memory, and that store there */
    uint64_t shared_loads, shared_stores;
    uint64_t shuffles; /* number of shuffles and votes; each counts once for a warp */
    /* time units that requests to shared memory took in addition to the first of each request */
    uint64_t bank_conflicts;
    uint64_t atomics;
    uint64_t fences;
    uint64_t block_barriers; /* number of __syncthreads; each counts once for a block */
    uint64_t named_barriers; /* largest number of different named barriers that one block used */
    /* largest number of different lock bits that lanes of one multiprocessor tried to take */
    uint64_t lock_bits;
    uint64_t launches;
};

/* Reads a machine description from JSON text (machine/presets has examples: every constant with its
 * source). Returns NULL, or a message that begins with `label` and says what is wrong. The message is
 * valid until the next call. */
const char *machine_description_parse(const char *text, const char *label, struct machine_description *out);

/* Returns the abstract UMM of Nakano 2013 with width w and latency l, which has one multiprocessor.
 * Nothing but memory takes time. */
struct machine_description machine_pure_umm(int width, int latency);

/* Returns the abstract DMM of Nakano 2013 with `width` banks, which has one multiprocessor. */
struct machine_description machine_pure_dmm(int width, int latency);

/* Installs the machine on which all kernels run from now on. */
void machine_install(const struct machine_description *description);
const struct machine_description *machine_installed(void);

void machine_set_schedule(enum machine_schedule schedule, uint64_t seed);

/* Sets the memory of all later launches. The memory of a newly installed machine is coherent. */
void machine_set_memory(enum machine_memory memory);
/* From now on, a launch's grid consists of the grids of this number of devices, one after another. On weak
 * memory each device is a scope of its own. All of them share the memory, clock and multiprocessors of one
 * device. */
void machine_set_devices(unsigned count);

/* Stores in *out the kind of memory with this name: "coherent", "l1", "oldest" or "random". Returns
 * false if no kind of memory has this name. */
bool machine_memory_of(const char *name, enum machine_memory *out);

/*
 * Collects data races of later launches (weak memory only), and forgets the races collected before. There is
 * one report for each pair of instructions, with their source lines. If `cures` is true, a report also says
 * what would order the two accesses, which takes most of the time. machine_races() returns the number of
 * pairs so far.
 */
void machine_collect_races(bool collect, bool cures);
size_t machine_races(void);
void machine_print_races(FILE *file);

/* returns the number of collected races that are only notes, because common code has them on purpose */
size_t machine_race_notes(void);

/*
 * Sets whether reports contain marks in place of source lines, for a program that reads the debug information
 * itself (tools/check/frames.h). A mark is MARK_BEGINS, offsets in the program as hexadecimal numbers, and
 * MARK_ENDS. The first offset is an instruction. The return
 * addresses of the calls that led to it follow, after commas. A second such list may follow after a "|"; it
 * counts if the instruction of the first list is neither in the user's code nor in a library.
 */
#define MARK_BEGINS '\1'
#define MARK_ENDS '\2'
/* the words before the mark of the line in which an array was allocated; "[3] of " may stand before them */
#define ARRAY_FROM "the array from "
/* the size of a text in which a mark has room */
#define MOST_MARK 256
void machine_mark_lines(bool mark);

/* A collected race as texts. MOST_WHO is the size of the texts that name who made an access. */
#define MOST_WHO (MOST_MARK + 128)
/* The smallest group (warp, block or grid) that contained both threads in every occurrence of the race. */
enum race_span { RACE_IN_WARP, RACE_IN_BLOCK, RACE_IN_GRID };
struct machine_race {
    /* the threads that made the accesses, or that issued the copies which made them */
    unsigned first_block, first_thread, second_block, second_thread;
    /* Who made the accesses: "block 0 thread 3", "a copy of block 0 thread 3", "the kernel before",
     * "the host", "a stream's copy"; or "block 0 thread 3 of sum (launched at sum.cu:9)" if another launch
     * made the other access. */
    char first[MOST_WHO], second[MOST_WHO];
    /* "nothing orders them", "nothing orders them but which of two fences came first" or "no proxy fence is
     * between them" */
    const char *nothing;
    /* true if the race is only a note, because common code has such a race on purpose */
    bool is_note;
    char first_line[MOST_MARK], second_line[MOST_MARK]; /* FILE:LINE, or marks */
    const char *first_did, *second_does;                /* "wrote", "overwrites" */
    /* the accessed memory, for example "[3] of the array from FILE:LINE" */
    char place[512];
    /* the array or variable in it, without an index */
    char array[160];
    /* advice on what would order the two accesses; "" if races were collected without cures */
    char mend[1536];
    enum race_span span;
    /* if exactly one of the accesses was strong, the other possible advice: a strong one in place of the
     * other; or "" */
    char strong_mend[MOST_MARK + 128];
    bool are_both_writes;
    bool is_refill;           /* does it read what a copy wrote that was issued too early? */
    bool is_between_tasks;    /* were the accesses made by two launches or other tasks, or by the host? */
    bool are_both_strong;     /* were both accesses strong, so that a scope or a size is wrong? */
    bool is_cure_known;       /* is the text in `mend` more than that something must order the two? */
    unsigned long long times; /* number of times that the race occurred */
    unsigned run;             /* the lowest `run` number with which machine_add_races() added the race */
};
void machine_describe_race(size_t number, struct machine_race *race);
/* The barriers to which threads came in the runs that find out what would order the accesses of races.
 * machine_describe_barrier() writes the line of a barrier, or its mark, and returns whether a warp or a block
 * waits there. */
size_t machine_barriers(void);
enum race_span machine_describe_barrier(size_t number, char line[MOST_MARK]);
/* machine_save_races() writes the races of a forked child process to a file. machine_add_races() adds them to
 * the parent's own, as races of this `run`. If `only_cures` is true, it adds no race: it only notes what
 * would order those races of the run that the parent has already. machine_lacks_cures() returns whether the
 * parent has a race of the run for which no order that would remove it is known yet. */
void machine_save_races(FILE *file);
void machine_add_races(FILE *file, unsigned run, bool only_cures);
/* Was this race in the file that machine_add_races() has read last? */
bool machine_race_came_again(size_t number);
bool machine_lacks_cures(unsigned run);

/*
 * If `check` is true, checks from now on that kernels keep the rules of warps, blocks and memory that
 * machine/engine/rules.h lists, and sets the `times` of earlier reports to 0. After a breach with which a
 * kernel cannot go on, the machine calls `stop`, which must not return. machine_rules() returns the number of
 * reports, of which there is one for each rule and pair of instructions.
 */
void machine_check_rules(bool check, void (*stop)(void));
size_t machine_rules(void);

/* A report of a broken rule. */
struct machine_rule {
    int rule;         /* a number of the rule */
    const char *kind; /* "rule" or "unwritten" */
    const char *text; /* who broke the rule, in which line, and how */
    /* the memory that was read although nobody has written it, as in struct machine_race; otherwise "" */
    const char *place;
    const char *mend; /* advice on what to do, or "" */
    unsigned long long times;
    unsigned run;  /* the lowest `run` number with which machine_add_rules() added the report */
    unsigned runs; /* number of runs with which it did */
};
struct machine_rule machine_describe_rule(size_t number);
/* machine_save_rules() writes the reports of a forked child process to a file. machine_add_rules() adds them
 * to the parent's own, as reports of this `run`. */
void machine_save_rules(FILE *file);
void machine_add_rules(FILE *file, unsigned run);

/* From now on every access of a kernel must be to an array of cudaMalloc() and the like, to shared memory, to
 * a variable of the program, or to the thread's own stack. The first thread that makes another access calls
 * `fault`, which must not return. A thread that misuses memory in another way calls `fault`, too: for
 * example, it passes free() an address that malloc() has not returned, or reads a texture that was destroyed.
 * The host calls `fault` if it accesses memory of the device. If `fault` is NULL, nothing is checked. */
void machine_check_bounds(void (*fault)(const char *text));

/* Sets the number of multiprocessors that the runtime reports to programs, which then launch other numbers
 * of blocks. 0 means the true number. */
void machine_show_multiprocessors(int count);
/* Makes a program see this number of devices, from 1 to 8; 0 means the number that machine_set_devices() has
 * set. A launch runs on the device to which its stream belongs. The devices share their multiprocessors. */
void machine_show_devices(unsigned count);

/*
 * For MACHINE_DELAYS: draws `delays` steps from the first `steps`. A step is an instruction of a warp that is
 * a request. A warp that makes a drawn step is held back after it, for up to some hundred times the latency
 * of memory. A mistake that shows if d certain steps are held back long enough then shows with a chance of at
 * least 1 / steps^d (delay-bounded scheduling: Emmi, Qadeer and Rakamaric 2011). Must be called after
 * machine_set_schedule().
 */
#define MOST_DELAYS 4
void machine_set_delays(unsigned delays, uint64_t steps);
/* returns the number of steps that warps have made so far (see machine_set_delays()) */
uint64_t machine_steps(void);
uint64_t machine_starts(void); /* returns the number of warps that have begun so far */

/* Delays half of all fences, chosen separately for the lanes of a warp, under any schedule but round-robin.
 * The reason: two fence.sc order the accesses around them according to which fence was executed first. So if
 * the fence of an idle thread happened to be early each time, a missing release would not show. */
void machine_slow_fences(bool slow);

/* A place at which a schedule holds a warp back for a long time: after the step with this number, or
 * before the warp with this number begins. Both are counted from 1; 0 means neither. */
struct machine_hold {
    uint64_t step, start;
};
/* Holds warps back at these places, under any schedule. The first delay takes this number of time units; the
 * delay at number n (from 0) takes n + 1 times as long, so that the first warp goes on first. */
#define MOST_HOLDS 8
void machine_hold_back(const struct machine_hold holds[], unsigned count, uint64_t units);

/*
 * A departure is a choice of the schedule or of the weak memory that is not the plain one: a warp that is not
 * the next in turn, a delay, a value that is not the newest. Departures are numbered from 1 in their order.
 * After machine_keep_departures(), only those with these ascending numbers are made. machine_departures()
 * returns their number so far, made or not.
 */
void machine_keep_departures(const uint32_t *numbers, size_t count);
uint32_t machine_departures(void);

/*
 * Notes from now on in which order warps access a place in memory. A pair of accesses has two warps and an
 * instruction of each, at least one of which writes. If `places` is true, it also notes the places at which
 * a delay can change such an order: before accesses that are in a pair, before fences that order all
 * memory, and before barriers of several warps.
 */
void machine_note_orders(bool note, bool places);
/* machine_save_orders() writes what was noted in a forked child process to a file. machine_add_orders()
 * adds it to the parent's, and returns the number of orders that are new there. */
void machine_save_orders(FILE *file);
size_t machine_add_orders(FILE *file);
struct machine_orders {
    size_t pairs, both; /* number of pairs, and number of pairs that came in both orders */
    bool all;           /* false if there were more pairs than are noted */
};
struct machine_orders machine_orders_so_far(void);
/* Returns the places of delays that machine_add_orders() has read last, and sets *count to their number. */
const struct machine_hold *machine_places(size_t *count);

/* An access of a thread to a place that several warps access, at least one of which writes. A read that the
 * thread repeats at once counts where it comes last. */
struct machine_step {
    uint64_t warp, place; /* numbers of the thread's warp and of the place */
    unsigned block, thread, instruction;
    unsigned nth;             /* how often the thread has come to the instruction before */
    bool writes, is_old;      /* is it a read of a value that is not the newest? */
    char text[4 * MOST_MARK]; /* "block 3 thread 0 at LINE writes PLACE", with marks */
};
/* machine_note_steps() notes the steps of the run from now on, up to a limit, if the places of delays are
 * noted, too. machine_save_steps() writes the noted steps of a forked child process to a file. */
#define MOST_NOTED_STEPS (1u << 13)
void machine_note_steps(void);
void machine_save_steps(FILE *file);

/* Lets the machine call `stop`, which must not return, at its next event. A signal handler may call this. */
void machine_interrupt(void (*stop)(void));
/* Returns the number of calls of CUDA's functions from which the host has returned, or 0 if it has since used
 * a flag for which it may wait. *seconds is the time since then, or, if *is_in_call, since it made another
 * call. */
unsigned long long machine_host_calls(double *seconds, bool *is_in_call);
/* Lets the machine call `then` when the host's call with this number has returned. */
void machine_after_call(unsigned long long number, void (*then)(void));
/* Returns a text that says how many blocks of the kernels in progress have ended, or "" if there are none. */
const char *machine_kernels_left(void);

/* Progress models: what is promised to the blocks of a grid (machine/engine/progress.h). At most `resident`
 * blocks are resident at a time; 0 means as many as fit. A cooperative launch promises that all its blocks
 * are resident and make progress. machine_set_progress() must be called after machine_set_schedule(). */
enum machine_progress {
    MACHINE_FAIR, /* resident blocks make progress; blocks begin in ascending order of their numbers */
    MACHINE_LOBE, /* equal to MACHINE_FAIR */
    /* resident blocks make progress; the lowest block that has not ended is resident, others begin in any
     * order */
    MACHINE_HSA_OBE,
    MACHINE_OBE, /* resident blocks make progress; blocks begin in any order */
    MACHINE_HSA  /* the lowest block that has not ended makes progress; other blocks need not */
};
void machine_set_progress(enum machine_progress model, unsigned resident);

/*
 * Limits the number of resident threads to about this number, so that their data fit into the host
 * processor's cache; 0 means no limit. When nothing has changed for long and blocks wait to begin, the number
 * is doubled, so that no block waits for ever for a block that has not begun. machine_resident_threads()
 * returns the present number.
 */
void machine_set_resident_threads(unsigned threads);
unsigned machine_resident_threads(void);

/*
 * A sample of the program's work, for which later launches, blocks and steps are left out; 0 means no limit.
 * A thread ends where it reads data that the work left out might have changed.
 */
struct machine_sample {
    /* Number of blocks that are run of a larger grid, spread from the first block to the last; more are run
     * if these wait for others. Cooperative grids and grids with clusters are run whole. */
    unsigned blocks;
    unsigned launches;           /* number of launches with the same kernel, shape and arguments */
    unsigned launches_of_kernel; /* number of launches of a kernel */
    unsigned steps; /* a block, unless it is in a cluster, ends when its warps have made this number of steps
                     * on average */
};
void machine_set_sample(struct machine_sample sample);
/* Lets the first launch store here how many seconds of processor time the program has taken so far. */
void machine_note_first_launch(double *seconds);

#define MOST_SKIPPED 32

/* What was left out so far. */
struct machine_left_out {
    unsigned long long launches, of_launches; /* launches that were left out, and all launches */
    /* launches that were left out for others alike, or because the host had copied what is unknown */
    unsigned long long alike;
    unsigned long long blocks, of_blocks; /* blocks left out of grids, and all blocks of these grids */
    unsigned long long threads; /* threads that ended because of left-out work, or after their steps */
    unsigned long long cut;     /* blocks that ended after their steps */
    /* the first such block with its kernel, and a mark for its line, or ""; if `cut_may_wait`, the first that
     * may wait for ever, because it came back to places at which it had been */
    char cut_at[MOST_MARK + 128];
    bool cut_may_wait;
    char end[MOST_MARK]; /* a mark for the line at which the first such thread ended, or "" */
    /* the number of the host's call of CUDA after which the run was ended; 0 means that it was not ended */
    unsigned long long calls;
    /* Functions of closed libraries whose calls were skipped. The last place counts all functions that find
     * no free place. */
    unsigned skipped_count;
    struct machine_skipped {
        char name[96];
        unsigned long long calls;
    } skipped[MOST_SKIPPED];
};
const struct machine_left_out *machine_left_out_so_far(void);

/* Notes a call that is skipped, because the function's library comes compiled (tools/check/program.bash). The
 * function may have written any array of the device that exists now, so all of these count as written. */
void machine_skip_call(const char *name);

/* Sizes of all kernels so far: the largest grids, and the smallest number of blocks on a multiprocessor. */
struct machine_grids {
    unsigned blocks;      /* number of blocks in the largest grid */
    unsigned cooperative; /* number of blocks in the largest cooperative grid */
    unsigned per_sm;      /* blocks that a multiprocessor can hold of the kernel with the fewest */
};
struct machine_grids machine_grids_so_far(void);

/* A kernel that has run and did not overlap with other kernels. */
struct machine_launched {
    char name[128];
    unsigned blocks, threads;
    uint64_t units; /* time units that the kernel took, without its launch */
};
/* Operations of kernels so far whose time the machine does not know. */
struct machine_uses {
    bool async_copies;        /* cp.async, bulk copies, st.async */
    bool textures;            /* textures and surfaces */
    bool cluster_memory;      /* shared memory of another block of the cluster */
    bool managed_memory;      /* allocations of cudaMallocManaged(), and managed variables */
    uint64_t instructions;    /* number of instructions of the largest kernel, as the machine counts them */
    uint64_t allocated_bytes; /* size of all arrays of the devices that exist now */
};
struct machine_uses machine_used(void);

/* Sets the function that is called after each kernel that does not overlap with others; NULL sets none. */
void machine_watch_launches(void (*watcher)(const struct machine_launched *launched));

/* Sets the function that is called when the program asks for the time between two recorded events, with the
 * times of both in time units; NULL sets none. Streams with queues do not call it. */
void machine_watch_elapsed(void (*watcher)(uint64_t from, uint64_t to));

/*
 * Turns on the search for kernels that never end, in streams without queues. `suspected` is called with the
 * text of machine_deadlock_report() when a kernel waits in vain, unless an earlier one is suspected already.
 * `certain` is called if the host then waits for this kernel, and nothing has happened that could end it; it
 * must not return. Without this function, a deadlock is an error of CUDA. machine_program_ends() is called
 * when the program ends, which counts as such a wait.
 */
void machine_watch_hangs(void (*suspected)(const char *text), void (*certain)(void));
void machine_program_ends(void);

/* How many blocks of the first kernel in progress have ended. A signal handler may call machine_under_way(),
 * which returns false if no kernel is in progress. */
struct machine_way {
    char name[128];           /* the kernel's name */
    unsigned blocks, threads; /* the size of its grid, and of a block */
    unsigned begun, ended;    /* number of blocks that have begun, and that have ended */
    uint64_t units;           /* time units since it began */
};
bool machine_under_way(struct machine_way *out);

/* Returns the time units since the machine was installed. */
uint64_t machine_now(void);

const struct machine_counters *machine_get_counters(void);
void machine_reset_counters(void);

/* What happened between two __syncthreads of a launch with one block. machine_intervals() returns all such
 * intervals since machine_reset_counters(), in their order. */
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

/* Returns a text on the last deadlock: which blocks and threads wait where. It is empty if there was none. */
const char *machine_deadlock_report(void);

/* Returns what would mend the deadlock or the fault that has ended the run; "" if nothing is known of its
 * cause. That of a deadlock is only known after machine_explain_hangs(true), which lets the machine note what
 * it needs. */
#define MOST_HANG_MEND 4096
const char *machine_mend(void);
void machine_explain_hangs(bool explain);

/* Returns a text that says where the threads of the kernels in progress are now, or only where the running
 * thread is; "" if no kernel is in progress, or no thread runs. A signal handler passes the instruction that
 * the signal has interrupted. */
const char *machine_where(const void *interrupted, bool all);

/* Returns why the machine cannot run the program, with the program's line: an instruction of PTX or a library
 * that it does not have. Returns "" if it has met none so far. */
const char *machine_refusal(void);

/* Ends the process with EXIT_BAD_INPUT and this message, because the program has called a function of a
 * library that comes compiled (tools/check/program.bash). */
void machine_refuse_call(const char *why);

/* Where the host launched a kernel. machine_last_launch() returns the last launch, or the last launch that
 * failed. */
struct machine_launch_place {
    const char *kernel; /* the kernel's name; NULL if only its function is known */
    const void *at;     /* the return address of the launch; NULL if there was no launch */
};
struct machine_launch_place machine_last_launch(bool failed);

#ifdef __cplusplus
}
#endif

#endif
