#include "machine/engine/policy.h"
#include "machine/engine/groups.h"
#include "machine/engine/progress.h"
#include "machine/engine/sample.h"

static uint64_t draw(void)
{
    return random_next(&the_machine.random);
}

/* ---- warps ---- */

/* Returns the next ready warp after the one that was dispatched last, in the order of their slots. */
static struct warp *next_in_turn(struct sm *sm, uint64_t now)
{
    for (unsigned i = 0, at = sm->cursor; i < sm->warp_count; i++, at++) {
        if (at >= sm->warp_count)
            at -= sm->warp_count;
        if (sm->issue_at[at] <= now) {
            sm->cursor = at + 1;
            return sm->warps[at];
        }
    }
    return NULL;
}

/* Under the random schedule, returns a ready warp drawn by chance. Under the adversarial schedule, returns
 * the ready warp that ran last, with rare exceptions: without these, a polling warp could keep a lock's owner
 * from running for ever. */
static struct warp *by_chance_or_malice(struct sm *sm, uint64_t now)
{
    bool slips = the_machine.schedule == MACHINE_ADVERSARIAL && draw() % 64 == 0;
    struct warp *chosen = NULL;
    unsigned seen = 0;
    for (unsigned at = 0; at < sm->warp_count; at++) {
        if (sm->issue_at[at] > now)
            continue;
        seen++;
        struct warp *warp = sm->warps[at];
        bool replace = the_machine.schedule == MACHINE_RANDOM || slips
                           ? draw() % seen == 0
                           : !chosen || warp->last_dispatch > chosen->last_dispatch;
        if (replace)
            chosen = warp;
    }
    return chosen;
}

struct warp *policy_choose_warp(struct sm *sm, uint64_t now)
{
    bool in_turn = the_machine.schedule == MACHINE_ROUND_ROBIN || the_machine.schedule == MACHINE_DELAYS;
    struct warp *plain = next_in_turn(sm, now), *chosen = in_turn ? plain : by_chance_or_malice(sm, now);
    return chosen != plain && departs() ? chosen : plain;
}

/* ---- delays ---- */

void machine_set_delays(unsigned delays, uint64_t steps)
{
    for (unsigned i = 0; i < MOST_DELAYS; i++)
        the_machine.delayed[i] = i < delays && steps ? 1 + draw() % steps : 0;
}

uint64_t machine_steps(void)
{
    return the_machine.steps;
}

uint64_t machine_starts(void)
{
    return the_machine.starts;
}

void machine_hold_back(const struct machine_hold holds[], unsigned count, uint64_t units)
{
    the_machine.hold_units = units;
    the_machine.hold_count = count;
    for (unsigned i = 0; i < count; i++)
        the_machine.holds[i] = holds[i];
}

static void put_off(uint64_t *until, uint64_t time)
{
    if (departs())
        *until = time;
}

/* Holds the warp back if machine_hold_back() chose this place. */
static void hold_at(struct warp *warp, struct machine_hold place, uint64_t now)
{
    warp->last_step = place;
    for (unsigned i = 0; i < the_machine.hold_count; i++)
        if (the_machine.holds[i].step == place.step && the_machine.holds[i].start == place.start)
            put_off(&warp->held_until, now + (i + 1) * the_machine.hold_units);
}

/* Draws a delay between 0.1 and about 200 times global_latency; each power of two is equally likely. */
static uint64_t some_delay(void)
{
    uint64_t least = (uint64_t)the_machine.description.global_latency / 10 + 1;
    return least << draw() % 12;
}

void machine_slow_fences(bool slow)
{
    the_machine.slow_fences = slow;
}

/* Decides by chance whether machine_slow_fences() delays the group's fence. If so, sets the time from
 * which the fence may be dispatched, and returns true. */
static bool puts_off(struct group *group, uint64_t now)
{
    bool is_fence = group->kind >= REQUEST_FENCE_FULL && group->kind <= REQUEST_FENCE_BLOCK;
    if (!the_machine.slow_fences || !is_fence || draw() % 2)
        return false;
    uint64_t until = now + some_delay();
    bool is_put_off = departs();
    group->ready_at = is_put_off ? until : group->ready_at;
    return is_put_off;
}

void policy_start(struct warp *warp, uint64_t now)
{
    hold_at(warp, (struct machine_hold){.start = ++the_machine.starts}, now);
    if (the_machine.schedule == MACHINE_DELAYS && draw() % 2)
        put_off(&warp->held_until, now + some_delay());
}

/* Counts a step of the warp, and holds the warp back after this step if the schedule or machine_hold_back()
 * says so. The adversarial schedule does this by chance, if there are several multiprocessors. */
static void hold_back(struct warp *warp, uint64_t now)
{
    const struct machine_description *d = &the_machine.description;
    if (sample_steps && warp->block->kernel->launch.cluster <= 1)
        sample_step(warp);
    hold_at(warp, (struct machine_hold){.step = ++the_machine.steps}, now);
    if (the_machine.schedule == MACHINE_DELAYS)
        for (unsigned i = 0; i < MOST_DELAYS; i++)
            if (the_machine.delayed[i] == the_machine.steps)
                put_off(&warp->held_until, now + some_delay());
    if (the_machine.schedule != MACHINE_ADVERSARIAL || d->sm_count == 1 || draw() % 16)
        return;
    put_off(&warp->held_until, now + draw() % (uint64_t)(20 * d->global_latency + 200));
}

