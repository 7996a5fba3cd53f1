/* Who meets at the barriers of a path, once it is known which ids they have. */
#ifndef MICRO_PTX_BARRIERS_H
#define MICRO_PTX_BARRIERS_H

#include "micro/litmus/ptx_relation.h"

/*
 * Adds to a copy of the relation (which need not be transitive) what the barriers order, and calls the
 * function with it: once for each choice of which threads open the barriers that open before all have come.
 * Does not call it for a choice with which some thread waits for ever.
 */
void ptx_for_each_meeting(const struct ptx_path *path, const int *read_from, const struct ptx_relation *base,
                          void (*take)(const struct ptx_relation *base));

#endif
