/* One file because nothing but the critical path charges time to the accounts. */
#include "machine/engine/critical_path.h"
#include "base/map.h"
#include "base/memory.h"
#include "machine/code/instructions.h"
#include "machine/engine/bags.h"
#include "machine/engine/polled_words.h"
#include "machine/memory/shared_memory.h"
#include "machine/time/cost.h"
#include "machine/time/work.h"

#include <stdlib.h>

/* ---- the accounts of machine/time_spent.h ---- */

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

/* Returns the number of the account of an instruction, a reason and, for waits, the instruction that ended
 * the wait. It is the same in all launches. */
static unsigned spent_key(const void *at, const void *whom, enum machine_reason reason)
{
    struct machine_spent key = {.at = at, .whom = whom, .reason = reason}, *found = map_get(&accounts, &key);
    return (unsigned)(found - account(0));
}

/* Charges a span of the warp's own time. */
static void spent_by_warp(const struct warp *warp, unsigned key, uint64_t from, uint64_t to)
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

static void add_to_path(unsigned key, uint64_t units)
{
    account(key)->path += units;
}

/* Stores the bag's amounts as the times of the kernel's critical path. */
static void set_path(const struct bag *bag)
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

/* ---- the requests and the path of a warp ---- */

#define MOST_CHANGES 4 /* largest number of polled words that is recorded for one atomic of a warp */

/* A request that a warp has made. */
struct made {
    const void *instruction;
    /* the word that its first lane accesses, as polled_word() returns it, or 0 if there is none */
    uintptr_t word;
    uint64_t effect_at, done_at;
    uint64_t turn_at; /* for an atomic: time at which its last turn begins; otherwise 0 */
    /* if this request repeats an earlier one in a polling loop: the time at which the earlier one took
     * effect; otherwise 0 */
    uint64_t repeated_at;
    enum request_kind kind;
    enum machine_reason reason; /* why the warp waits if it waits for this request */
    /* can a loop poll with this request? True for a strong load and for an atomic that has changed nothing */
    bool may_poll;
    /* for an atomic: the polled words that it may change */
    uintptr_t changes[MOST_CHANGES];
    unsigned change_count;
};

#define REMEMBERED 32 /* number of a warp's last requests that are recorded */

struct warp_path {
    struct bag *bag; /* the time on the critical path up to `since` */
    uint64_t since;  /* time up to which the warp's time has been charged */
    uint64_t end;    /* time at which the warp's last exited lane and its stores ended */
    struct made made[REMEMBERED];
    unsigned count;     /* number of requests made; the last is at (count - 1) % REMEMBERED */
    const void *polls;  /* the instruction with which the warp polls, or NULL if it does not poll */
    const void *awaits; /* the last store that the polling loop has seen, or NULL if it has seen none */
    /* time at which the polling loop began, and time at which its last poll was done */
    uint64_t polls_since, polled_until;
    bool is_counted; /* has the warp ended? */
};

static struct warp_path *latest; /* the path of the warp for which the last event was handled */
/* for each multiprocessor, the path to the end of its last block; NULL if no block has ended */
static struct bag **ended;
static uint64_t *ended_at;
static unsigned ended_count;
static uint64_t kernel_end;

static struct made *last_made(struct warp_path *w)
{
    return w->count ? &w->made[(w->count - 1) % REMEMBERED] : NULL;
}

static struct made *add_made(struct warp_path *w, struct made made)
{
    w->made[w->count++ % REMEMBERED] = made;
    return last_made(w);
}

/* ---- charging ---- */

/* Charges the time up to `to` to the critical path, and to the warp itself unless it polls. */
static void charge(struct warp *warp, unsigned key, uint64_t to)
{
    struct warp_path *w = warp->path;
    if (to <= w->since)
        return;
    bag_add(w->bag, key, to - w->since);
    if (!w->polls)
        spent_by_warp(warp, key, w->since, to);
    w->since = to;
}

static enum machine_reason reason_of(enum request_kind kind)
{
    switch (kind) {
    case REQUEST_LOAD:
    case REQUEST_STORE:
        return SPENT_MEMORY;
    case REQUEST_BLOCK_BARRIER:
    case REQUEST_NAMED_BARRIER:
    case REQUEST_NAMED_ARRIVAL:
    case REQUEST_CLUSTER_ARRIVAL:
    case REQUEST_CLUSTER_WAIT:
    case REQUEST_WARP_BARRIER:
        return SPENT_BARRIER;
    case REQUEST_SHUFFLE:
    case REQUEST_MATCH:
    case REQUEST_REDUCTION:
    case REQUEST_BALLOT:
    case REQUEST_CONVERGENCE_SET:
    case REQUEST_CONVERGENCE_WAIT:
    case REQUEST_CLOCK:
        return SPENT_WORK;
    case REQUEST_SLEEP:
        return SPENT_SLEEP;
    default:
        return SPENT_ORDER;
    }
}

