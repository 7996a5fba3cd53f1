/* What all runs of a checked program found, for people and as JSON. */
#ifndef CHECK_REPORT_H
#define CHECK_REPORT_H

#include "check/explore/process.h"

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
    unsigned long long steps; /* of the first run */
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
