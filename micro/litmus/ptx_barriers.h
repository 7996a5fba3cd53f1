/* The threads that meet at the barriers of a path, once the barriers' ids are known */
#ifndef MICRO_PTX_BARRIERS_H
#define MICRO_PTX_BARRIERS_H

#include "micro/litmus/ptx_relation.h"

/*
 * Adds the order of the barriers to a copy of the relation (which need not be transitive), and calls the
 * function with the copy: once for each choice of the threads that open a barrier which opens before all have
 * arrived. A choice with which some thread waits for ever is omitted.
 */
void ptx_for_each_meeting(const struct ptx_path *path, const int *read_from, const struct ptx_relation *base,
                          void (*take)(const struct ptx_relation *base));

#endif
