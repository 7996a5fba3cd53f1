/* Where the blocks' shared memories are: each resident block has a part of one array. */
#ifndef MACHINE_SHARED_MEMORY_H
#define MACHINE_SHARED_MEMORY_H

#include "machine/state.h"

/* shared_memory_need() returns the bytes of shared memory of all of the kernel's blocks that can
 * be resident at once; shared_memory_most() returns the largest such number for any kernel. */
size_t shared_memory_need(const struct kernel *kernel);
size_t shared_memory_most(void);

/* Reserves this number of bytes. The part of each kernel begins at the kernel's first_shared. */
void shared_memory_open(size_t bytes);

/* Gives shared memory, all zero, to a block that begins. */
void shared_memory_give(struct block *block);

/* Fills the shared memory of a new block with this byte. */
void shared_memory_fill(struct block *block, unsigned char byte);

/* Is the address in shared memory, of any block? */
bool shared_memory_has(uintptr_t address);

/* Returns the block whose shared memory has the address as block `seeing` sees it: `seeing` itself, or
 * another block of its cluster. Returns NULL if that block has ended or never was. */
struct block *shared_memory_owner(struct block *seeing, uintptr_t address);

/* Is the address in the shared memory of another block, as the block sees it? */
bool shared_memory_is_of_other(const struct block *block, uintptr_t address);

/* Returns a number for the word of shared memory at the address as the block sees it. The number is the same
 * for all blocks of a cluster, and no other word has it. */
uintptr_t shared_memory_word(const struct block *block, uintptr_t address);

/* Returns the offset of an address in the shared memory of the block to which the address belongs. */
size_t shared_memory_offset(const struct block *block, uintptr_t address);

/* Returns the address of an offset as the block sees it. The offset may contain the rank of another block
 * of the cluster (shared_memory_offset_of_rank). If that block has ended, the address is one that no block
 * has. */
uintptr_t shared_memory_at(const struct block *block, size_t offset);
uint32_t shared_memory_offset_of_rank(uint32_t offset, unsigned rank);
bool shared_memory_is_nowhere(uintptr_t address);

#endif