/* The reason for a request whose lanes access memory. L1 serves a load that takes L1's latency and no
 * more. */
static enum machine_reason reason_of_access(const struct lane *lane, const struct group *group, uint64_t now)
{
    enum machine_reason reason = reason_of(group->kind);
    if (reason != SPENT_MEMORY)
        return reason;
    if (!lane->plain)
        return SPENT_ORDER;
    if (shared_memory_has(lane->address))
        return SPENT_SHARED;
    uint64_t l1_latency = (uint64_t)the_machine.description.l1_latency;
    return l1_latency && group->kind == REQUEST_LOAD && group->complete_at == now + l1_latency ? SPENT_L1
                                                                                               : SPENT_MEMORY;
}

/* Charges the time up to `to`, during which the warp waited for this request. */
static void charge_request(struct warp *warp, const struct made *made, uint64_t to)
{
    if (!made)
        return;
    if (made->turn_at)
        charge(warp, spent_key(made->instruction, NULL, SPENT_UNIT), made->turn_at < to ? made->turn_at : to);
    charge(warp, spent_key(made->instruction, NULL, made->reason), to);
}

/* Returns the request whose result arrived at this time, or shortly before it, because the next instruction
 * may be delayed by a pause. Returns the last request if there is no such request. */
static const struct made *made_that_ends(struct warp_path *w, uint64_t time)
{
    unsigned known = w->count < REMEMBERED ? w->count : REMEMBERED;
    for (unsigned i = 0; i < known; i++) {
        const struct made *made = &w->made[(w->count - 1 - i) % REMEMBERED];
        if (made->done_at <= time && made->done_at + result_pause() + 1 >= time)
            return made;
    }
    return last_made(w);
}

/* The times between the warp's last dispatch and the dispatch of a group: until `waited` it waits for a
 * result or for the last request's effect, and then it executes instructions. */
struct parts {
    uint64_t waited;
    bool for_result;
};

static struct parts parts_of(const struct group *group, uint64_t now)
{
    uint64_t bound = group->work.bound / PARTS_OF_A_UNIT,
             free_at = group->issue_at + group->work.free / PARTS_OF_A_UNIT;
    uint64_t waited = group->ready_at > bound ? group->ready_at - bound : 0;
    struct parts parts = {.waited = waited, .for_result = waited > free_at};
    if (!parts.for_result)
        parts.waited = group->issue_at;
    if (parts.waited > now)
        parts.waited = now;
    return parts;
}

/* ---- polling loops ---- */

static bool is_between_polls(enum request_kind kind)
{
    return (kind >= REQUEST_FENCE_FULL && kind <= REQUEST_FENCE_BLOCK) || kind == REQUEST_SLEEP ||
           kind == REQUEST_CLOCK || kind == REQUEST_BALLOT || kind == REQUEST_CONVERGENCE_SET ||
           kind == REQUEST_CONVERGENCE_WAIT;
}

/* Returns the earlier request of a polling loop which the group's request repeats, or NULL. Between the two
 * requests the warp has only loaded, slept, or done other things that change nothing. */
static const struct made *repeated_by(struct warp_path *w, const struct warp *warp, const struct group *group)
{
    if (group->kind != REQUEST_LOAD && group->kind != REQUEST_ATOMIC && group->kind != REQUEST_LOCK_LOAD)
        return NULL;
    uintptr_t word = polled_word(warp, warp->lanes[first_lane(group->lanes)].address);
    unsigned known = w->count < REMEMBERED ? w->count : REMEMBERED;
    for (unsigned i = 0; i < known; i++) {
        const struct made *made = &w->made[(w->count - 1 - i) % REMEMBERED];
        if (made->may_poll && made->instruction == group->instruction && made->word == word)
            return made;
        if (!made->may_poll && !is_between_polls(made->kind))
            return NULL;
    }
    return NULL;
}

/* If the last request saw a store that another warp made since the previous poll, the critical path continues
 * in that warp from the store on. */
static void follow_store(struct warp *warp, const struct made *last, uint64_t to)
{
    struct warp_path *w = warp->path;
    const struct polled_store *store =
        last && last->repeated_at ? polled_words_last(last->word, warp, last->repeated_at, last->effect_at)
                                  : NULL;
    if (!store || store->made_at > to)
        return;
    w->awaits = store->instruction;
    bag_disown(w->bag);
    w->bag = bag_new(store->bag);
    if (to > store->made_at)
        bag_add(w->bag, spent_key(last->instruction, w->awaits, SPENT_WAIT), to - store->made_at);
    w->since = to;
}

static void charge_warp(const struct warp *warp, unsigned key, uint64_t from, uint64_t to)
{
    if (to > from)
        spent_by_warp(warp, key, from, to);
}

