/* Keeps the accounts of machine/time_spent.h: adds up the spans of warps and of the critical path by their
 * key. A key consists of an instruction, a reason and, for waits, the instruction that ended the wait. */
#ifndef MACHINE_SPENT_H
#define MACHINE_SPENT_H

#include "machine/engine/bags.h"
#include "machine/state.h"
#include "machine/time_spent.h"

extern bool spent_is_noted;

/* Returns the key's number, which is the same in all launches. */
unsigned spent_key(const void *at, const void *whom, enum machine_reason reason);

/* Called when a run begins: sets all amounts to 0. */
void spent_begin(void);

/* Charges a span of the warp's own time. */
void spent_by_warp(const struct warp *warp, unsigned key, uint64_t from, uint64_t to);

/* Counts a warp that has ended. */
void spent_count_warp(void);

/* Stores the bag's amounts as the times of the kernel's critical path. */
void spent_set_path(const struct bag *bag);

#endif
