#include "machine/engine/bags.h"
#include "base/memory.h"

#include <stddef.h>
#include <stdlib.h>

struct amount {
    unsigned key; /* the key plus 1; 0 if the entry is empty */
    uint64_t units;
};

struct bag {
    struct bag *before;
    unsigned owners;
    unsigned count, room; /* `room` is a power of two, or 0 */
    struct amount *amounts;
};

struct bag *bag_new(struct bag *before)
{
    struct bag *bag = allocate(sizeof *bag);
    *bag = (struct bag){.before = bag_own(before), .owners = 1};
    return bag;
}

static struct amount *place_of(const struct bag *bag, unsigned key)
{
    unsigned at = key * 0x9e3779b1u;
    while (bag->amounts[at & (bag->room - 1)].key && bag->amounts[at & (bag->room - 1)].key != key + 1)
        at++;
    return &bag->amounts[at & (bag->room - 1)];
}

static void grow(struct bag *bag)
{
    struct bag old = *bag;
    bag->room = old.room ? 2 * old.room : 8;
    bag->amounts = allocate(bag->room * sizeof *bag->amounts);
    for (unsigned i = 0; i < old.room; i++)
        if (old.amounts[i].key)
            *place_of(bag, old.amounts[i].key - 1) = old.amounts[i];
    free(old.amounts);
}

void bag_add(struct bag *bag, unsigned key, uint64_t units)
{
    if (2 * bag->count >= bag->room)
        grow(bag);
    struct amount *place = place_of(bag, key);
    bag->count += !place->key;
    place->key = key + 1;
    place->units += units;
}

/* Merges the bag with the bags before it that have no other owner, so that a loop over a barrier does not
 * make the list of bags longer in each iteration. Adds the smaller table to the larger one. */
static void unite(struct bag *bag)
{
    for (struct bag *before; (before = bag->before) && before->owners == 1;) {
        struct bag swapped = *bag;
        if (before->count > bag->count) {
            bag->count = before->count, bag->room = before->room, bag->amounts = before->amounts;
            before->count = swapped.count, before->room = swapped.room, before->amounts = swapped.amounts;
        }
        for (unsigned i = 0; i < before->room; i++)
            if (before->amounts[i].key)
                bag_add(bag, before->amounts[i].key - 1, before->amounts[i].units);
        bag->before = before->before;
        free(before->amounts);
        free(before);
    }
}

struct bag *bag_share(struct bag **bag)
{
    struct bag *shared = *bag;
    if (!shared->count && shared->before) { /* nothing has been added since the bag was last shared */
        unite(shared->before);
        return bag_own(shared->before);
    }
    unite(shared);
    *bag = bag_new(shared);
    return shared;
}

struct bag *bag_own(struct bag *bag)
{
    if (bag)
        bag->owners++;
    return bag;
}

void bag_disown(struct bag *bag)
{
    while (bag && !--bag->owners) {
        struct bag *before = bag->before;
        free(bag->amounts);
        free(bag);
        bag = before;
    }
}

void bag_each(const struct bag *bag, void (*add)(unsigned key, uint64_t units))
{
    for (; bag; bag = bag->before)
        for (unsigned i = 0; i < bag->room; i++)
            if (bag->amounts[i].key)
                add(bag->amounts[i].key - 1, bag->amounts[i].units);
}
