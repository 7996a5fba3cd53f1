/*
 * The reports of a check: one for each mistake and pair of source lines, the most telling of them first, with
 * lines in place of the machine's marks, and without those that the user has suppressed.
 */
#ifndef CHECK_REPORTS_H
#define CHECK_REPORTS_H

#include "check/frames.h"
#include "check/explore/runs.h"
#include "check/explore/suppressions.h"
#include "machine/machine.h"

/* A report names at most this number of different lines with their calls. */
#define MOST_TRAILS 16

struct report {
    const char *kind; /* "race", for example; see docs/check.md */
    bool is_note;     /* does the report not count as a mistake? */
    char *what;       /* a sentence with lines */
    char *mend;       /* what would order the accesses of a race; NULL in other reports */
    char *said;       /* the last lines of the program's output, or NULL */
    /* the lines that the sentence names, in their order; the first one is the report's own */
    const struct trail *trails[MOST_TRAILS];
    unsigned trail_count;
    struct machine_race *race; /* the race, or NULL */
    int rule;                  /* the number of the rule, or -1 */
    /* number of times that it happened; for what happens at most once in a run, the number of runs */
    unsigned long long times;
    /* the setting of the first run that had it, for what happens at most once in a run; otherwise NULL */
    const struct setting *setting;
    unsigned run; /* number of the first run that had it */
    /* how many more reports of the same lines there were, which this one stands for */
    unsigned more;
    const char *kernel;                      /* the kernel's name, or "" */
    const struct suppression *suppressed_by; /* NULL if the report is not suppressed */
};

/* Collects the reports of all races and rules that machine_add_races() and machine_add_rules() have added. */
void reports_collect(void);

/* Adds a report of another kind, whose text has marks; `kernel` may be "". Returns the report, which is valid
 * until the next call. */
struct report *reports_add(const char *kind, const char *text, const char *kernel);

/* Finds out which reports are suppressed. Called once, after all have been added. */
void reports_suppress(void);

size_t reports_count(void);
const struct report *reports_at(size_t number);

/* Returns the number of reports that are mistakes, of this kind or, if `kind` is NULL, of any. */
size_t reports_of(const char *kind);

/* Returns whether a report is suppressed. */
bool reports_suppressed(void);

#endif
