/*
 * Runs the checked program many times, with one run at a time on each processor. A run calls the program's
 * main() in a process of its own, under one schedule and one memory mode, and has an outcome.
 */
#ifndef CHECK_RUNS_H
#define CHECK_RUNS_H

#include "machine/machine.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* the largest number of departures that --only can name */
#define MOST_KEPT 16

/* The setting of a run, which may differ from run to run: the schedule, the memory mode, and where warps
 * are delayed. */
struct setting {
    unsigned number; /* number of the run, counted from 0 */
    enum machine_memory memory;
    enum machine_schedule schedule;
    /* number of delays that the schedule MACHINE_DELAYS places among the first `steps` steps */
    unsigned delays;
    unsigned long long steps; /* number of steps of a run under the plain schedule */
    enum machine_progress progress;
    struct machine_hold holds[MOST_HOLDS]; /* where warps are held back */
    unsigned hold_count;
    unsigned long long hold_units; /* how long the first of these delays is, in time units */
    bool notes_places;             /* whether the run notes the places at which delays matter */
    /* largest number of blocks that are resident at a time; 0 means as many as fit */
    unsigned resident;
    /* number of resident threads with which the run begins (machine_set_resident_threads()) */
    unsigned resident_threads;
    bool slow_fences;
    /* whether the run computes what would order the accesses of its races, or would mend its hang; then it
     * takes several times as long and as much memory, and adds nothing else to what was found */
    bool cures;
    bool lockstep; /* whether the lanes of a warp advance together, as before Volta */
    /* Does the run only show whether a failure comes again? It adds nothing to what was found. */
    bool is_trial;
    bool notes_steps; /* for a trial: whether its outcome has the steps */
};

enum run_end {
    RUN_ENDED,      /* the program returned, or called exit() */
    RUN_HUNG,       /* the machine found a deadlock */
    RUN_FAULTED,    /* the program accessed or used memory in a wrong way (machine_check_bounds()) */
    RUN_BROKE_RULE, /* the program broke a rule and could not go on (machine_check_rules()) */
    RUN_CRASHED,    /* a signal ended the program */
    RUN_TOO_LONG,   /* the run exceeded the limit of time; this shows no mistake */
    RUN_REFUSED,    /* the machine does not have all of the program's PTX */
    RUN_TOO_LARGE,  /* the run exceeded the limit of memory; this shows no mistake either */
    RUN_ENDS
};

struct run_outcome {
    enum run_end end;
    int status;                /* the program's exit status, or the signal that ended it */
    unsigned long long steps;  /* number of steps of the run */
    unsigned long long starts; /* number of warps that began in the run */
    unsigned long long units;  /* time units that the run took */
    unsigned resident_threads; /* the number of resident threads that the program needed in the end */
    struct machine_grids grids;
    double seconds;             /* time that the run took, by checked_program_seconds() */
    uint32_t departures;        /* number of departures from the plain schedule */
    struct machine_step *trace; /* the steps of a trial, which free() frees, or NULL */
    size_t trace_count;
    double before; /* seconds of processor time until the first launch; 0 means that there was none */
    /* number of CUDA calls (machine_host_calls()) after which the host was computing, or in a short call,
     * when the run ended; 0 means that the call took long, or the host mostly waited */
    unsigned long long host_calls;
    bool is_short; /* had it been computing, or in the call, for a short time? */
    /* number of orders of accesses that no earlier run had shown (machine_orders_so_far()) */
    size_t new_orders;
    /* the reason why the run hung or faulted, with marks in place of lines (machine_mark_lines()), or how far
     * a run came that exceeded a limit. If the run ended by itself, the error of a failed launch for which
     * the program did not check, or "". */
    char text[6144];
    char
        mend[MOST_HANG_MEND]; /* what would mend a hang or a fault, with such marks; "" if nothing is known */
    /* where the threads were when the run was ended, or which kernel was launched last if the program ended
     * by itself, with marks in place of lines; "" if this is not known */
    char where[6144];
    char said[1024];     /* the last lines of the program's output */
    char complaint[256]; /* the first line of its output that says that something failed, or "" */
    struct machine_left_out left_out; /* what the sample left out */
    char unlaunched[256]; /* the kernels that a run did not launch although it came to its end, or "" */
    bool lacks_kernels;   /* did it come to its end, and the program has no kernel? */
};

