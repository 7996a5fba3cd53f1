/* Opens the results of one folder when a formula first needs them. */
#ifndef REPORT_SOURCES_H
#define REPORT_SOURCES_H

#include "report/results.h"

/* largest number of results in a struct sources, which begins as {.folder = ...} and ends with
 * sources_close */
#define MOST_SOURCES 64
struct sources {
    const char *folder;
    /* the point that the formula functions time(), operation() and member() read, or NULL */
    const cJSON *point;
    const struct result *result; /* the result to which `point` belongs */
    struct source {
        char name[64];
        /* the result after it has been opened, or NULL if the folder does not have it */
        struct result *result;
    } of[MOST_SOURCES];
    size_t count;
    /* set by sources_note_reads(): `reads` has the points that formulas have read since then, for notes and
     * for draws */
    bool notes;
    struct read {
        const struct result *result;
        const cJSON *point;
        /* the point is one of several, with different numbers of blocks or sizes, that the formula
         * compares */
        bool searched;
    } * reads;
    size_t read_count;
};

/* Returns the result `name` (report/results.h), or NULL if the folder does not have it. It is closed by
 * sources_close. */
struct result *sources_result(struct sources *sources, const char *name);

/* Notes that a formula read the point, which may be NULL, if points are to be noted. */
void sources_note(struct sources *sources, const struct result *result, const cJSON *point, bool searched);

/* Forgets all points that were noted, and notes those that formulas read from here on. */
void sources_note_reads(struct sources *sources);

void sources_close(struct sources *sources);

#endif
