/*
 * Where the shared memories of the blocks live. Dynamic shared memory: each resident block has its
 * own. __shared__ variables have one address for all blocks, so a block's are put in place before
 * it uses them.
 */
#ifndef MACHINE_SHARED_MEMORY_H
#define MACHINE_SHARED_MEMORY_H

#include "machine/state.h"

/* The dynamic shared memory of all blocks of a kernel that can be resident; of any kernel at all. */
size_t shared_memory_need(const struct kernel *kernel);
size_t shared_memory_most(void);

/* Makes room for so many bytes of it; kernels begin in there at their first_shared. */
void shared_memory_open(size_t bytes);

/* Gives a block that starts its shared memories, all zero; takes them from one that has ended. */
void shared_memory_give(struct block *block);
void shared_memory_take(struct block *block);

bool shared_memory_has(uintptr_t address);
size_t shared_memory_bytes(const struct kernel *kernel);                   /* of a block */
size_t shared_memory_offset(const struct block *block, uintptr_t address); /* in its block's */

/* Before these lanes access what they asked for. */
void shared_memory_install(const struct warp *warp, lane_set lanes);

#endif