struct limits {
    double seconds_of_run;     /* limit of checked_program_seconds() */
    double seconds_of_kernels; /* the same after the first launch; 0 means that there is none */
    size_t memory_bytes; /* bytes of memory that a run may use, and that runs side by side should fit into */
    const char *scratch; /* the only folder in which a run may change files (--sandbox), or NULL */
    struct machine_sample sample;
    unsigned gpus; /* number of devices that the program sees; 0 means 1 */
    /* If it is not NULL, the only departures from the plain schedule (machine_keep_departures()) */
    const uint32_t *kept;
    size_t kept_count;
    unsigned calls; /* the host's call of CUDA soon after which a run is ended; 0 means that none is */
};

struct checked_run {
    struct setting setting;
    pid_t process;  /* process of the run; 0 means that this slot has no run */
    double started; /* time by seconds_now() at which the run began */
    double seconds; /* checked_program_seconds() of the run when it was last checked */
    /* time (seconds_now()) at which the run got a signal because it had exceeded its limit; 0 means that it
     * got none */
    double late_at;
    bool is_large;        /* was this limit that of memory? */
    double *first_launch; /* where the run stores the time of its first launch; 0 means that there was none */
    /* file into which the run writes its outcome and its data races; NULL before the slot's first run */
    FILE *record;
    FILE *output; /* file with what the program prints */
};

struct runs {
    struct limits limits;
    double seconds; /* when runs_seconds() is more than this, no run begins */
    /* when runs_seconds() is more than this, the runs under way are ended, without outcomes; 0 means never */
    double abandon_at;
    double began;      /* time by seconds_now() */
    double own_before; /* processor time that this process had taken by then */
    double spent;      /* the runs' part of runs_seconds() */
    struct checked_run *places;
    size_t count, busy; /* number of slots for runs, and number of slots whose run is under way */
    size_t largest;     /* most bytes of memory that a run has used; 0 before the first run has ended */
    size_t ended;       /* number of runs that have ended */
    double told;        /* time by seconds_now() at which a terminal was last told of the progress, or 0 */
};

/* Do these limits say that a run is a sample? */
bool runs_are_limited(const struct limits *limits);
/* Did a sample leave out launches or blocks? Then the program's own result says nothing. */
bool runs_have_gaps(const struct machine_left_out *out);
/* Did the runs have gaps, or was the host ended? */
bool runs_are_samples(const struct machine_left_out *out);

/* Returns free slots for runs. No run will begin when `seconds` have been spent, and each run has these
 * limits. The caller frees the slots by runs_end(). */
struct runs runs_begin(struct limits limits, double seconds);
void runs_end(struct runs *runs);

/* Returns the seconds of processor time that have been spent. The time of runs in parallel is counted once,
 * so that on an idle computer the result is the time by the clock. As for a run, it is not less than a part
 * of that time. */
double runs_seconds(const struct runs *runs);

/* Returns whether time is up, so that no further run begins. */
bool runs_time_is_up(const struct runs *runs);

/* Returns the bytes of memory that the runs may take if the user does not say how much: a part of the
 * computer's. */
size_t runs_memory(void);

/* Returns how many runs go side by side: one for each processor, or as many as the limit of memory lets. */
size_t runs_side_by_side(const struct runs *runs);

/* Returns whether a slot is free for another run and there is still time to begin the run. */
bool runs_have_room(const struct runs *runs);

/* Starts a run with this setting. Call it only if runs_have_room(). */
void runs_start(struct runs *runs, struct setting setting);

/* Waits until a run ends, stores its setting and its outcome, and adds the data races that it found to this
 * process's races. Returns false if no run is under way. */
bool runs_wait(struct runs *runs, struct setting *setting, struct run_outcome *outcome);

#endif