/* Called when a polling loop has ended. Charges the warp with the loop, and with the time since the last
 * poll. A loop that saw no store of another warp is charged as loads, not as a wait. */
static void end_poll(struct warp *warp)
{
    struct warp_path *w = warp->path;
    const struct made *last = last_made(w);
    unsigned key = spent_key(w->polls, w->awaits, w->awaits ? SPENT_WAIT : SPENT_ORDER);
    charge_warp(warp, key, w->polls_since, w->polled_until);
    charge_warp(warp, spent_key(last->instruction, NULL, last->reason), w->polled_until, w->since);
    w->polls = w->awaits = NULL;
}

/* Called when a warp that polls is dispatched. Charges the path with the last poll, up to `to`. Fences and
 * sleeps between two polls do not end the loop. */
static void go_on_polling(struct warp *warp, const struct group *group, uint64_t to, bool polls_again)
{
    struct warp_path *w = warp->path;
    const struct made *last = last_made(w);
    if (polls_again || last->repeated_at) {
        charge(warp, spent_key(w->polls, NULL, SPENT_ORDER), to);
        follow_store(warp, last, w->since);
        w->polled_until = w->since;
    }
    if (!polls_again && !is_between_polls(group->kind))
        end_poll(warp);
}

/* ---- called by the event loop ---- */

void critical_path_open(void)
{
    for (unsigned s = 0; s < ended_count; s++)
        bag_disown(ended[s]);
    free(ended);
    free(ended_at);
    ended_count = the_machine.run.sm_count;
    ended = allocate(ended_count * sizeof *ended);
    ended_at = allocate(ended_count * sizeof *ended_at);
    kernel_end = 0;
    latest = NULL;
    polled_words_forget();
    for (size_t i = 0; i < accounts.count; i++)
        account(i)->path = account(i)->warps = 0;
    warp_count = 0;
}

void critical_path_begin(struct warp *warp, uint64_t now)
{
    unsigned sm = warp->block->sm->index;
    uint64_t start = the_machine.run.start;
    if (the_machine.run.shared)
        return;
    struct warp_path *w = warp->path = allocate(sizeof *w);
    bool follows = ended[sm] && ended_at[sm] == now;
    w->bag = bag_new(follows ? ended[sm] : NULL);
    w->since = now;
    if (!follows && now > start)
        bag_add(w->bag, spent_key(NULL, NULL, SPENT_OUTSIDE), now - start);
    latest = w;
}

void critical_path_dispatch(struct warp *warp, const struct group *group, uint64_t now)
{
    struct warp_path *w = warp->path;
    if (!w)
        return;
    struct made *last = last_made(w);
    struct parts parts = parts_of(group, now);
    const struct made *repeated = repeated_by(w, warp, group);
    if (repeated && !w->polls) {
        w->polls = group->instruction;
        w->polls_since = w->polled_until = w->since;
    }
    if (w->polls)
        go_on_polling(warp, group, repeated ? now : parts.waited, repeated != NULL);
    charge_request(warp, parts.for_result ? made_that_ends(w, parts.waited) : last, parts.waited);
    charge(warp, spent_key(group->instruction, NULL, SPENT_WORK), now);
    if (is_rendezvous(group->kind))
        add_made(w, (struct made){.instruction = group->instruction,
                                  .kind = group->kind,
                                  .reason = reason_of(group->kind),
                                  .effect_at = now,
                                  .done_at = now});
    latest = w;
}

/* Notes that the warp has stored to a polled word. */
static void note_store(struct warp *warp, const void *instruction, uintptr_t word, uint64_t effect_at)
{
    struct warp_path *w = warp->path;
    polled_words_store(word, &(struct polled_store){.warp = warp,
                                                    .instruction = instruction,
                                                    .made_at = w->since,
                                                    .effect_at = effect_at,
                                                    .bag = bag_share(&w->bag)});
}

/* Notes the polled words to which these lanes store. For an atomic, the words that it really changes are
 * known only when it takes effect. */
static void note_stores(struct warp *warp, const struct group *group, struct made *made)
{
    FOR_EACH_LANE(i, group->lanes)
    {
        uintptr_t word = polled_word(warp, warp->lanes[i].address);
        if (!polled_words_has(word))
            continue;
        if (group->kind != REQUEST_ATOMIC)
            note_store(warp, group->instruction, word, group->effect_at);
        else if (made->change_count < MOST_CHANGES)
            made->changes[made->change_count++] = word;
    }
}

