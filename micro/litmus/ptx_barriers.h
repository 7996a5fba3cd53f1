/* Computes the order that barriers establish on a path whose barrier ids are known. */
#ifndef MICRO_PTX_BARRIERS_H
#define MICRO_PTX_BARRIERS_H

#include "micro/litmus/ptx_relation.h"

/*
 * Calls `take` with copies of the relation `base` (which need not be transitive) to which the order of the
 * barriers was added. If a barrier opens before all threads have arrived, there is one call for each choice
 * of the threads that open it. A choice with which some thread waits for ever is omitted.
 */
void ptx_for_each_meeting(const struct ptx_path *path, const int *read_from, const struct ptx_relation *base,
                          void (*take)(const struct ptx_relation *base));

#endif
