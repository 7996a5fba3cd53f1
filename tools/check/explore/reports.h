/*
 * The reports of a check: one for each mistake and pair of source lines, the most helpful ones first. They
 * contain source lines in place of the machine's marks. Reports that the user has suppressed are left out.
 * The last part describes which schedules and orders the runs have covered.
 */
#ifndef CHECK_REPORTS_H
#define CHECK_REPORTS_H

#include "tools/check/explore/runs.h"
#include "tools/check/explore/suppressions.h"
#include "tools/check/frames.h"
#include "machine/machine.h"

#include <cjson/cJSON.h>

#include <stdbool.h>
#include <stdio.h>

/* A report names at most this number of different lines with their calls. */
#define MOST_TRAILS 16

/* The lines of two accesses in the innermost function of the user that contains both: the line of the access,
 * or of the call that leads to it. */
struct gap {
    struct source *source;
    const struct source_function *function;
    unsigned first, second;  /* the lower and the higher line */
    bool goes_on, goes_back; /* has the first access come at the lower line, and at the higher one? */
    bool both_write;         /* was it a race of two writes, too? */
    enum race_span span;
};

/* How a run that failed is repeated with few departures from the plain schedule, and the steps that matter
 * (tools/check/explore/shorten.h). */
#define MOST_STEPS_TOLD 8
struct short_schedule {
    char only[16 * MOST_KEPT]; /* the value of --only that repeats the run: "14:5,17" */
    /* what would mend a strong read of an older value, of whose newer one the thread has been told; "" if no
     * step is such a read */
    char mend[768];
    unsigned kept, departures; /* number of departures that it needs, and that the first failed run made */
    struct told_step {
        char *what;
        const struct trail *trail;
    } steps[MOST_STEPS_TOLD];
    unsigned step_count;
};

struct report {
    const char *kind; /* "race", for example; see docs/check.md */
    bool is_note;     /* does the report not count as a mistake? */
    char *what;       /* the report's sentence, which contains source lines */
    char *mend;       /* text that says what would mend a race or a broken rule; NULL if there is none */
    char *place;      /* the memory that was read although nobody has written it; otherwise NULL */
    char *said;       /* the last lines of the program's output, or NULL */
    /* the lines that the sentence names, in this order; the report belongs to the first one */
    const struct trail *trails[MOST_TRAILS];
    unsigned trail_count;
    struct machine_race *race; /* the race, or NULL */
    size_t race_number;        /* the number of a race that run `run` had */
    int rule;                  /* the number of the rule, or -1 */
    /* number of times that the mistake happened; for a mistake that ends a run, the number of runs */
    unsigned long long times;
    unsigned runs; /* number of runs with a mistake that is no race */
    /* setting of the first run with a mistake that ends a run; NULL for other mistakes */
    const struct setting *setting;
    unsigned run;                          /* number of the first run with the mistake */
    const struct short_schedule *schedule; /* NULL if there is none */
    /* number of further reports of the same lines that are counted in this report */
    unsigned more;
    const char *kernel; /* the kernel's name, or "" */
    /* May the race be a consequence of what a thread read from memory that nobody has written? */
    bool follows_unwritten;
    struct gap *gaps; /* lines between which nothing orders the accesses of the races that it stands for */
    size_t gap_count;
    /* Number of the report that is printed for this report and names its lines: its own number, or the number
     * of a race that the same order would remove. `others` is the number of further reports for which this
     * one is printed. */
    size_t finding, others;
    /* the suppression that matches the report, or NULL if none does */
    const struct suppression *suppressed_by;
};

/* Collects the reports of all races and rules that machine_add_races() and machine_add_rules() have added.
 * `runs` is the number of all runs. */
void reports_collect(unsigned runs);

/* Notes in a report whether its mistake may be a consequence of a race. */
void reports_note_consequence(struct report *report, unsigned runs);

/* Adds a report, whose text has marks. Returns the report, which is valid until the next call. */
struct report *reports_add(const char *kind, const char *text);

/* Removes " (allocated at FILE:LINE)" from a text whose marks are expanded. */
void reports_drop_allocations(char *text);

/* Marks the suppressed reports. Called once, after all reports have been added. */
void reports_suppress(void);

void reports_give_schedule(size_t number, const struct short_schedule *schedule);

size_t reports_count(void);
const struct report *reports_at(size_t number);

/* Returns the number of mistakes among the reports of this kind, or of all kinds if `kind` is NULL. */
size_t reports_of(const char *kind);

/* Returns whether a report is suppressed. */
bool reports_suppressed(void);

/* What the runs of a check have covered. */

/* A sweep: all schedules with a certain number of delays. */
struct sweep {
    unsigned delays;
    /* number of schedules, and step from one run's schedule to the next run's */
    unsigned long long schedules, jump;
    unsigned long long runs; /* number of runs made so far */
    bool is_whole;           /* whether each schedule was run in all memory modes */
};

/* number of combinations of memory mode and kind of schedule among the drawn runs; a check with fewer runs
 * gives no verdict */
#define COMBINATIONS 12

struct coverage {
    struct sweep sweeps[MOST_HOLDS];
    unsigned sweep_count;
    size_t places;       /* number of places at which the sweeps hold warps back */
    bool few;            /* whether the time ran out before there were enough runs for a verdict */
    bool is_out_of_time; /* whether more time would make more runs */
    double run_seconds;  /* average time of a run */
};

/* Prints a line: the steps of the first run, the pairs of accesses seen in both orders, and the sweeps. */
void coverage_print(const struct coverage *coverage, unsigned long long steps, FILE *file);
cJSON *coverage_json(const struct coverage *coverage);

#endif
