/*
 * Bags add up the time that was spent on each of several keys. When one warp waits for another, its critical
 * path continues the other warp's path, so both share a bag. A shared bag does not change any more; later
 * time goes into a new bag, which refers to the shared bag as its predecessor.
 */
#ifndef MACHINE_BAGS_H
#define MACHINE_BAGS_H

#include <stdint.h>

struct bag;

/* Returns a new bag with one owner. `before` is its predecessor, or NULL; the new bag becomes an owner of the
 * predecessor. */
struct bag *bag_new(struct bag *before);

/* Adds time units to a key of the bag. The caller must be the bag's only owner. */
void bag_add(struct bag *bag, unsigned key, uint64_t units);

/* Replaces *bag by a new bag whose predecessor is the old bag. Returns the old bag; the caller becomes one of
 * its owners. */
struct bag *bag_share(struct bag **bag);

/* Removes an owner of the bag, which may be NULL; a bag without owners is freed. */
void bag_disown(struct bag *bag);

/* Calls `add` for each key of the bag and of the bags before it. The same key may occur several times. */
void bag_each(const struct bag *bag, void (*add)(unsigned key, uint64_t units));

#endif
