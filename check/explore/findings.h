/* What all runs of a checked program found, for people and as JSON. */
#ifndef CHECK_FINDINGS_H
#define CHECK_FINDINGS_H

#include "check/explore/hang.h"
#include "check/explore/runs.h"

/* The runs that ended in one way. */
struct finding {
    unsigned runs;              /* number of runs that ended so */
    struct setting setting;     /* of the first run among them */
    struct run_outcome outcome; /* of the first run among them */
};

struct findings {
    const char *file;
    struct limits limits;
    unsigned runs, unchecked;              /* number of runs; number of those that RUN_UNCHECKED ended */
    unsigned of_memory[4], of_schedule[4]; /* number of runs with each memory, and with each schedule */
    unsigned long long steps, starts;      /* steps and started warps of the first run */
    /* The number of schedules that an exhaustive check has to try; 0 means that the runs are drawn. */
    unsigned long long delays;
    bool is_whole;          /* whether the exhaustive check tried all of them */
    struct hang_study hang; /* result of --hang */
    double seconds;         /* duration of all runs together */
    struct finding wrong, hung, faulted, crashed, too_long, too_large;
    struct finding unasked; /* runs in which a launch failed and the program did not ask */
};

void findings_add(struct findings *findings, const struct setting *setting,
                  const struct run_outcome *outcome);

/* How many runs hung, or did not end in time. */
unsigned findings_bad_ends(const struct findings *findings);

void findings_print(const struct findings *findings, FILE *file);

/* Writes schema gpusync-check/1 (docs/check.md). Exits with EXIT_BAD_INPUT if the file cannot be written. */
void findings_write(const struct findings *findings, const char *path);

/* The exit status: EXIT_DEADLOCK, EXIT_WRONG_RESULT or EXIT_VERIFIED. */
int findings_status(const struct findings *findings);

#endif
