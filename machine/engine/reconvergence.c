#include "machine/engine/reconvergence.h"
#include "base/failure.h"
#include "machine/code/instructions.h"
#include "machine/engine/events.h"
#include "machine/engine/groups.h"

bool reconvergence_is_on(void)
{
    const struct machine_description *d = &the_machine.description;
    return d->instruction_per_1000 && !d->lockstep && !the_machine.memory.is_weak &&
           the_machine.schedule == MACHINE_ROUND_ROBIN;
}

void reconvergence_pass(struct warp *warp, lane_set lanes, size_t join)
{
    unsigned i = 0;
    while (i < warp->passed_count && warp->passed[i].join != join)
        i++;
    if (i == MOST_JOINS) {
        warp->unnoted |= lanes;
        return;
    }
    if (i == warp->passed_count)
        warp->passed[warp->passed_count++] = (struct join){.join = join};
    warp->passed[i].arrived |= lanes;
}

void reconvergence_begin(struct warp *warp)
{
    warp->passed_count = 0;
    warp->unnoted = 0;
}

/* Returns the lanes that have reached the join since the warp's lanes last began to run. */
static lane_set passed(const struct warp *warp, size_t join)
{
    for (unsigned i = 0; i < warp->passed_count; i++)
        if (warp->passed[i].join == join)
            return warp->passed[i].arrived;
    return 0;
}

static bool is_ahead(const struct lane *lane, size_t join)
{
    size_t at = (size_t)(uintptr_t)lane->instruction;
    do
        at = next_join_of(at);
    while (at != NO_JOIN && at != join);
    return at == join;
}

static bool are_awaited(const struct warp *warp, const struct join *join)
{
    for (const struct join *j = warp->joins; j < warp->joins + warp->join_count; j++)
        if (j->join == join->join && j->lanes == join->lanes)
            return true;
    return false;
}

/* Returns whether all of these lanes, which ran together, meet at the join (machine/ptx/graph.h). If some of
 * them come to it later than others, notes that the early ones wait there. */
static bool await(struct warp *warp, lane_set lanes, size_t at)
{
    struct join join = {.join = at, .arrived = passed(warp, at) & lanes};
    const void *instruction = NULL;
    bool apart = false;
    join.lanes = join.arrived;
    FOR_EACH_LANE(i, lanes & ~join.arrived)
    if (is_ahead(&warp->lanes[i], at)) {
        apart = apart || join.arrived || (instruction && instruction != warp->lanes[i].instruction);
        instruction = warp->lanes[i].instruction;
        join.lanes |= LANE(i);
    }
    if (apart && warp->join_count < MOST_JOINS && !are_awaited(warp, &join))
        warp->joins[warp->join_count++] = join;
    return join.lanes == lanes;
}

static bool are_together(const struct warp *warp, lane_set lanes)
{
    if (warp->together)
        return true;
    for (unsigned p = 0; p < warp->passed_count; p++)
        if (warp->passed[p].arrived & lanes && lanes & ~warp->passed[p].arrived)
            return false;
    FOR_EACH_LANE(i, lanes)
    if (warp->lanes[i].instruction != warp->lanes[first_lane(lanes)].instruction)
        return false;
    return true;
}

/* Handles lanes that were at one instruction and have taken different paths: notes the joins at which they
 * wait for each other. */
static void part(struct warp *warp, lane_set lanes)
{
    const void *last = NULL;
    for (unsigned p = 0; p < warp->passed_count; p++)
        if (warp->passed[p].arrived & lanes)
            await(warp, lanes, warp->passed[p].join);
    FOR_EACH_LANE(i, lanes)
    {
        size_t at = next_join_of((size_t)(uintptr_t)warp->lanes[i].instruction);
        bool is_new = warp->lanes[i].instruction != last;
        while (is_new && at != NO_JOIN && !await(warp, lanes, at))
            at = next_join_of(at);
        last = warp->lanes[i].instruction;
    }
}

/* Recomputes which lanes of the warp wait at joins. */
static void hold(struct warp *warp)
{
    warp->held = 0;
    for (const struct join *j = warp->joins; j < warp->joins + warp->join_count; j++)
        warp->held |= j->arrived;
}

void reconvergence_end(struct warp *warp, lane_set lanes)
{
    lanes &= ~warp->exited;
    for (struct join *j = warp->joins; j < warp->joins + warp->join_count; j++) {
        lane_set unnoted = warp->unnoted & j->lanes & lanes;
        j->arrived |= passed(warp, j->join) & j->lanes & lanes;
        /* These lanes have passed a join that was not recorded. It was this one if this join is no longer
         * ahead of them. In a loop it may be ahead in any case, so the join stops waiting for such lanes. */
        FOR_EACH_LANE(i, unnoted)
        if (!is_ahead(&warp->lanes[warp->together ? first_lane(lanes) : i], j->join))
            j->arrived |= LANE(i);
        else if (warp->turned & LANE(i))
            j->lanes &= ~LANE(i);
    }
    if (the_machine.run.rejoins && lanes && !are_together(warp, lanes))
        part(warp, lanes);
    hold(warp);
}

