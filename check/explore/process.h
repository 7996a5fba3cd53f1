/*
 * One run of the checked program, in a process of its own: its main() under one schedule and one memory, and what came of
 * it.
 */
#ifndef CHECK_PROCESS_H
#define CHECK_PROCESS_H

#include "machine/machine.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* The program's own main, which has this name in its object file (scripts/gpusync-check). */
int gpusync_checked_main(int argc, char **argv);

#define STACK_OF_A_THREAD ((size_t)64 << 10) /* bytes: room for printf, too */

/* What differs between runs. */
struct setting {
    unsigned number;
    enum machine_memory memory;
    enum machine_schedule schedule;
    unsigned delays; /* of MACHINE_DELAYS, among so many steps */
    unsigned long long steps;
    enum machine_progress progress;
    unsigned long long held_step; /* of the plain schedule, or behind those a warp's begin; 0: none */
    unsigned resident;            /* blocks at a time; 0: as many as fit */
    bool slow_fences;
    bool lockstep; /* the lanes of a warp, as before Volta */
};

enum run_end {
    RUN_ENDED,   /* with a status */
    RUN_HUNG,    /* on the machine: a deadlock */
    RUN_FAULTED, /* an access outside of memory */
    RUN_CRASHED, /* by a signal */
    RUN_TOO_LONG,
    RUN_TOO_LARGE,
    RUN_UNCHECKED /* weak memory cannot run its kernels beside each other */
};

/* What happened is the text of RUN_HUNG and RUN_FAULTED; of others it is "", or a launch's error that was not asked. */
struct outcome {
    enum run_end end;
    int status;                       /* of exit, or the signal */
    unsigned long long steps, starts; /* that it took; warps that began */
    struct machine_grids grids;
    char text[4096];
};

struct checked_run {
    struct setting setting;
    pid_t process; /* 0: none */
    double started;
    FILE *said;   /* the outcome's text and the races, by the run itself */
    FILE *output; /* of the program */
};

struct limits {
    double seconds_of_run;
    size_t memory_bytes;
};

/* Starts it with these arguments of the program. */
void process_start(struct checked_run *run, struct setting setting, int argc, char **argv);

/* Waits for a process of one of these; adds its races to this process's. Returns the run, whose process is then 0. */
struct checked_run *process_wait(struct checked_run *runs, size_t count, const struct limits *limits,
                                 struct outcome *outcome);

/* Its output stays open until then. */
void process_close(struct checked_run *run);

double seconds_now(void);

#endif
