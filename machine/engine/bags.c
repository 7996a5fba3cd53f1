#include "machine/engine/bags.h"
#include "base/map.h"
#include "base/memory.h"

#include <stddef.h>
#include <stdlib.h>

struct amount {
    unsigned key;
    uint64_t units;
};

struct bag {
    struct bag *before;
    unsigned owners;
    struct map amounts; /* a map of struct amount */
};

static struct bag *own(struct bag *bag)
{
    if (bag)
        bag->owners++;
    return bag;
}

struct bag *bag_new(struct bag *before)
{
    struct bag *bag = allocate(sizeof *bag);
    *bag = (struct bag){.before = own(before), .owners = 1, .amounts = MAP(struct amount, key)};
    return bag;
}

void bag_add(struct bag *bag, unsigned key, uint64_t units)
{
    struct amount *amount = map_get(&bag->amounts, &key);
    amount->units += units;
}

static void add_all(struct bag *bag, const struct map *amounts)
{
    const struct amount *amount = amounts->items;
    for (size_t i = 0; i < amounts->count; i++)
        bag_add(bag, amount[i].key, amount[i].units);
}

/* Merges the bag with the bags before it that have no other owner, so that a loop over a barrier does not
 * make the list of bags longer in each iteration. Adds the smaller table to the larger one. */
static void unite(struct bag *bag)
{
    for (struct bag *before; (before = bag->before) && before->owners == 1;) {
        struct map smaller = before->amounts;
        if (smaller.count > bag->amounts.count) {
            smaller = bag->amounts;
            bag->amounts = before->amounts;
        }
        add_all(bag, &smaller);
        map_end(&smaller);
        bag->before = before->before;
        free(before);
    }
}

struct bag *bag_share(struct bag **bag)
{
    struct bag *shared = *bag;
    if (!shared->amounts.count && shared->before) { /* nothing has been added since the bag was last shared */
        unite(shared->before);
        return own(shared->before);
    }
    unite(shared);
    *bag = bag_new(shared);
    return shared;
}

void bag_disown(struct bag *bag)
{
    while (bag && !--bag->owners) {
        struct bag *before = bag->before;
        map_end(&bag->amounts);
        free(bag);
        bag = before;
    }
}

void bag_each(const struct bag *bag, void (*add)(unsigned key, uint64_t units))
{
    for (; bag; bag = bag->before) {
        const struct amount *amount = bag->amounts.items;
        for (size_t i = 0; i < bag->amounts.count; i++)
            add(amount[i].key, amount[i].units);
    }
}
