/* A sweep: what it measures, and its results so far. main.c fills in the struct from top to bottom: first the
 * options, then what choose.c chooses for the device, the head of the result file, and the points. */
#ifndef HARNESS_SWEEP_H
#define HARNESS_SWEEP_H

#include "harness/device.h"
#include "harness/experiment.h"
#include "harness/options.h"

#include <cjson/cJSON.h>

struct sweep {
    const struct experiment *experiment;
    int argc; /* number of words of the command line, which the result file quotes */
    char **argv;
    struct options options; /* the options of the command line, completed by choose.c */
    struct device device;
    const struct variant **variants; /* the variants that are measured */
    size_t variant_count;
    bool standard_blocks; /* --blocks was not given */
    int process; /* number of this process among the processes that share the samples, counted from 0 */
    bool is_last_process; /* this process is the last one and writes the result file */

    cJSON *header;     /* head of the result file: everything except what was measured */
    cJSON *points;     /* measured points */
    cJSON *references; /* times of the sequential reference, one entry for each size */
    cJSON *conditions; /* conditions before and after the sweep: clock rates, temperature, power */
    /* variants that are not measured, each with what it needs of a device or the reason why it failed */
    cJSON *skipped;
    bool wrong; /* an ordered variant had a wrong result */
};

/* Returns the number of threads of a block if the size decides it, or 0 if --threads decides it. */
static inline unsigned threads_by_size(const struct sweep *s, long long size)
{
    return s->experiment->launches.threads_of ? s->experiment->launches.threads_of(size) : 0;
}

/* Returns the number of blocks that the variant chooses for this size, or 0 if --blocks decides it. */
static inline unsigned own_blocks(const struct sweep *s, const struct variant *variant, long long size)
{
    const struct launches *launches = &s->experiment->launches;
    return launches->blocks_of ? launches->blocks_of(variant, size, s->device.sm_count) : 0;
}

#endif
