/*
 * The places of the blocks' shared memories. Each resident block has its own dynamic shared memory.
 * __shared__ variables have one address for all blocks, so a block's variables are copied to that address
 * before the block uses them.
 */
#ifndef MACHINE_SHARED_MEMORY_H
#define MACHINE_SHARED_MEMORY_H

#include "machine/state.h"

/* The dynamic shared memory of all blocks of a kernel that can be resident; and the
 * largest for any kernel. */
size_t shared_memory_need(const struct kernel *kernel);
size_t shared_memory_most(void);

/* Makes room for this number of bytes; each kernel's part begins at its first_shared. */
void shared_memory_open(size_t bytes);

/* Gives a starting block its shared memories, all zero; takes them from a block that has ended. */
void shared_memory_give(struct block *block);
void shared_memory_take(struct block *block);

bool shared_memory_has(uintptr_t address);
size_t shared_memory_bytes(const struct kernel *kernel);                   /* of a block */
size_t shared_memory_offset(const struct block *block, uintptr_t address); /* in its block's */
uintptr_t shared_memory_at(const struct block *block, size_t offset);      /* the reverse */

/* To be called before these lanes execute the accesses that they requested. */
void shared_memory_install(const struct warp *warp, lane_set lanes);

#endif
