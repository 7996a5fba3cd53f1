/* What all runs of a checked program found, for people and as JSON. */
#ifndef CHECK_REPORT_H
#define CHECK_REPORT_H

#include "check/explore/process.h"

/* Under which models of progress the program ends (check/explore/hang.h). */
struct progress_runs {
    unsigned runs, hung;
    char text[512]; /* of the first that hung */
};
#define PROGRESS_MODELS 6 /* enum machine_progress, and fair with lanes in lockstep */
struct hang_study {
    bool is_there;
    struct progress_runs of[PROGRESS_MODELS];
    const char *weakest; /* models under which it ends, or "none" */
    struct machine_grids grids;
    unsigned resident; /* so many of its blocks at a time are enough; 0: not known */
};

/* Of one kind of end: in how many runs, and the first of them. */
struct finding {
    unsigned runs;
    struct setting setting;
    struct outcome outcome;
    char said[1024]; /* the last lines of the program's output */
};

struct findings {
    const char *file;
    struct limits limits;
    unsigned runs, unchecked, of_memory[4], of_schedule[4];
    unsigned long long steps, starts; /* of the first run */
    unsigned long long delays;        /* that an exhaustive check has to try; 0: it is none */
    bool is_whole;                    /* it tried them all */
    struct hang_study hang;           /* if it was asked for */
    double seconds;
    struct finding wrong, hung, faulted, crashed, too_long, too_large,
        unasked; /* unasked: a launch's error */
};

void findings_add(struct findings *findings, const struct checked_run *run, const struct outcome *outcome);
/* How many runs hung, or did not end in time. */
unsigned findings_bad_ends(const struct findings *findings);

void findings_print(const struct findings *findings, FILE *file);

/* Schema gpusync-check/1 (docs/check.md). Exits with EXIT_BAD_INPUT if it cannot be written. */
void findings_write(const struct findings *findings, const char *path);

/* EXIT_DEADLOCK, EXIT_WRONG_RESULT or EXIT_VERIFIED. */
int findings_status(const struct findings *findings);

#endif
