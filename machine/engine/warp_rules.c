#include "machine/engine/rules.h"
#include "base/memory.h"
#include "machine/code/calls.h"
#include "machine/code/instructions.h"
#include "machine/memory/shared_memory.h"
#include "machine/ptx.h"

static const char *name_of(enum request_kind kind)
{
    return kind == REQUEST_SHUFFLE     ? "a shuffle"
           : kind == REQUEST_MATCH     ? "a match"
           : kind == REQUEST_REDUCTION ? "a reduction"
           : kind == REQUEST_BALLOT    ? "a vote"
                                       : "__syncwarp()";
}

/* ---- masks ---- */

/* Returns the lanes that wait at the same instruction as this one. */
static lane_set beside(const struct warp *warp, unsigned lane)
{
    lane_set lanes = LANE(lane);
    FOR_EACH_LANE(i, warp->at_warp_barrier)
    if (lane_of(warp, i)->instruction == lane_of(warp, lane)->instruction)
        lanes |= LANE(i);
    return lanes;
}

/* Adds to the advice that the lane's mask is what __activemask() returned to it, if this is so. */
static void mend_active_mask(const struct warp *warp, unsigned lane)
{
    const struct lane_more *more = &warp->more[lane];
    if (more->active_at && more->active_mask == more->mask)
        rule_mend("; the mask 0x%08llx is what __activemask() returned at %s: the lanes that happened to be "
                  "together there, which need not be those that come here",
                  (unsigned long long)more->mask, rule_line(more->active_at));
}

static void check_caller(const struct warp *warp, unsigned lane)
{
    const struct lane *l = lane_of(warp, lane);
    uint64_t mask = warp->more[lane].mask;
    if ((mask & LANE(lane)) || !rule_is_newly_broken(RULE_CALLER_NAMED, l->instruction, NULL))
        return;
    rule_say("block %u thread %u at %s calls %s with the mask 0x%08llx, which does not name the caller's "
             "lane %u",
             warp->block->index, thread_of(warp, lane), rule_line_of_lane(warp, lane), name_of(l->kind),
             (unsigned long long)mask, lane);
    rule_mend("give the mask of the lanes that come to %s: 0x%08llx wait there now; where a condition "
              "decides which "
              "lanes come, __ballot_sync() of it by all lanes before the branch returns the mask",
              rule_line_of_lane(warp, lane), (unsigned long long)beside(warp, lane));
    mend_active_mask(warp, lane);
}

static void mend_masks(const struct warp *warp, unsigned lane, unsigned other)
{
    lane_set own = beside(warp, lane), others = beside(warp, other);
    if (own == others)
        rule_mend("give one mask to all lanes that come to %s: 0x%08llx wait there now",
                  rule_line_of_lane(warp, lane), (unsigned long long)own);
    else
        rule_mend("move the call out of the branches, so that all these lanes come to one, or name in each "
                  "call only the lanes that come to it: 0x%08llx at %s and 0x%08llx at %s wait now",
                  (unsigned long long)others, rule_line_of_lane(warp, other), (unsigned long long)own,
                  rule_line_of_lane(warp, lane));
    mend_active_mask(warp, other);
    if (warp->more[other].mask != warp->more[lane].mask)
        mend_active_mask(warp, lane);
}

/* Checks whether this lane and another one wait for each other although their masks or functions differ, so
 * that neither can go on. Lanes whose masks do not name each other may differ in both. */
