/* Runs of the checked program, as many at a time as there are processors. */
#ifndef CHECK_BATCH_H
#define CHECK_BATCH_H

#include "check/explore/process.h"

struct batch {
    struct limits limits;
    double until; /* seconds_now(): none begins later */
    int argc;
    char **argv;
    void *owner;
    bool (*next)(void *owner, struct setting *setting); /* false: there is no more */
    void (*ended)(void *owner, const struct checked_run *run, const struct outcome *outcome);
};

/* Returns false if time was up before there were no more. */
bool batch_run(const struct batch *batch);

#endif
