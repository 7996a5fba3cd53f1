/*
 * What a memory request costs. A request is what the lanes of one warp that stand at the same instruction ask
 * for together. Global memory is a UMM: one slot of its pipeline for each address group (Nakano 2013, section
 * 2). Shared memory is a DMM: one slot for each word that a bank must serve after another. A request for k
 * slots that gets its first at t is complete at t + k - 1 + l.
 */
#include "machine/state.h"

#include <stdlib.h>
#include <string.h>

/* First and last word of the section that __shared__ variables live in; absent from a program without any. */
extern unsigned char __start_machine_shared[] __attribute__((weak));
extern unsigned char __stop_machine_shared[] __attribute__((weak));

#define DYNAMIC_SHARED_BYTES (256 * 1024)
static unsigned char dynamic_shared[DYNAMIC_SHARED_BYTES] __attribute__((aligned(128)));

/* When an address is free for the next atomic: a small table, open addressing, emptied with every launch. */
#define ATOMIC_SLOTS 65536u
static struct {
    uintptr_t address;
    uint64_t free_at;
} atomic_queue[ATOMIC_SLOTS];
static unsigned atomic_used[ATOMIC_SLOTS], atomic_used_count;

static uint64_t global_slot;   /* next free slot, in parts of a time unit (global_groups_per_unit of them) */
static uint64_t fence_free_at; /* when the next fence may start */

void *machine_dynamic_shared(void);
void *machine_dynamic_shared(void)
{
    return dynamic_shared;
}

static size_t static_shared_bytes(void)
{
    return (size_t)((uintptr_t)__stop_machine_shared - (uintptr_t)__start_machine_shared);
}

size_t shared_memory_bytes(void)
{
    return static_shared_bytes() + the_machine.run.launch->shared_bytes;
}

bool memory_is_shared(uintptr_t address)
{
    return address - (uintptr_t)__start_machine_shared < static_shared_bytes() ||
           address - (uintptr_t)dynamic_shared < DYNAMIC_SHARED_BYTES;
}

size_t shared_memory_offset(uintptr_t address)
{
    size_t in_static = address - (uintptr_t)__start_machine_shared;
    return in_static < static_shared_bytes() ? in_static
                                             : static_shared_bytes() + (address - (uintptr_t)dynamic_shared);
}

/* Puts the block's shared memory in place, and keeps that of the block that had the place. */
void shared_memory_install(struct block *block)
{
    struct block *owner = the_machine.shared_owner;
    if (owner == block)
        return;
    size_t statics = static_shared_bytes(), dynamic = the_machine.run.launch->shared_bytes;
    if (owner) {
        memcpy(owner->shared_image, __start_machine_shared, statics);
        memcpy(owner->shared_image + statics, dynamic_shared, dynamic);
    }
    memcpy(__start_machine_shared, block->shared_image, statics);
    memcpy(dynamic_shared, block->shared_image + statics, dynamic);
    the_machine.shared_owner = block;
}

static void forget_atomics(void)
{
    for (unsigned i = 0; i < atomic_used_count; i++)
        atomic_queue[atomic_used[i]].address = 0;
    atomic_used_count = 0;
}

void memory_reset(void)
{
    forget_atomics();
    global_slot = 0;
    fence_free_at = 0;
}

static uint64_t *atomic_free_at(uintptr_t address)
{
    unsigned slot = (unsigned)((address >> 2) * 2654435761u) % ATOMIC_SLOTS;
    while (atomic_queue[slot].address && atomic_queue[slot].address != address)
        slot = (slot + 1) % ATOMIC_SLOTS;
    if (!atomic_queue[slot].address) {
        if (atomic_used_count == ATOMIC_SLOTS / 2)
            return forget_atomics(), atomic_free_at(address);
        atomic_queue[slot].address = address;
        atomic_queue[slot].free_at = 0;
        atomic_used[atomic_used_count++] = slot;
    }
    return &atomic_queue[slot].free_at;
}

static int compare_addresses(const void *a, const void *b)
{
    uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
    return (x > y) - (x < y);
}

/* The distinct units of `unit` bytes that the lanes touch, ascending; at most 8 a lane. Returns how many. */
static unsigned distinct_units(struct lane **lanes, unsigned count, uintptr_t unit, uintptr_t *units)
{
    unsigned found = 0;
    bool ascending = true;
    for (unsigned i = 0; i < count; i++) {
        uintptr_t first = lanes[i]->request.address / unit;
        uintptr_t last = (lanes[i]->request.address + lanes[i]->request.bytes - 1) / unit;
        for (uintptr_t u = first; u <= last && u < first + 8; u++) {
            if (found && units[found - 1] == u)
                continue;
            ascending = ascending && (!found || units[found - 1] < u);
            units[found++] = u;
        }
    }
    if (ascending)
        return found;
    qsort(units, found, sizeof *units, compare_addresses);
    unsigned kept = 1;
    for (unsigned i = 1; i < found; i++)
        if (units[i] != units[kept - 1])
            units[kept++] = units[i];
    return kept;
}

/* How often the bank with most of the words must be asked. */
static unsigned bank_load(const uintptr_t *words, unsigned count, int banks)
{
    unsigned load[MACHINE_MAX_WARP] = {0}, most = 1;
    for (unsigned i = 0; i < count; i++) {
        unsigned *bank = &load[words[i] % (uintptr_t)banks];
        most = ++*bank > most ? *bank : most;
    }
    return most;
}

/* The pipeline slots that a request to global memory takes: address groups, or words of one bank. */
static unsigned global_slots(struct lane **lanes, unsigned count)
{
    const struct machine_description *d = &the_machine.description;
    uintptr_t units[MACHINE_MAX_WARP * 8];
    unsigned found =
        distinct_units(lanes, count, (d->global_banks ? 1 : (uintptr_t)d->global_width) * 4, units);
    return d->global_banks ? bank_load(units, found, d->global_banks) : found;
}

