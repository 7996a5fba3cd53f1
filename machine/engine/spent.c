#include "machine/engine/spent.h"
#include "base/map.h"

bool spent_is_noted;

static void (*watch)(const struct machine_span *span);
static struct map accounts = MAP(struct machine_spent, reason);
static uint64_t warp_count;

void machine_note_spent(bool note, void (*watcher)(const struct machine_span *span))
{
    spent_is_noted = note;
    watch = watcher;
}

static struct machine_spent *account(size_t number)
{
    return (struct machine_spent *)accounts.items + number;
}

unsigned spent_key(const void *at, const void *whom, enum machine_reason reason)
{
    struct machine_spent key = {.at = at, .whom = whom, .reason = reason}, *found = map_get(&accounts, &key);
    return (unsigned)(found - account(0));
}

void spent_begin(void)
{
    for (size_t i = 0; i < accounts.count; i++)
        account(i)->path = account(i)->warps = 0;
    warp_count = 0;
}

void spent_by_warp(const struct warp *warp, unsigned key, uint64_t from, uint64_t to)
{
    struct machine_spent *s = account(key);
    s->warps += to - from;
    if (!watch)
        return;
    const struct block *block = warp->block;
    watch(&(struct machine_span){.multiprocessor = block->sm->index,
                                 .block = block->index,
                                 .warp = (unsigned)(warp - block->warps),
                                 .at = s->at,
                                 .whom = s->whom,
                                 .reason = s->reason,
                                 .from = from - the_machine.run.start,
                                 .to = to - the_machine.run.start});
}

void spent_count_warp(void)
{
    warp_count++;
}

static void add_to_path(unsigned key, uint64_t units)
{
    account(key)->path += units;
}

void spent_set_path(const struct bag *bag)
{
    for (size_t i = 0; i < accounts.count; i++)
        account(i)->path = 0;
    bag_each(bag, add_to_path);
}

const struct machine_spent *machine_spent(size_t *number, uint64_t *warps)
{
    *number = accounts.count;
    *warps = warp_count;
    return accounts.items;
}
