/*
 * Notes which bytes of device memory and of shared memory have been written, because a kernel may read no
 * others. New memory is filled with a pattern. Memory that no longer has the pattern counts as written, even
 * if the write was not noted: code that the machine does not see, such as a function of the C library, may
 * have made it.
 */
#ifndef MACHINE_WRITTEN_H
#define MACHINE_WRITTEN_H

#include "machine/state.h"

/* Does the machine note which bytes are written? Must be set before the first allocation and launch. */
extern bool written_is_noted;

/* Begins to note which bytes of an array of cudaMalloc() are written, and fills it. */
void written_begin_array(void *memory);

/* written_begin_block() does the same for the shared memory of a block that begins; written_end_block() must
 * be called when the block has ended. */
void written_begin_block(struct block *block);
void written_end_block(struct block *block);

/* Notes that these bytes are written. `block` is the block that writes them, or NULL for the host. */
void written_note(struct block *block, uintptr_t address, size_t bytes);

/* Returns whether none of these bytes, which the block reads, has been written. */
bool written_is_none(struct block *block, uintptr_t address, size_t bytes);

#endif
