/* Makes the JSON of a result file: its head, which is everything except what was measured, and the whole
 * file. */
#ifndef HARNESS_DESCRIBE_H
#define HARNESS_DESCRIBE_H

#include "harness/sweep.h"

/* Returns the head of the result file: schema, revision, device, host and parameters. A journal begins with
 * it, too, so it must not differ between two runs of the same command. */
cJSON *describe_sweep(const struct sweep *sweep);

/* Returns the whole result of a measured sweep as JSON. The sweep's header, points and other results are
 * moved into it and no longer belong to the sweep. */
cJSON *describe_result(struct sweep *sweep);

#endif
