/*
 * Weak memory for the kernels of the machine (machine/memory_model.h says what PTX allows): which
 * of the messages that it may read an access gets.
 *
 * The hooks come before an access and do not carry its value. So a load that is to see an older
 * value finds it planted in memory, and the newest is put back when the lane stops next; what a
 * store wrote is read back there too. No lane runs between two stops of another, so nobody else
 * sees the planted value.
 *
 * Each word of memory that a kernel writes has a cell of 12 bytes: its newest write and the value
 * before it. A word that strong accesses use gets a history; one that is written in parts, a cell a
 * byte. Where a word is accessed in different sizes, reads get the newest value.
 */
#ifndef MACHINE_WEAK_MEMORY_H
#define MACHINE_WEAK_MEMORY_H

#include "machine/memory_model.h"
#include "machine/state.h"

/* Before and after a launch and a block's life; nothing on a coherent machine. */
void weak_launch_begins(void);
void weak_launch_ends(void);
void weak_block_begins(struct block *block);
void weak_block_ends(struct block *block);

/* ---- in the running lane, whose turn it is; on a weak machine only ---- */

/* To be called whenever the lane stops: the access that it did last is complete. */
void weak_finish_access(void);

void weak_load(uintptr_t address, size_t bytes, struct strength strength, const void *instruction);
void weak_store(uintptr_t address, size_t bytes, struct strength strength, const void *instruction);

/* Around an atomic's reading and writing of memory; `wrote`: a compare-and-swap may not. */
void weak_atomic_begins(uintptr_t address, size_t bytes, struct strength strength, const void *instruction);
void weak_atomic_ends(bool wrote);

/* A fence, and the acquire that follows a load that has one. */
void weak_fence(struct strength strength);

/* ---- from the scheduler, with the lanes at rest ---- */

void weak_arrive_at_block_barrier(struct warp *warp, lane_set lanes);
void weak_open_block_barrier(struct block *block);
void weak_arrive_at_named_barrier(struct warp *warp, lane_set lanes, unsigned barrier);
void weak_open_named_barrier(struct block *block, unsigned barrier);
void weak_warp_barrier(struct warp *warp, lane_set lanes);

#endif
