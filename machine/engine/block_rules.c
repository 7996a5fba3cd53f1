#include "machine/engine/rules.h"
#include "base/map.h"
#include "base/memory.h"
#include "machine/code/calls.h"
#include "machine/code/source_line.h"
#include "machine/ptx.h"

#include <stdlib.h>

/* The lanes of a warp that have executed an instruction since the block's last __syncthreads(). */
struct visit {
    const void *instruction;
    const struct warp *warp;
    lane_set lanes;
};

/* Threads that executed `instruction` and exited before a __syncthreads(), while no thread that waited at
 * `barrier` had executed it. If such a thread executes the instruction after the barrier, the exited threads
 * have bypassed the barrier. */
struct detour {
    const void *instruction, *barrier;
    unsigned exited; /* the number of one of the exited threads */
};
#define MOST_DETOURS 16

/* largest number of __syncthreads() of a block that are remembered as opened */
#define MOST_OPENED 32

/* For each named barrier, the number of phases that have ended, or that are known to have ended. */
struct phases {
    unsigned of[NAMED_BARRIERS];
};

/* The last arrivals of a warp's lanes at a named barrier. */
struct arrivals {
    lane_set lanes;
    unsigned phase; /* number of the phase, from 0 */
    const void *instruction;
};

/* A warp's use of named barriers. */
struct named_use {
    struct phases known; /* for each barrier, the number of phases that the warp's lanes know to have ended */
    struct arrivals last[NAMED_BARRIERS];
};

/* A block's use of named barriers. */
struct named {
    struct phases ended;
    /* for each barrier, the combined knowledge of the threads that have arrived in its current phase */
    struct phases carried[NAMED_BARRIERS];
    struct named_use uses[]; /* one entry for each warp */
};

/* The state of the checks for one block. */
struct block_rules {
    struct map visits; /* a map of struct visit */
    lane_set *exited;  /* for each warp, the lanes that had exited when the last __syncthreads() opened */
    struct detour detours[MOST_DETOURS];
    unsigned detour_count;
    uint32_t opened[MOST_OPENED]; /* the __syncthreads() that have opened: a ring of their sites */
    unsigned opened_count;
    struct named *named; /* NULL until a thread arrives at a named barrier */
    uint32_t last_site;  /* site of the last __syncthreads() that opened */
    /* number of threads that had exited before it opened, and the first and the last of these threads */
    unsigned absent, first_absent, last_absent;
};

void rules_block_begins(struct block *block)
{
    struct block_rules *rules = allocate(sizeof *rules);
    rules->visits = (struct map)MAP(struct visit, warp);
    rules->exited = allocate(block->warp_count * sizeof *rules->exited);
    block->rules = rules;
}

void rules_block_ends(struct block *block)
{
    struct block_rules *rules = block->rules;
    if (!rules)
        return;
    free(block->volatile_stores);
    block->volatile_stores = NULL;
    free(rules->named);
    free(rules->exited);
    map_end(&rules->visits);
    free(rules);
    block->rules = NULL;
}

/* ---- where threads have been since the last __syncthreads() ---- */

static void check_detours(struct block_rules *rules, const struct warp *warp, const struct group *group)
{
    for (unsigned d = 0; d < rules->detour_count; d++) {
        const struct detour *detour = &rules->detours[d];
        if (detour->instruction == group->instruction &&
            rule_is_newly_broken(RULE_WHOLE_BLOCK, detour->barrier, NULL)) {
            rule_say(
                "block %u thread %u waited in __syncthreads() at %s and then came to %s, to which thread "
                "%u came without the barrier: only part of the block reaches it",
                warp->block->index, thread_of(warp, first_lane(group->lanes)), rule_line(detour->barrier),
                rule_line(detour->instruction), detour->exited);
            rule_mend("move __syncthreads() at %s out of the branch, to where thread %u comes, too: at the "
                      "latest before %s",
                      rule_line(detour->barrier), detour->exited, rule_line(detour->instruction));
        }
    }
}

/* ---- named barriers ---- */

static void learn(struct phases *known, const struct phases *more)
{
    for (unsigned b = 0; b < NAMED_BARRIERS; b++)
        known->of[b] = more->of[b] > known->of[b] ? more->of[b] : known->of[b];
}

