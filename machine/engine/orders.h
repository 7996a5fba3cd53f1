/* Notes in which order the warps of a kernel access a place in memory, and where a delay can change such an
 * order (machine_note_orders() in machine/machine.h). */
#ifndef MACHINE_ORDERS_H
#define MACHINE_ORDERS_H

#include "machine/state.h"

extern bool orders_are_noted;

/* Called before these lanes make the accesses that they have stopped at. */
void orders_access(struct warp *warp, lane_set lanes);

/* Called when the group is dispatched, before the dispatch is counted as a step of its warp. */
void orders_dispatch(struct warp *warp, const struct group *group);

/* Called before a copy that this thread of the block has issued reads or writes a word. `calls` led to the
 * instruction that issued it. */
void orders_copy(struct block *block, unsigned thread, uint32_t calls, const void *instruction,
                 uintptr_t address, size_t bytes, bool writes);

#endif
