/* The findings of all runs of a checked program, with functions that print them and write them as JSON. */
#ifndef CHECK_FINDINGS_H
#define CHECK_FINDINGS_H

#include "tools/check/explore/reports.h"
#include "tools/check/explore/hang.h"
#include "tools/check/explore/runs.h"

/* All runs that ended in the same way, for example in a deadlock. */
struct finding {
    unsigned runs;              /* number of runs that ended in this way */
    struct setting setting;     /* setting of the first of these runs */
    struct run_outcome outcome; /* outcome of the first of these runs */
};

struct findings {
    const char *file;
    struct limits limits;
    unsigned runs; /* number of all runs */
    /* number of runs under each memory mode, and number of runs under each schedule */
    unsigned of_memory[4], of_schedule[4];
    unsigned long long steps, starts; /* number of steps and of started warps in the first run */
    /* what the first run's sample left out, and whether the tool chose to take a sample */
    struct machine_left_out left_out;
    bool chose_sample;
    bool lacks_seconds; /* was the first run given less time than --timeout, to keep --seconds? */
    /* where the host was when the sample ended it, with marks in place of lines; "" if it was not ended */
    char host_end[6144];
    char unlaunched[256];     /* the kernels that the first run did not launch, or "" */
    bool lacks_kernels;       /* has the program no kernel? */
    struct coverage coverage; /* which schedules and orders of accesses the runs have covered */
    struct hang_study hang;   /* result of --hang */
    double seconds;           /* wall-clock time of the whole check, in seconds */
    /* the runs that ended in each way; for RUN_ENDED, only the runs with another status than 0 */
    struct finding of[RUN_ENDS];
    struct setting *racy; /* the settings of the runs that found races first */
    size_t racy_count;
    /* runs in which a launch failed and the program did not check for the error */
    struct finding unasked;
    /* the program said that something failed, and ended with status 0 */
    struct finding complaint;
};

void findings_add(struct findings *findings, const struct setting *setting,
                  const struct run_outcome *outcome);

/* Returns the number of runs that ended in a deadlock or exceeded a limit. */
unsigned findings_bad_ends(const struct findings *findings);

/* Returns in how many ways runs have ended that show a mistake. */
unsigned findings_ends(const struct findings *findings);

/* Returns whether the runs so far have shown a mistake, suppressed or not. */
bool findings_are_there(const struct findings *findings);

/* Makes the reports of what was found (tools/check/explore/reports.h). Called once, after all runs. */
void findings_collect(const struct findings *findings);

/* Prints what was found. `as_compilers` means that a report begins with "FILE:LINE: error:". */
void findings_print(const struct findings *findings, bool as_compilers, FILE *file);

/* Writes schema gpusync-check/1 (docs/check.md). Exits with EXIT_BAD_INPUT if the file cannot be written. */
void findings_write(const struct findings *findings, const char *path);

/* Returns the exit status of the check: EXIT_DEADLOCK, EXIT_WRONG_RESULT, EXIT_VERIFIED; EXIT_UNFINISHED
 * if nothing else was found and a run exceeded a limit or too few runs fitted into the time; or
 * EXIT_BAD_INPUT if the program launched no kernel. */
int findings_status(const struct findings *findings);

#endif
