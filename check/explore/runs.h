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

/* The setting in which a run differs from others. */
struct setting {
    unsigned number; /* number of the run, counted from 0 */
    enum machine_memory memory;
    enum machine_schedule schedule;
    unsigned delays;          /* number of delays that MACHINE_DELAYS places among `steps` */
    unsigned long long steps; /* steps that the plain schedule takes */
    enum machine_progress progress;
    /* The number, from 1, of the step after which its warp is held back; 0 means none. */
    unsigned long long held_step;
    unsigned long long held_warp; /* number, from 1, of the warp whose begin is held back; 0 means none */
    unsigned resident;            /* blocks that are resident at a time; 0 means as many as fit */
    bool slow_fences;
    bool lockstep; /* the lanes of a warp go together, as before Volta */
};

enum run_end {
    RUN_ENDED,     /* the program returned, or called exit() */
    RUN_HUNG,      /* a deadlock on the machine */
    RUN_FAULTED,   /* an access outside of memory */
    RUN_CRASHED,   /* a signal ended the program */
    RUN_TOO_LONG,  /* the run exceeded the limit of time */
    RUN_TOO_LARGE, /* the run exceeded the limit of memory */
    RUN_UNCHECKED  /* weak memory cannot run the program's kernels beside each other */
};

struct run_outcome {
    enum run_end end;
    int status;                /* the exit status, or the signal */
    unsigned long long steps;  /* number of steps of the run */
    unsigned long long starts; /* number of warps that began */
    struct machine_grids grids;
    /* What happened, if the run hung or faulted; a launch's error for which the program did not ask, if it
     * ended; or "". */
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
    double started; /* time by seconds_now() */
    FILE *record;   /* the outcome and the races, which the run writes */
    FILE *output;   /* what the program prints */
};

struct runs {
    struct limits limits;
    double until; /* the time by seconds_now() after which no run begins */
    int argc;
    char **argv; /* the program's arguments */
    struct checked_run *places;
    size_t count, busy; /* number of places, and of those with a run under way */
};

/* No run begins after `seconds`; each run has the limits. Call runs_end with the result. */
struct runs runs_begin(struct limits limits, double seconds, int argc, char **argv);
void runs_end(struct runs *runs);

/* Is a processor free, and is there time left? */
bool runs_have_room(const struct runs *runs);

/* Starts a run; call it only if there is room. */
void runs_start(struct runs *runs, struct setting setting);

/* Waits until a run ends, and adds its races to those of this process. Returns false if no run is under
 * way. */
bool runs_wait(struct runs *runs, struct setting *setting, struct run_outcome *outcome);

/* Seconds of a clock that never goes back. */
double seconds_now(void);

#endif
