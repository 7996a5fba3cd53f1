/*
 * --early: a run that is one kernel of ours may begin while the run before ends, by programmatic dependent launch. Its
 * kernel is launched with programmatic = runs_begin_early(), and calls begin_early() before it touches memory.
 */
#ifndef HARNESS_EARLY_H
#define HARNESS_EARLY_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sweep;

bool runs_begin_early(void);

/* Does what the option says. Exits with EXIT_BAD_INPUT if the experiment has no such kernel, EXIT_CANNOT if the device
 * has no such launches. */
void choose_early(const struct sweep *s);

#ifdef __cplusplus
}
#endif

#endif
