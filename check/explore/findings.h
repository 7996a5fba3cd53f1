/* What all runs of a checked program found, for people and as JSON. */
#ifndef CHECK_FINDINGS_H
#define CHECK_FINDINGS_H

#include "check/explore/hang.h"
#include "check/explore/runs.h"

/* The runs that ended in one way. */
struct finding {
    unsigned runs;              /* number of runs that ended in this way */
    struct setting setting;     /* setting of the first of these runs */
    struct run_outcome outcome; /* outcome of the first of these runs */
};

struct findings {
    const char *file;
    struct limits limits;
    /* number of all runs, and of those that ended with RUN_UNCHECKED */
    unsigned runs, unchecked;
    unsigned of_memory[4], of_schedule[4]; /* number of runs under each memory, and under each schedule */
    unsigned long long steps, starts;      /* number of steps and of started warps in the first run */
    /* The number of schedules that an exhaustive check has to try; 0 means that the check draws its
     * schedules. */
    unsigned long long delays;
    bool is_whole;          /* whether the exhaustive check tried all schedules */
    struct hang_study hang; /* result of --hang */
    double seconds;         /* wall-clock time of the whole check */
    struct finding wrong, hung, faulted, crashed, too_long, too_large;
    struct finding unasked; /* runs in which a launch failed, and the program did not ask for its error */
};

void findings_add(struct findings *findings, const struct setting *setting,
                  const struct run_outcome *outcome);

/* Returns the number of runs that hung or did not end in time. */
unsigned findings_bad_ends(const struct findings *findings);

void findings_print(const struct findings *findings, FILE *file);

/* Writes schema gpusync-check/1 (docs/check.md). Exits with EXIT_BAD_INPUT if the file cannot be written. */
void findings_write(const struct findings *findings, const char *path);

/* The exit status: EXIT_DEADLOCK, EXIT_WRONG_RESULT or EXIT_VERIFIED. */
int findings_status(const struct findings *findings);

#endif