/* ---- going on ---- */

/* Merges those groups that are at the same instruction and whose lanes (`freed`) have just stopped
 * waiting at joins. */
static void merge(struct warp *warp, lane_set freed, uint64_t opened_at)
{
    for (unsigned g = 0; g < warp->group_count; g++) {
        struct group *group = &warp->groups[g];
        if (!(group->lanes & freed))
            continue;
        group->ready_at = group->ready_at > opened_at ? group->ready_at : opened_at;
        for (unsigned o = g + 1; o < warp->group_count;) {
            const struct group *other = &warp->groups[o];
            if (!(other->lanes & freed) || other->instruction != group->instruction ||
                other->kind != group->kind) {
                o++;
                continue;
            }
            group->lanes |= other->lanes;
            group->ready_at = other->ready_at > group->ready_at ? other->ready_at : group->ready_at;
            group->value_at = other->value_at > group->value_at ? other->value_at : group->value_at;
            work_most(&group->work, &other->work);
            warp->groups[o] = warp->groups[--warp->group_count];
        }
    }
}

/* Moves lanes that no longer wait at a join out of the groups that are held there, so that they go on. */
static void let_go(struct warp *warp)
{
    unsigned count = warp->group_count;
    uint64_t opened_at = the_machine.run.now;
    lane_set freed = 0;
    for (unsigned g = 0; g < count; g++) {
        struct group *group = &warp->groups[g];
        lane_set free = group->lanes & ~warp->held;
        if (!group->is_held || !free)
            continue;
        if (free != group->lanes) {
            warp->groups[warp->group_count] = *group;
            warp->groups[warp->group_count++].lanes &= ~free;
            group->lanes = free;
        }
        group->is_held = false;
        opened_at = group->issue_at > opened_at ? group->issue_at : opened_at;
        freed |= free;
    }
    if (freed)
        merge(warp, freed, opened_at);
}

void reconvergence_open(struct warp *warp)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < warp->join_count; i++)
        if (warp->joins[i].lanes & ~warp->joins[i].arrived & ~warp->exited)
            warp->joins[kept++] = warp->joins[i];
    if (kept == warp->join_count)
        return;
    warp->join_count = kept;
    hold(warp);
    let_go(warp);
}

static bool let_all_go(struct run *run)
{
    bool any = false;
    for (unsigned s = 0; s < run->sm_count; s++)
        for (unsigned w = 0; w < run->sms[s].warp_count; w++) {
            struct warp *warp = run->sms[s].warps[w];
            if (!warp->join_count)
                continue;
            warp->join_count = 0;
            warp->held = 0;
            let_go(warp);
            groups_update_times(warp);
            any = true;
        }
    return any;
}

bool reconvergence_give_up(struct run *run)
{
    if (run->gave_up == run->changed)
        return false;
    run->gave_up = run->changed;
    bool any = let_all_go(run);
    for (unsigned s = 0; any && s < run->sm_count; s++)
        events_note(run, &run->sms[s]);
    return any;
}

void convergence_set(struct warp *warp, lane_set lanes)
{
    struct convergence *points = warp->convergence;
    FOR_EACH_LANE(i, lanes)
    {
        if (points->depth[i] == MAX_CONVERGENCE_DEPTH)
            fail(EXIT_CANNOT, "more than %d convergence points in each other", MAX_CONVERGENCE_DEPTH);
        points->together[points->depth[i]++][i] = lanes;
    }
}

/* Returns whether all lanes that were together with this lane when its convergence point was set have
 * arrived at the point or exited. */
static bool complete(const struct warp *warp, unsigned lane)
{
    const struct convergence *points = warp->convergence;
    unsigned depth = points->depth[lane];
    lane_set others = points->together[depth - 1][lane] & ~warp->exited;
    if (others & ~warp->at_convergence)
        return false;
    FOR_EACH_LANE(i, others)
    if (points->depth[i] != depth)
        return false;
    return true;
}

/* Returns which of these lanes have the same last convergence point as the first lane. */
static lane_set with_same_point(const struct warp *warp, lane_set lanes)
{
    const struct convergence *points = warp->convergence;
    unsigned first = first_lane(lanes), depth = points->depth[first];
    lane_set same = 0;
    FOR_EACH_LANE(i, lanes)
    if (points->depth[i] == depth && points->together[depth - 1][i] == points->together[depth - 1][first])
        same |= LANE(i);
    return same;
}

lane_set convergence_reached(struct warp *warp)
{
    lane_set go = 0;
    for (lane_set alike, left = warp->at_convergence; left; left &= ~alike) {
        alike = with_same_point(warp, left);
        if (complete(warp, first_lane(left)))
            go |= alike;
    }
    if (go)
        note_change();
    FOR_EACH_LANE(i, go) warp->convergence->depth[i]--;
    return go;
}
