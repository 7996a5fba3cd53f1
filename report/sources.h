/* The results of one folder that formulas have asked for. */
#ifndef REPORT_SOURCES_H
#define REPORT_SOURCES_H

#include "report/results.h"

/* Each result is read once. Begin with {.folder = ...} and end with sources_close. */
#define MOST_SOURCES 64
struct sources {
    const char *folder;
    const cJSON *point; /* what time(), operation() and member() refer to, or NULL if there is none */
    const struct result *result; /* the result that `point` is in */
    struct source {
        char name[64];
        struct result *result; /* NULL if the folder does not have it */
    } of[MOST_SOURCES];
    size_t count;
};

/* The result `name` (report/results.h), or NULL if the folder does not have it. It belongs to `sources`. */
struct result *sources_result(struct sources *sources, const char *name);

void sources_close(struct sources *sources);

#endif
