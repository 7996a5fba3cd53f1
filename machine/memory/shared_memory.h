/*
 * The places of the blocks' shared memories. Each resident block has its own dynamic shared memory.
 * __shared__ variables have one address for all blocks, so a block's variables are copied to that address
 * before the block uses them.
 */
#ifndef MACHINE_SHARED_MEMORY_H
#define MACHINE_SHARED_MEMORY_H

#include "machine/state.h"

/* The bytes of dynamic shared memory of all blocks of this kernel that can be resident, and the largest
 * number of any kernel. */
size_t shared_memory_need(const struct kernel *kernel);
size_t shared_memory_most(void);

/* Makes room for this number of bytes of dynamic shared memory, and for this number of blocks at a time.
 * Each kernel's part of the bytes begins at its first_shared. */
void shared_memory_open(size_t bytes, size_t blocks);

/* Gives a starting block its shared memories, all zero; takes them from a block that has ended. */
void shared_memory_give(struct block *block);
void shared_memory_take(struct block *block);

/* Is it an address of shared memory, of any block? */
bool shared_memory_has(uintptr_t address);

/* The bytes of a block's shared memory, static and dynamic. */
size_t shared_memory_bytes(const struct kernel *kernel);

/* The block whose shared memory has the address, as the block `seeing` sees it: this block, or another one
 * of its cluster. Returns NULL if no block that is left has it. */
struct block *shared_memory_owner(struct block *seeing, uintptr_t address);
/* The offset of an address in the shared memory of the block that has it. */
size_t shared_memory_offset(const struct block *block, uintptr_t address);

/* The address of an offset, as the block sees it. The offset may name another block of the cluster by its
 * rank (shared_memory_offset_of_rank); if that block has ended, the address is nowhere: no block has it. */
uintptr_t shared_memory_at(const struct block *block, size_t offset);
uint32_t shared_memory_offset_of_rank(uint32_t offset, unsigned rank);
bool shared_memory_is_nowhere(uintptr_t address);

/* Copies the block's __shared__ variables to their place; called before these lanes execute the accesses
 * that they requested, or before an access to this address. */
void shared_memory_install(const struct warp *warp, lane_set lanes);
void shared_memory_install_at(struct block *block, uintptr_t address);

#endif