static void check_masks(const struct warp *warp, unsigned lane)
{
    const struct lane *own = lane_of(warp, lane);
    uint64_t mask = warp->more[lane].mask;
    FOR_EACH_LANE(i, warp->at_warp_barrier & mask)
    {
        const struct lane *other = lane_of(warp, i);
        if (!(warp->more[i].mask & LANE(lane)) || (warp->more[i].mask == mask && other->kind == own->kind))
            continue;
        if (rule_is_newly_broken(RULE_EQUAL_MASKS, other->instruction, own->instruction)) {
            rule_say(
                "block %u thread %u in %s at %s with the mask 0x%08llx and thread %u in %s at %s with the "
                "mask 0x%08llx wait for each other: both must call the same function with the same mask",
                warp->block->index, thread_of(warp, i), name_of(other->kind), rule_line_of_lane(warp, i),
                (unsigned long long)warp->more[i].mask, thread_of(warp, lane), name_of(own->kind),
                rule_line_of_lane(warp, lane), (unsigned long long)mask);
            mend_masks(warp, lane, i);
        }
        return;
    }
}

/* Do all waiting lanes of the warp give the same mask to the same function? This is the usual case, and then
 * check_masks() is not needed. */
static bool are_alike(const struct warp *warp)
{
    unsigned first = first_lane(warp->at_warp_barrier);
    FOR_EACH_LANE(i, warp->at_warp_barrier)
    if (warp->more[i].mask != warp->more[first].mask || lane_of(warp, i)->kind != lane_of(warp, first)->kind)
        return false;
    return true;
}

void rules_warp_call(const struct warp *warp, lane_set lanes)
{
    bool alike = are_alike(warp);
    FOR_EACH_LANE(i, lanes)
    {
        check_caller(warp, i);
        if (!alike)
            check_masks(warp, i);
    }
}

/* ---- values of lanes that take no part in a shuffle ---- */

/* Returns which requests' results the lane uses at this instruction, by the analysis of the compiled code;
 * the empty set if the analysis knows nothing of the instruction. */
static uint64_t needs_of(const struct lane *lane)
{
    uint64_t needs = dependence_of(lane->instruction).needs;
    return needs == ALL_REQUESTS ? 0 : needs;
}

/* Returns the lanes that read a lane which takes no part in the shuffle. */
static lane_set readers_of_absent(const struct warp *warp, lane_set together)
{
    lane_set readers = 0;
    FOR_EACH_LANE(i, together)
    {
        unsigned source = (unsigned)warp->more[i].source_lane;
        if (source >= warp->lane_count || !(together & LANE(source)))
            readers |= LANE(i);
    }
    return readers;
}

void rules_shuffle(struct warp *warp, lane_set together)
{
    lane_set passing = 0, undefined = readers_of_absent(warp, together);
    if (!undefined && !ptx_has_undefined(warp))
        return;
    FOR_EACH_LANE(i, together)
    if (ptx_passes_undefined(warp, i))
        passing |= LANE(i);
    FOR_EACH_LANE(i, undefined)
    {
        warp->more[i].undefined_at = lane_of(warp, i)->instruction;
        warp->more[i].undefined_site = site_of(lane_of(warp, i)->instruction, warp->more[i].calls);
        warp->more[i].undefined_lane = (unsigned)warp->more[i].source_lane;
    }
    FOR_EACH_LANE(i, together)
    {
        struct lane_more *more = &warp->more[i];
        unsigned source = (unsigned)more->source_lane;
        more->undefined = false;
        /* A lane that reads a value at a distance combines it with its own value. A lane that reads a lane by
         * its number replaces its own value. */
        bool combines = !more->source_is_named && passing & LANE(i);
        if (!(undefined & LANE(i)) && !combines && passing & LANE(source)) {
            more->undefined_at = warp->more[source].undefined_at;
            more->undefined_site = warp->more[source].undefined_site;
            more->undefined_lane = warp->more[source].undefined_lane;
        }
        if (undefined & LANE(i) || combines || passing & LANE(source))
            more->undefined = true;
    }
}

/* ---- values that lanes exchange through volatile shared memory ---- */

/* The last volatile store to a word of shared memory. */
struct volatile_store {
    const void *instruction; /* NULL if there was none */
    unsigned thread;
    uint64_t time;
};