void policy_hold_back(struct warp *warp, uint64_t now)
{
    hold_back(warp, now);
    progress_withhold(warp);
    groups_update_times(warp);
}

/* ---- lanes ---- */

/* Returns whether group `a` is dispatched before group `b`; both groups belong to one warp and may be
 * dispatched now. The group that has waited longer comes first. If both have waited equally long, the one at
 * the lower instruction comes first, because lanes that took different sides of a branch meet again at a
 * higher instruction. In a lockstep warp the waiting times do not count, and a group that frees lock bits
 * comes before any other. */
static bool comes_first(const struct group *a, const struct group *b)
{
    if (!the_machine.description.lockstep && a->ready_at != b->ready_at)
        return a->ready_at < b->ready_at;
    /* In lockstep, the instruction that frees a lock bit follows the one that took it (Li 2015, Listing
     * 1). */
    bool a_frees = a->kind == REQUEST_STORE_UNLOCK, b_frees = b->kind == REQUEST_STORE_UNLOCK;
    if (the_machine.description.lockstep && a_frees != b_frees)
        return a_frees;
    if (a->instruction != b->instruction)
        return a->instruction < b->instruction;
    return first_lane(a->lanes) < first_lane(b->lanes);
}

static const struct group *group_of(const struct warp *warp, unsigned lane)
{
    const struct group *group = warp->groups;
    while (!(group->lanes & LANE(lane)))
        group++;
    return group;
}

/* Draws one of the due lanes by chance; its group is dispatched first. This function is used neither for
 * lockstep warps nor under the round-robin schedule. */
static unsigned any_leader(const struct warp *warp, lane_set due)
{
    unsigned lead = first_lane(due), seen = 0;
    FOR_EACH_LANE(i, due)
    {
        seen++;
        if (warp->lanes[i].instruction != warp->lanes[lead].instruction && draw() % seen == 0)
            lead = i;
    }
    return lead;
}

static bool is_due(const struct group *group, uint64_t now)
{
    return !group->in_memory && !group->is_held && group->ready_at <= now;
}

/* Removes these lanes from the warp's groups. */
static void take_out(struct warp *warp, lane_set lanes)
{
    for (unsigned g = 0; g < warp->group_count;) {
        warp->groups[g].lanes &= ~lanes;
        if (warp->groups[g].lanes)
            g++;
        else
            warp->groups[g] = warp->groups[--warp->group_count];
    }
}

/* Returns the due group that is dispatched first by the fixed order (comes_first), or NULL if no group is
 * due. Sets `due` to the lanes of all due groups. */
static const struct group *first_due(const struct warp *warp, uint64_t now, lane_set *due)
{
    const struct group *first = NULL;
    *due = 0;
    for (unsigned g = 0; g < warp->group_count; g++) {
        const struct group *group = &warp->groups[g];
        if (!is_due(group, now))
            continue;
        *due |= group->lanes;
        if (!first || comes_first(group, first))
            first = group;
    }
    return first;
}

bool policy_needs_slot(const struct warp *warp, uint64_t now)
{
    lane_set due;
    return !the_machine.description.charges_memory_only ||
           is_memory_request(first_due(warp, now, &due)->kind);
}

/* Removes the lanes that are dispatched together, which are ready at one instruction, from the warp's
 * groups. Returns them as a group whose times of effect are not set. */
static struct group choose_lanes(struct warp *warp, uint64_t now)
{
    lane_set due;
    const struct group *first = first_due(warp, now, &due);
    bool in_turn = the_machine.schedule == MACHINE_ROUND_ROBIN || the_machine.description.lockstep;
    unsigned lead = first_lane(first->lanes);
    if (!in_turn && due != first->lanes) {
        unsigned drawn = any_leader(warp, due);
        if (group_of(warp, drawn) != first && departs()) {
            lead = drawn;
            first = group_of(warp, lead);
        }
    }
    struct group chosen = *first;
    for (unsigned g = 0; g < warp->group_count && due != chosen.lanes; g++) {
        const struct group *group = &warp->groups[g];
        if (!is_due(group, now) || group->instruction != chosen.instruction || group->kind != chosen.kind)
            continue;
        chosen.lanes |= group->lanes;
        chosen.value_at = group->value_at > chosen.value_at ? group->value_at : chosen.value_at;
    }
    /* the adversarial schedule may dispatch only some of the independent threads at one instruction */
    if (the_machine.schedule == MACHINE_ADVERSARIAL && !the_machine.description.lockstep && draw() % 8 == 0) {
        lane_set some = chosen.lanes;
        FOR_EACH_LANE(i, chosen.lanes)
        if (i != lead && !(draw() % 2))
            some &= ~LANE(i);
        if (departs()) {
            together_end(warp);
            chosen.lanes = some;
        }
    }
    take_out(warp, chosen.lanes);
    return chosen;
}

bool policy_take_group(struct warp *warp, uint64_t now, struct group *group, bool *needs_slot)
{
    if (warp->group_count == 1 && the_machine.schedule == MACHINE_ROUND_ROBIN) {
        /* nothing is to be chosen */
        *group = warp->groups[0];
        warp->group_count = 0;
        *needs_slot = !the_machine.description.charges_memory_only || is_memory_request(group->kind);
    } else {
        *needs_slot = policy_needs_slot(warp, now);
        *group = choose_lanes(warp, now);
    }
    if (!puts_off(group, now))
        return true;
    warp->groups[warp->group_count++] = *group;
    groups_update_times(warp);
    return false;
}