void critical_path_request(struct warp *warp, const struct group *group, uint64_t now)
{
    struct warp_path *w = warp->path;
    if (!w)
        return;
    const struct lane *lane = &warp->lanes[first_lane(group->lanes)];
    const struct made *repeated = repeated_by(w, warp, group);
    struct made made = {.instruction = group->instruction,
                        .kind = group->kind,
                        .reason = reason_of_access(lane, group, now),
                        .word = lane->address ? polled_word(warp, lane->address) : 0,
                        .effect_at = group->effect_at,
                        .done_at = group->complete_at,
                        .repeated_at = repeated ? repeated->effect_at : 0};
    made.may_poll = group->kind == REQUEST_LOAD ? !lane->plain : group->kind == REQUEST_LOCK_LOAD;
    if (group->kind == REQUEST_ATOMIC) {
        uint64_t turn = group->effect_at, way = cost_way_of_atomic(warp, lane->address);
        for (lane_set left = group->parts ? group->lanes : 0; left; left &= left - 1) {
            uint64_t own = warp->more[first_lane(left)].effect_at;
            turn = own > turn ? own : turn;
        }
        made.turn_at = turn > now + way ? turn - way : 0;
        /* a thread goes on before an atomic without a result is done, but the kernel ends only after it */
        if (lane->unused && lane->stores_done_at > made.done_at)
            made.done_at = lane->stores_done_at;
    }
    if (made.may_poll)
        polled_words_watch(made.word);
    if (group->kind == REQUEST_STORE || group->kind == REQUEST_ATOMIC || group->kind == REQUEST_STORE_UNLOCK)
        note_stores(warp, group, &made);
    add_made(w, made);
}

void critical_path_effect(struct warp *warp, bool is_vain, uint64_t now)
{
    struct made *last = warp->path ? last_made(warp->path) : NULL;
    if (!last || last->kind != REQUEST_ATOMIC)
        return;
    last->may_poll = is_vain;
    if (is_vain)
        polled_words_watch(last->word);
    for (unsigned i = 0; !is_vain && i < last->change_count; i++)
        note_store(warp, last->instruction, last->changes[i], now);
}

void critical_path_depart(struct warp *warp, lane_set lanes, uint64_t now, uint64_t done_at)
{
    struct warp_path *w = warp->path;
    if (!w || !lanes)
        return;
    const struct lane *lane = &warp->lanes[first_lane(lanes)];
    enum machine_reason reason = reason_of(lane->kind);
    unsigned key = spent_key(lane->instruction, NULL, reason);
    if (w->since < now) {
        if (latest && latest != w && latest->since == now) {
            struct bag *bag = bag_share(&latest->bag);
            bag_disown(w->bag);
            w->bag = bag_new(bag);
            bag_disown(bag);
            if (!w->polls)
                spent_by_warp(warp, key, w->since, now);
            w->since = now;
        }
        charge(warp, key, now);
    }
    add_made(w, (struct made){.instruction = lane->instruction,
                              .kind = lane->kind,
                              .reason = reason,
                              .effect_at = now,
                              .done_at = done_at});
}

void critical_path_exit(struct warp *warp, uint64_t now)
{
    struct warp_path *w = warp->path;
    if (!w)
        return;
    const struct made *last = last_made(w);
    if (last)
        charge_request(warp, last, last->done_at < now ? last->done_at : now);
    charge(warp, spent_key(last ? last->instruction : NULL, NULL, SPENT_WORK), now);
    latest = w;
}

void critical_path_end(struct warp *warp, uint64_t end)
{
    struct warp_path *w = warp->path;
    if (!w)
        return;
    w->end = end > w->end ? end : w->end;
    if (warp->exited != all_lanes(warp))
        return;
    const struct made *last = made_that_ends(w, w->end);
    if (w->polls)
        end_poll(warp);
    if (last)
        charge_request(warp, last, last->done_at < w->end ? last->done_at : w->end);
    /* what is left is the way of stores, which the thread did not wait for */
    enum machine_reason rest = last && !is_rendezvous(last->kind) ? SPENT_MEMORY : SPENT_WORK;
    charge(warp, spent_key(last ? last->instruction : NULL, NULL, rest), w->end);
    warp_count += !w->is_counted;
    w->is_counted = true;
}

void critical_path_retire(const struct block *block)
{
    unsigned sm = block->sm->index;
    struct warp_path *last = NULL;
    for (unsigned w = 0; w < block->warp_count; w++) {
        struct warp_path *path = block->warps[w].path;
        if (path && (!last || path->end > last->end))
            last = path;
    }
    if (!last)
        return;
    bag_disown(ended[sm]);
    ended[sm] = bag_share(&last->bag);
    ended_at[sm] = last->end;
    if (last->end >= kernel_end) {
        kernel_end = last->end;
        set_path(ended[sm]);
    }
}

void critical_path_remove(struct block *block)
{
    for (unsigned w = 0; w < block->warp_count; w++) {
        struct warp_path *path = block->warps[w].path;
        if (!path)
            continue;
        latest = path == latest ? NULL : latest;
        bag_disown(path->bag);
        free(path);
        block->warps[w].path = NULL;
    }
}