/* A logical time: the number of volatile stores to shared memory, and of barriers and fences since the first
 * of them. It is 0 before the first such store, so that barriers and fences need not be noted. */
static uint64_t events;

#define WORD 4

static struct volatile_store *store_to(struct block *block, uintptr_t address)
{
    if (shared_memory_owner(block, address) != block)
        return NULL;
    if (!block->volatile_stores)
        block->volatile_stores =
            allocate((block->kernel->launch.shared_bytes / WORD + 1) * sizeof *block->volatile_stores);
    return &block->volatile_stores[shared_memory_offset(block, address) / WORD];
}

void rules_order(struct warp *warp, lane_set lanes)
{
    if (!events)
        return;
    events++;
    FOR_EACH_LANE(i, lanes)
    {
        warp->more[i].ordered_at = events;
        warp->more[i].unordered = 0;
    }
}

/* Polling is a proper use of a volatile word. A value counts as used only if the lane stores what it computes
 * from it, which is found out later (rules_store()). */
void rules_volatile(enum request_kind kind, uintptr_t address, const void *instruction)
{
    struct warp *warp = running.warp;
    struct lane_more *more = more_of_running_lane();
    struct volatile_store *store = shared_memory_has(address) ? store_to(warp->block, address) : NULL;
    unsigned own = thread_of(warp, running.lane), width = (unsigned)the_machine.description.warp_size;
    if (store && kind == REQUEST_STORE)
        *store = (struct volatile_store){instruction, own, ++events};
    if (!store || kind != REQUEST_LOAD || !store->instruction || store->thread == own ||
        store->thread / width != own / width || more->ordered_at >= store->time)
        return;
    more->unordered |= UINT64_C(1) << dependence_of(instruction).number;
    more->unordered_load = instruction;
    more->unordered_store = store->instruction;
}

static void check_volatile(const struct warp *warp, unsigned lane)
{
    const struct lane_more *more = &warp->more[lane];
    if (more->unordered && needs_of(lane_of(warp, lane)) & more->unordered &&
        rule_is_newly_broken(RULE_NO_STEP, more->unordered_load, more->unordered_store)) {
        rule_say(
            "block %u thread %u at %s uses what another lane of its warp wrote at %s, and no __syncwarp() is "
            "between the two: volatile does not keep the lanes of a warp in step (Volta and later)",
            warp->block->index, thread_of(warp, lane), rule_line(more->unordered_load),
            rule_line(more->unordered_store));
        rule_mend("__syncwarp() between the write at %s and the read at %s, and between a read and the next "
                  "write of the same word",
                  rule_line(more->unordered_store), rule_line(more->unordered_load));
    }
}

/* ---- what lanes store ---- */

void rules_store(const struct warp *warp, const struct group *group)
{
    if (!events && !ptx_has_undefined(warp))
        return;
    FOR_EACH_LANE(i, group->lanes)
    {
        const struct lane_more *more = &warp->more[i];
        check_volatile(warp, i);
        if (ptx_passes_undefined(warp, i) &&
            rule_is_newly_broken(RULE_LANE_IS_THERE, more->undefined_at, group->instruction)) {
            rule_say(
                "block %u thread %u at %s stores a value that comes from the shuffle at %s, which read it "
                "from lane %u: this lane takes no part in the shuffle, so that the value is undefined",
                warp->block->index, thread_of(warp, i), rule_line_of_lane(warp, i),
                rule_line_of_site(more->undefined_site), more->undefined_lane);
            rule_mend(more->undefined_lane < warp->lane_count
                          ? "let lane %u call the shuffle at %s, too, with a mask that names it (before the "
                            "branch or the return that it takes), or store nothing that comes from this lane"
                          : "store nothing that comes from lane %u in the shuffle at %s: the block has no "
                            "such thread, and a multiple of 32 threads would have it",
                      more->undefined_lane, rule_line_of_site(more->undefined_site));
        }
    }
}