static struct named *named_of(struct block *block)
{
    struct block_rules *rules = block->rules;
    if (!rules->named)
        rules->named = allocate(sizeof *rules->named + block->warp_count * sizeof *rules->named->uses);
    return rules->named;
}

/* A thread that arrives without waiting must learn that the phase has ended before it arrives again. It may
 * learn this at another barrier, or by reading what another thread wrote. */
static void check_arrival(const struct warp *warp, lane_set lanes, unsigned barrier)
{
    struct named_use *use = &warp->block->rules->named->uses[warp - warp->block->warps];
    const struct arrivals *last = &use->last[barrier];
    const void *here = lane_of(warp, first_lane(lanes))->instruction;
    lane_set again = last->lanes & lanes;
    if (again && use->known.of[barrier] <= last->phase &&
        rule_is_newly_broken(RULE_ONE_ARRIVAL, here, last->instruction)) {
        rule_say("block %u thread %u at %s arrives at barrier %u, at which it has arrived before at %s, and "
                 "nothing says that this earlier phase has ended: the thread may count twice in it, and the "
                 "phase then ends without another thread",
                 warp->block->index, thread_of(warp, first_lane(again)),
                 rule_line_of_lane(warp, first_lane(lanes)), barrier, rule_line(last->instruction));
        rule_mend(
            "between the arrivals at %s and at %s, wait at another barrier for the threads that wait at "
            "barrier %u, or arrive at two barriers in turn",
            rule_line(last->instruction), rule_line_of_lane(warp, first_lane(lanes)), barrier);
    }
}

void rules_arrive(const struct warp *warp, lane_set lanes, unsigned barrier)
{
    if (barrier >= NAMED_BARRIERS)
        return;
    struct named *named = named_of(warp->block);
    struct named_use *use = &named->uses[warp - warp->block->warps];
    struct arrivals *last = &use->last[barrier];
    check_arrival(warp, lanes, barrier);
    learn(&named->carried[barrier], &use->known);
    *last = (struct arrivals){.lanes = last->phase == named->ended.of[barrier] ? last->lanes | lanes : lanes,
                              .phase = named->ended.of[barrier],
                              .instruction = lane_of(warp, first_lane(lanes))->instruction};
}

void rules_count_is_wrong(const struct warp *warp, unsigned lane, const char *text)
{
    const void *here = lane_of(warp, lane)->instruction;
    if (rule_is_newly_broken(RULE_COUNT, here, NULL)) {
        rule_say("block %u thread %u at %s: %s", warp->block->index, thread_of(warp, lane),
                 rule_line_of_lane(warp, lane), text);
        rule_mend("give %s a barrier from 0 to %u, and the number of threads of all warps that come to it: a "
                  "multiple of %u, the same in each call",
                  rule_line_of_lane(warp, lane), NAMED_BARRIERS - 1,
                  (unsigned)the_machine.description.warp_size);
    }
    rules_stop();
}

void rules_named_barrier_opens(struct block *block, unsigned barrier)
{
    struct named *named = named_of(block);
    /* no thread can arrive early at a tile's barrier, because all threads that arrive also wait; so its
     * phases need no count */
    struct phases tile = {{0}}, *carried = barrier < NAMED_BARRIERS ? &named->carried[barrier] : &tile;
    if (barrier < NAMED_BARRIERS)
        carried->of[barrier] = ++named->ended.of[barrier];
    for (unsigned w = 0; w < block->warp_count; w++) {
        struct warp *warp = &block->warps[w];
        lane_set waiting = lanes_at_named(warp, barrier);
        rules_order(warp, waiting);
        if (waiting)
            learn(&named->uses[w].known, carried);
    }
    *carried = (struct phases){{0}};
}

/* Gives each warp the knowledge of all warps, because all have arrived at a __syncthreads(). */
static void share_phases(const struct block *block)
{
    struct named *named = block->rules->named;
    struct phases all = {{0}};
    for (unsigned w = 0; named && w < block->warp_count; w++)
        learn(&all, &named->uses[w].known);
    for (unsigned w = 0; named && w < block->warp_count; w++)
        learn(&named->uses[w].known, &all);
}

/* A warp that reads data which other threads may have written as a message counts as knowing all phases that
 * have ended. */
