/*
 * Bags of time: how much time was spent on each of several keys. Warps that go on from one moment of another
 * warp share its bag up to this moment, so a bag can have a bag before it, which never changes again.
 */
#ifndef MACHINE_BAGS_H
#define MACHINE_BAGS_H

#include <stdint.h>

struct bag;

/* Returns a new bag with one owner. `before` comes before it, and the bag becomes one of its owners; NULL
 * means none. */
struct bag *bag_new(struct bag *before);

/* Adds time units to a key of the bag, whose only owner calls. */
void bag_add(struct bag *bag, unsigned key, uint64_t units);

/* Puts a new bag after *bag into *bag, and returns the old one, which its caller now owns. */
struct bag *bag_share(struct bag **bag);

/* The caller is one more owner, or one less; the bag is freed without an owner. `bag` may be NULL. */
struct bag *bag_own(struct bag *bag);
void bag_disown(struct bag *bag);

/* Calls `add` for each key of the bag and of those before it; a key may come several times. */
void bag_each(const struct bag *bag, void (*add)(unsigned key, uint64_t units));

#endif
