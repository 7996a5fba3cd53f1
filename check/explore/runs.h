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

/* How a run differs from others. */
struct setting {
    unsigned number; /* of the run, counted from 0 */
    enum machine_memory memory;
    enum machine_schedule schedule;
    unsigned delays;          /* how many delays MACHINE_DELAYS places among `steps` */
    unsigned long long steps; /* of the program under the plain schedule */
    enum machine_progress progress;
    unsigned long long
        held_step; /* the step, counted from 1, after which its warp is held back; 0 means none */
    unsigned long long held_warp; /* the warp, in order of beginning from 1, that begins late; 0 means none */
    unsigned resident;            /* how many blocks are resident at a time; 0 means as many as fit */
    bool slow_fences;
    bool lockstep; /* the lanes of a warp go together, as before Volta */
};

enum run_end {
    RUN_ENDED,   /* with an exit status */
    RUN_HUNG,    /* a deadlock on the machine */
    RUN_FAULTED, /* an access outside of memory */
    RUN_CRASHED, /* by a signal */
    RUN_TOO_LONG,
    RUN_TOO_LARGE,
    RUN_UNCHECKED /* weak memory cannot run the program's kernels beside each other */
};

struct run_outcome {
    enum run_end end;
    int status;                /* the exit status, or the signal */
    unsigned long long steps;  /* how many steps the run took */
    unsigned long long starts; /* how many warps began */
    struct machine_grids grids;
    /* What happened, if the run hung or faulted; a launch's error for which the program did not ask, if it
     * ended; or "". */
    char text[4096];
    char said[1024]; /* the last lines of the program's output */
};

struct limits {
    double seconds_of_run;
    size_t memory_bytes; /* of a run */
};

struct checked_run {
    struct setting setting;
    pid_t process; /* 0 means that this place is free */
    double started;
    FILE *record; /* the outcome and the races, which the run writes */
    FILE *output; /* of the program */
};

struct runs {
    struct limits limits;
    double until; /* no run begins after this time of seconds_now() */
    int argc;
    char **argv; /* of the program */
    struct checked_run *places;
    size_t count, busy; /* places; those with a run */
};

/* `seconds` are for all runs together, `limits` for each. To be given to runs_end. */
struct runs runs_begin(struct limits limits, double seconds, int argc, char **argv);
void runs_end(struct runs *runs);

/* Is a processor free, and is there time left? */
bool runs_have_room(const struct runs *runs);

/* Starts a run; call it only if there is room. */
void runs_start(struct runs *runs, struct setting setting);

/* Waits until one of the runs ends; adds its races to this process's. Returns false if none is under way. */
bool runs_wait(struct runs *runs, struct setting *setting, struct run_outcome *outcome);

double seconds_now(void);

#endif
