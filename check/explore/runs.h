/*
 * Runs of the checked program, as many at a time as there are processors. Each is the program's main() under
 * one schedule and one memory, in a process of its own, and has an outcome.
 */
#ifndef CHECK_RUNS_H
#define CHECK_RUNS_H

#include "machine/machine.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* What may differ from run to run: the schedule, the memory, and where warps are delayed. */
struct setting {
    unsigned number; /* number of the run, counted from 0 */
    enum machine_memory memory;
    enum machine_schedule schedule;
    unsigned delays;          /* number of delays that MACHINE_DELAYS places among `steps` */
    unsigned long long steps; /* number of steps of a run under the plain schedule */
    enum machine_progress progress;
    /* The number, from 1, of the step after which the step's warp is held back; 0 means no warp is. */
    unsigned long long held_step;
    unsigned long long held_warp; /* number, from 1, of the warp that begins late; 0 means none */
    unsigned resident;            /* most blocks that are resident at a time; 0 means as many as fit */
    bool slow_fences;
    bool lockstep; /* whether the lanes of a warp advance together, as before Volta */
};

enum run_end {
    RUN_ENDED,     /* the program returned, or called exit() */
    RUN_HUNG,      /* the machine found a deadlock */
    RUN_FAULTED,   /* the program accessed an address outside of all allocations */
    RUN_CRASHED,   /* a signal ended the program */
    RUN_TOO_LONG,  /* the run exceeded the limit of time */
    RUN_TOO_LARGE, /* the run exceeded the limit of memory */
    RUN_UNCHECKED  /* the program runs kernels side by side, which weak memory cannot run */
};

struct run_outcome {
    enum run_end end;
    int status;                /* the program's exit status, or the signal that ended it */
    unsigned long long steps;  /* number of steps of the run */
    unsigned long long starts; /* number of warps that began in the run */
    struct machine_grids grids;
    /* Says why the run hung or faulted. If the run ended, names a launch's error for which the program did
     * not ask, or is "". */
    char text[4096];
    char said[1024]; /* the last lines of the program's output */
};

struct limits {
    double seconds_of_run;
    size_t memory_bytes; /* bytes of memory that a run may take */
};

struct checked_run {
    struct setting setting;
    pid_t process;  /* the run's process; 0 means that this place is free */
    double started; /* the time when the run began, by seconds_now() */
    FILE *record;   /* file to which the run writes its outcome and its races */
    FILE *output;   /* file with what the program prints */
};

struct runs {
    struct limits limits;
    double until; /* the time by seconds_now() after which no run begins */
    int argc;
    char **argv; /* the program's arguments */
    struct checked_run *places;
    size_t count, busy; /* number of places for runs, and number of places with a run under way */
};

/* Prepares runs of main(argc, argv). No run begins later than `seconds` from now, and each run has the
 * limits. Give the result back by runs_end(). */
struct runs runs_begin(struct limits limits, double seconds, int argc, char **argv);
void runs_end(struct runs *runs);

/* Returns whether a processor is free for another run, and time is left to begin it. */
bool runs_have_room(const struct runs *runs);

/* Starts a run. The caller has made sure that runs_have_room(). */
void runs_start(struct runs *runs, struct setting setting);

/* Waits until a run ends, and adds its races to those of this process. Returns false if no run is under
 * way. */
bool runs_wait(struct runs *runs, struct setting *setting, struct run_outcome *outcome);

/* Returns the time in seconds of a clock that never goes back. */
double seconds_now(void);

#endif