static void learn_by_reading(const struct warp *warp, const struct group *group)
{
    struct named *named = warp->block->rules->named;
    bool reads = group->kind == REQUEST_ATOMIC || group->kind == REQUEST_LOCK_LOAD ||
                 (group->kind == REQUEST_LOAD && !group->plain_load);
    if (named && reads)
        named->uses[warp - warp->block->warps].known = named->ended;
}

/* ---- a group's instruction ---- */

void rules_come_to(struct warp *warp, const struct group *group)
{
    struct block_rules *rules = warp->block->rules;
    struct visit here = {.instruction = group->instruction, .warp = warp};
    if (rules->detour_count)
        check_detours(rules, warp, group);
    learn_by_reading(warp, group);
    if (group->kind == REQUEST_ATOMIC || group->kind == REQUEST_LOCK_LOAD)
        rules_order(warp, group->lanes);
    if (group->kind == REQUEST_STORE || group->kind == REQUEST_ATOMIC)
        rules_store(warp, group);
    struct visit *visit = map_get(&rules->visits, &here);
    visit->lanes |= group->lanes;
}

/* ---- __syncthreads() ---- */

/* Returns whether two instructions are calls of __syncthreads() in different places of the source. The
 * compiler may generate several instructions for one place. */
static bool are_different_places(const void *a, const void *b)
{
    unsigned of_a = ptx_barrier_place(a), of_b = ptx_barrier_place(b);
    return of_a && of_b && of_a != of_b;
}

static void check_places(const struct block *block)
{
    const struct warp *first = NULL;
    unsigned lane = 0;
    for (unsigned w = 0; w < block->warp_count; w++) {
        const struct warp *warp = &block->warps[w];
        const void *before = NULL;
        FOR_EACH_LANE(i, told_lanes(warp, warp->at_block_barrier))
        {
            const void *here = warp->lanes[i].instruction;
            if (!first) {
                first = warp;
                lane = i;
            }
            if (here == before)
                continue;
            before = here;
            const void *there = lane_of(first, lane)->instruction;
            if (are_different_places(there, here) && rule_is_newly_broken(RULE_ONE_PLACE, there, here)) {
                rule_say(
                    "block %u thread %u waits in __syncthreads() at %s, and thread %u in that at %s%s: all "
                    "threads of a block must come to the same one",
                    block->index, thread_of(first, lane), rule_line_of_lane(first, lane), thread_of(warp, i),
                    rule_line_of_lane(warp, i),
                    source_is_same_line(there, here) ? " (another in the same line)" : "");
                rule_mend(
                    "one __syncthreads() outside of the branches, to which all threads come, in place "
                    "of that at %s and that at %s: after what the branches do before theirs, and before "
                    "what they do after",
                    rule_line_of_lane(first, lane), rule_line_of_lane(warp, i));
            }
        }
    }
}

/* Returns whether this __syncthreads() has opened before, and notes that it opens. */
static bool opens_again(struct block_rules *rules, uint32_t site)
{
    for (unsigned i = 0; i < MOST_OPENED && i < rules->opened_count; i++)
        if (rules->opened[i] == site)
            return true;
    rules->opened[rules->opened_count++ % MOST_OPENED] = site;
    return false;
}

/* A __syncthreads() opens again, so it is in a loop: threads that have exited since the block's last one have
 * left this loop before the others. The barrier is then in conditional code whose condition is not the same
 * for all threads of the block, which CUDA allows for no __syncthreads() (CUDA Programming Guide,
 * "Synchronization Functions"). */
static void check_rounds(const struct block *block)
{
    const struct warp *waiting = NULL, *left = NULL;
    lane_set exits = 0;
    for (unsigned w = 0; w < block->warp_count; w++) {
        const struct warp *warp = &block->warps[w];
        if (warp->at_block_barrier && !waiting)
            waiting = warp;
        if (!left && warp->exited & ~block->rules->exited[w]) {
            left = warp;
            exits = warp->exited & ~block->rules->exited[w];
        }
    }
    if (!waiting)
        return;
    unsigned lane = first_lane(waiting->at_block_barrier);
    const void *barrier = lane_of(waiting, lane)->instruction;
    if (opens_again(block->rules, site_of(barrier, waiting->more[lane].calls)) && left &&
        rule_is_newly_broken(RULE_WHOLE_BLOCK, barrier, NULL)) {
        rule_say(
            "block %u: the threads leave the loop that has the __syncthreads() at %s after different "
            "numbers of rounds: thread %u waits there again, and thread %u, which did so before, has exited",
            block->index, rule_line_of_lane(waiting, lane), thread_of(waiting, lane),
            thread_of(left, first_lane(exits)));
        rule_mend("give the loop of __syncthreads() at %s the same number of rounds in all threads of the "
                  "block, with the work of a round in an if",
                  rule_line_of_lane(waiting, lane));
    }
}

