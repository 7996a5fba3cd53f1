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
};

/* Returns the result `name` (report/results.h), or NULL if the folder does not have it. It is closed by
 * sources_close. */
struct result *sources_result(struct sources *sources, const char *name);

void sources_close(struct sources *sources);

#endif
