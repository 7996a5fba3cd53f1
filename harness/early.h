/* The option --early: if a run is a single kernel of the suite, it may begin while the run before it ends, by
 * programmatic dependent launch. The experiment launches the kernel with programmatic = runs_begin_early(),
 * and the kernel calls begin_early() before it touches memory. */
#ifndef HARNESS_EARLY_H
#define HARNESS_EARLY_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

bool runs_begin_early(void);
void begin_runs_early(bool early);

#ifdef __cplusplus
}
#endif

#endif