/* Returns the number of a thread that executed the instruction and exited since the last __syncthreads().
 * Returns -1 if there is no such thread, or if a thread that has not exited executed the instruction, too. */
static int detoured(const struct block *block, const void *instruction)
{
    int thread = -1;
    for (unsigned w = 0; w < block->warp_count; w++) {
        const struct warp *warp = &block->warps[w];
        const struct visit here = {.instruction = instruction, .warp = warp},
                           *visit = map_find(&block->rules->visits, &here);
        lane_set lanes = visit ? visit->lanes : 0;
        lane_set exits = lanes & warp->exited & ~block->rules->exited[w];
        if (lanes & ~warp->exited)
            return -1;
        if (exits && thread < 0)
            thread = (int)thread_of(warp, first_lane(exits));
    }
    return thread;
}

static const void *barrier_of(const struct block *block)
{
    for (unsigned w = 0; w < block->warp_count; w++)
        if (block->warps[w].at_block_barrier) {
            const struct warp *warp = &block->warps[w];
            return lane_of(warp, first_lane(warp->at_block_barrier))->instruction;
        }
    return NULL;
}

static void note_detours(struct block *block)
{
    struct block_rules *rules = block->rules;
    bool exits = false;
    for (unsigned w = 0; w < block->warp_count; w++)
        exits = exits || block->warps[w].exited & ~rules->exited[w];
    const struct visit *visits = rules->visits.items;
    for (size_t i = 0; exits && i < rules->visits.count && rules->detour_count < MOST_DETOURS; i++) {
        const void *instruction = visits[i].instruction;
        int thread = detoured(block, instruction);
        if (thread >= 0)
            rules->detours[rules->detour_count++] = (struct detour){
                .instruction = instruction, .barrier = barrier_of(block), .exited = (unsigned)thread};
    }
}

static void note_absent(struct block *block)
{
    struct block_rules *rules = block->rules;
    rules->absent = 0;
    for (unsigned w = 0; w < block->warp_count; w++) {
        const struct warp *warp = &block->warps[w];
        lane_set came = warp->at_block_barrier;
        if (came)
            rules->last_site =
                site_of(lane_of(warp, first_lane(came))->instruction, warp->more[first_lane(came)].calls);
        FOR_EACH_LANE(i, all_lanes(warp) & ~came)
        {
            rules->last_absent = thread_of(warp, i);
            rules->first_absent = rules->absent++ ? rules->first_absent : rules->last_absent;
        }
    }
}

void rules_tell_part(const struct block *block)
{
    const struct block_rules *rules = block->rules;
    unsigned absent = rules ? rules->absent : 0;
    if (!absent)
        return;
    rule_mend("let all threads of the block come to __syncthreads() at %s: thread %u",
              rule_line_of_site(rules->last_site), rules->first_absent);
    if (absent > 1)
        rule_mend(absent == rules->last_absent - rules->first_absent + 1 ? " to thread %u"
                                                                         : " and, up to thread %u, %u more",
                  rules->last_absent, absent - 1);
    rule_mend(
        " did not; move the call out of the branch or before the return, and give a thread without a value "
        "a neutral one");
}

void rules_block_barrier_opens(struct block *block)
{
    struct block_rules *rules = block->rules;
    note_absent(block);
    check_places(block);
    check_rounds(block);
    note_detours(block);
    share_phases(block);
    for (unsigned w = 0; w < block->warp_count; w++) {
        rules->exited[w] = block->warps[w].exited;
        rules_order(&block->warps[w], block->warps[w].at_block_barrier);
    }
    map_clear(&rules->visits);
}
