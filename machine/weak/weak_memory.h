/*
 * Weak memory for the kernels of the machine: the accesses and fences of its lanes, each from its beginning
 * to its end. machine/weak/memory_model.h says what PTX allows an access to read, machine/weak/weak_policy.h
 * which of these values it gets.
 *
 * Each function is called before an access, without the value. So if a load is to see an older value, the
 * machine stores that value in memory, and restores the newest value when the lane stops next. It also reads
 * the value of a store from memory then. No other lane runs between two stops of a lane, so no other lane
 * sees the older value.
 *
 * Reads of a word that is accessed in different sizes get the newest value.
 */
#ifndef MACHINE_WEAK_MEMORY_H
#define MACHINE_WEAK_MEMORY_H

#include "machine/state.h"
#include "machine/weak/memory_model.h"

#include <stddef.h>

/*
 * Plain accesses of lanes to whole words that no other thread writes at the time: most accesses of most
 * kernels. weak_plain_begin() is called for an instruction, whose lanes access `bytes` bytes each, and then
 * weak_plain_load() or weak_plain_store() for each lane in turn. These return true if the access races with
 * no other and gets the newest values: the caller then reads or writes memory. If they return false, they
 * have done nothing, and the caller makes the access by weak_load() or weak_store().
 */
struct weak_plain {
    struct warp *warp;
    struct model_block *model;
    unsigned first;       /* number of lane 0's thread in its block */
    uint32_t first_named; /* the number by which cells name this thread: model_thread_number() + 1 */
    unsigned words;       /* number of words of an access; 0 if no access can be made in this way */
    uint32_t site;
    bool has_cache;
    /* the block's shared memory, and what is added to an address in its two parts to get a home (cells.h) */
    uintptr_t shared;
    size_t shared_bytes, static_bytes;
    uintptr_t to_home[2];
    struct model_known known;
};
void weak_plain_begin(struct weak_plain *plain, struct warp *warp, unsigned lane, size_t bytes,
                      const void *instruction);
bool weak_plain_load(struct weak_plain *plain, unsigned lane, uintptr_t address);
bool weak_plain_store(struct weak_plain *plain, unsigned lane, uintptr_t address);

/* ---- called by the running lane, on a weak machine only ---- */

void weak_load(uintptr_t address, size_t bytes, struct strength strength, const void *instruction);
void weak_store(uintptr_t address, size_t bytes, struct strength strength, const void *instruction);

/* weak_is_whole() returns whether a strong access of a vector with these bytes is made as one access, so that
 * no other access comes between its items. PTX makes each item an access of its own, but on every known GPU
 * an access of 8 or 16 aligned bytes is one access. Here it is not if an item was accessed alone before.
 * weak_is_of_items() is called after an access that was made as one, because its items may be accessed alone
 * later. */
bool weak_is_whole(uintptr_t address, size_t bytes);
void weak_is_of_items(uintptr_t address, size_t bytes);

/* weak_atomic_begins() is called before an atomic reads and writes memory, weak_atomic_ends() after it.
 * `wrote` is false for a compare-and-swap that did not write. */
void weak_atomic_begins(uintptr_t address, size_t bytes, struct strength strength, const void *instruction);
void weak_atomic_ends(bool wrote);

/* Notes that the running lane has passed a wait for the end of a phase with this parity at the mbarrier. */
void weak_wait_passed(uintptr_t mbarrier, unsigned parity, const void *instruction);

/* Completes the last access: called when a lane has stopped, or when a copy has made an access. */
void weak_access_ends(void);

/* Does a fence of the running lane, or the acquire part of an acquiring load. */
void weak_fence(struct strength strength);

#endif