static void charge_global(struct lane **lanes, unsigned count, uint64_t now)
{
    const struct machine_description *d = &the_machine.description;
    unsigned k = global_slots(lanes, count);
    uint64_t per_unit = (uint64_t)d->global_groups_per_unit;
    if (global_slot < now * per_unit)
        global_slot = now * per_unit;
    uint64_t first = global_slot / per_unit;
    global_slot += k;
    uint64_t done = (global_slot - 1) / per_unit + (uint64_t)d->global_latency;
    the_machine.counters.transactions += k;
    for (unsigned i = 0; i < count; i++) {
        lanes[i]->effect_at = first;
        lanes[i]->complete_at = done;
        if (lanes[i]->request.kind == REQUEST_STORE) {
            lanes[i]->stores_done_at = done;
            if (d->posted_stores)
                lanes[i]->complete_at = first + 1;
        }
    }
}

static void charge_shared(struct sm *sm, struct lane **lanes, unsigned count, uint64_t now)
{
    const struct machine_description *d = &the_machine.description;
    uintptr_t words[MACHINE_MAX_WARP * 8];
    unsigned distinct = distinct_units(lanes, count, 4, words);
    unsigned k = bank_load(words, distinct, d->shared_banks);
    uint64_t first = sm->shared_slot > now ? sm->shared_slot : now;
    sm->shared_slot = first + k;
    the_machine.counters.bank_conflicts += k - 1;
    for (unsigned i = 0; i < count; i++) {
        lanes[i]->effect_at = first;
        bool is_store =
            lanes[i]->request.kind == REQUEST_STORE || lanes[i]->request.kind == REQUEST_STORE_UNLOCK;
        lanes[i]->complete_at =
            first + k - 1 + (is_store && d->posted_stores ? 1 : (uint64_t)d->shared_latency);
    }
}

/* All blocks' shared memories lie at the same addresses here, so the block is part of the key. */
static uintptr_t atomic_key(const struct lane *lane, bool shared)
{
    return lane->request.address + (shared ? (uintptr_t)(lane->warp->block->index + 1) << 48 : 0);
}

/* Atomics on one address are served one after the other, in the order in which they were dispatched. */
static void charge_atomics(struct lane **lanes, unsigned count, uint64_t now)
{
    const struct machine_description *d = &the_machine.description;
    bool shared = memory_is_shared(lanes[0]->request.address);
    uint64_t between = (uint64_t)(shared ? d->shared_atomic_same_address : d->atomic_same_address);
    uint64_t latency = (uint64_t)(shared ? d->shared_atomic_latency : d->atomic_latency), done = now;
    for (unsigned i = 0; i < count; i++) {
        uint64_t *free_at = atomic_free_at(atomic_key(lanes[i], shared));
        uint64_t start = *free_at > now ? *free_at : now;
        *free_at = start + between;
        lanes[i]->effect_at = start;
        if (start + latency > done)
            done = start + latency;
    }
    for (unsigned i = 0; i < count; i++)
        lanes[i]->complete_at = done;
    the_machine.counters.atomics += count;
}

/* A fence waits for the caller's outstanding stores, then for its turn. */
static void charge_fence(struct lane **lanes, unsigned count, uint64_t now, int serial, int latency)
{
    uint64_t start = now;
    for (unsigned i = 0; i < count; i++)
        if (lanes[i]->stores_done_at > start)
            start = lanes[i]->stores_done_at;
    if (serial) {
        if (fence_free_at > start)
            start = fence_free_at;
        fence_free_at = start + (uint64_t)serial;
    }
    for (unsigned i = 0; i < count; i++) {
        lanes[i]->effect_at = now;
        lanes[i]->complete_at = start + (uint64_t)latency;
    }
    the_machine.counters.fences++;
}

/* Sets when the group's request takes effect and when it is complete. */
void memory_charge(struct sm *sm, struct lane **lanes, unsigned count, uint64_t now)
{
    const struct machine_description *d = &the_machine.description;
    const struct request *request = &lanes[0]->request;
    switch (request->kind) {
    case REQUEST_LOAD:
    case REQUEST_STORE:
        the_machine.counters.requests++;
        if (memory_is_shared(request->address)) {
            *(request->kind == REQUEST_LOAD ? &the_machine.counters.shared_loads
                                            : &the_machine.counters.shared_stores) += 1;
            charge_shared(sm, lanes, count, now);
        } else
            charge_global(lanes, count, now);
        break;
    case REQUEST_ATOMIC:
        the_machine.counters.requests++;
        charge_atomics(lanes, count, now);
        break;
    case REQUEST_LOCK_LOAD:
    case REQUEST_STORE_UNLOCK:
        the_machine.counters.requests++;
        charge_shared(sm, lanes, count, now);
        break;
    case REQUEST_FENCE_FULL:
        charge_fence(lanes, count, now, d->fence_serial, d->fence_latency);
        break;
    case REQUEST_FENCE_RELEASE:
        charge_fence(lanes, count, now, d->fence_serial, d->fence_release_latency);
        break;
    case REQUEST_FENCE_ACQUIRE:
    case REQUEST_CLOCK:
    default:
        for (unsigned i = 0; i < count; i++) {
            lanes[i]->effect_at = now;
            lanes[i]->complete_at =
                now + (uint64_t)(request->kind == REQUEST_FENCE_ACQUIRE ? d->fence_acquire_latency : 1);
            lanes[i]->request.result = now;
        }
        break;
    }
    trace_request(lanes, now);
}
