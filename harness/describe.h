/* The result file as JSON: its head, and the whole. */
#ifndef HARNESS_DESCRIBE_H
#define HARNESS_DESCRIBE_H

#include "harness/sweep.h"

/* The head: schema, revision, device, host and parameters. A journal has it, too, so it must not differ
 * between two runs of the same command. */
cJSON *describe_sweep(const struct sweep *sweep);

/* The result of a sweep that is measured. Takes the parts of it out of the sweep. */
cJSON *describe_result(struct sweep *sweep);

#endif
