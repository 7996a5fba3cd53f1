/* One file because accesses, fences, copies and barriers all change the views of threads, whose structure no
 * other file may see. */
#include "machine/weak/memory_model.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* The largest number of locations in a placed_list. The list's last entry stands for all locations that
 * do not fit, which only hides outcomes. */
#define MOST_LOCATIONS 6
#define ANY_LOCATION NULL

/* The views that a thread has read from messages of one location, or has released to it: one for each meeting
 * place (enum place of view.h). */
struct placed {
    const struct history *history;
    /* the `chain` and `length` (view.h) of the release from which these views were last taken */
    uint64_t chain, length;
    struct view *view[PLACES];
};

/* the largest number of accesses that tie a fence.sc to an earlier one, for the world ANY_ORDER */
#define MOST_TIES 256

/* A list of views by location. A pointer to a list is NULL until the list is needed, because most threads
 * only execute fences, and neither release nor poll. */
struct placed_list {
    unsigned count;
    struct placed items[MOST_LOCATIONS];
};

/* A thread's data for one what-if world (enum what_if) in addition to its view. A thread has them only if it
 * has released its view or has read a message with a released view. */
struct engaged {
    struct view *acquired[PLACES]; /* the last view that the thread acquired at each meeting place */
    struct view *fence[PLACES];    /* the views that the thread's fences released, for each meeting place */
    struct placed_list *written;   /* the views that the thread's writes released, by the location written */
    /* views that strong reads have seen and that the thread has not acquired yet */
    struct placed_list *pending;
};

struct model_thread {
    struct model_block *block;
    /* the block's time when the thread last published its writes to others */
    uint32_t published;
    /* for a copy of the asynchronous proxy, the world whose view decides what it may read; otherwise
     * AS_IT_IS */
    enum what_if proxy;
    struct view *view[MOST_VIEWS]; /* the thread's view in each world of enum what_if */
    /* the thread's further data in each world; NULL until it releases its view or reads a message with a
     * released view */
    struct engaged *engaged[MOST_VIEWS];
};

/* The knowledge that a fence.sc gets from earlier fence.sc at one meeting place (a block, a cluster, a device
 * or the system). `view` is the view of the last fence's thread after the fence; it includes the views after
 * all earlier fences. `part` is the view of the same thread before the fence. In the world ANY_ORDER, `view`
 * is the union of the views after all fences, and `part` is NULL. Both are NULL before the first fence. */
struct sequential {
    struct view *view, *part;
    /* the `chain` of this meeting place's views, and the `length` of the latest one (view.h) */
    uint64_t chain, length;
};

struct model_block {
    unsigned number, party;
    unsigned count;  /* number of threads */
    bool in_cluster; /* is the block in a cluster of several? */
    uint32_t time;
    struct model_thread *threads;
    struct sequential sequential[MOST_VIEWS];
    /* copies[c] has the copies of the block's threads in place c of model_copy_begin(); NULL if there
     * are none */
    struct model_block *copies[MOST_COPIES];
};

static struct {
    struct model_shape shape;
    unsigned warps, devices;
    /* the worlds for which views are kept; the PROXIED worlds are added at the first copy or proxy fence */
    enum what_if worlds[MOST_VIEWS];
    unsigned world_count;
    /* for each device, the knowledge of the fence.sc executed so far; the last entry is for the whole
     * system */
    struct sequential (*sequential)[MOST_VIEWS];
    /* the knowledge about global memory that ended threads had handed to the asynchronous proxy */
    struct view *handed_on;
    struct view *host; /* what the host has learned by reading */
    bool awaited;      /* true if any thread has waited for the end of the kernel before this one */
    bool fenced;       /* true if any thread has executed fence.sc */
    /* Accesses to locations that another thread had accessed after a fence.sc. If a thread knows such an
     * access, its later fences cannot precede that fence.sc. `keeps_orders` is true if the order of all
     * fences must be kept, because there were too many such accesses, or because an access was inserted
     * before an earlier one in the coherence order. */
    struct known_access {
        uint32_t thread, time;
    } ties[MOST_TIES];
    unsigned tie_count;
    bool keeps_orders;
    struct party *parties;
    unsigned party_count;
    unsigned *party_of_block; /* for each block number, the party to which the block belongs */
    /* number of all parties' blocks so far, including a marker for each party except the first */
    unsigned blocks;
} model;

/* A party and the number of its first block. The preceding block number is the party's marker, which stands
 * for everything that the party knew when it began. The marker is in the views of all of the party's threads,
 * and so in the views that they release. */
struct party {
    struct model_party is;
    unsigned first;
    /* for each cluster, the knowledge of its fence.sc; NULL if the clusters have one block each */
    struct sequential (*of_clusters)[MOST_VIEWS];
};

/* A loop over the worlds for which views are kept. */
#define FOR_EACH_WORLD(w)                                                                                    \
    for (unsigned w##_at = 0, w; w##_at < model.world_count && (w = model.worlds[w##_at], true); w##_at++)

static bool keeps_world(enum what_if world)
{
    FOR_EACH_WORLD (w)
        if (w == world)
            return true;
    return false;
}

static void add_world(enum what_if world)
{
    if (!keeps_world(world))
        model.worlds[model.world_count++] = world;
}

static bool is_proxied(enum what_if world)
{
    return world == PROXIED_SHARED || world == PROXIED_GLOBAL;
}

static bool widens(enum what_if world)
{
    return world == WIDE || world == WIDE_AND_BOTH;
}

/* Returns the strength that a strong access or a fence has in this what-if world. */
static struct strength in_world(enum what_if world, struct strength strength, bool is_fence)
{
    if (widens(world))
        strength.scope = SCOPE_SYSTEM;
    if (is_fence)
        return strength;
    if (world == RELEASED || world == RELEASED_ACQUIRED || world == WIDE_AND_BOTH)
        strength.order |= ORDER_RELEASE;
    bool acquires = world == ACQUIRED || world == RELEASED_ACQUIRED || world == WIDE_AND_BOTH;
    if (acquires && !(strength.order & ORDER_ARRIVAL))
        strength.order |= ORDER_ACQUIRE;
    return strength;
}

/* ---- numbers ---- */

/* The first of the three thread numbers that stand for the kernel before this one. Smaller numbers are
 * numbers of threads and copies, block by block: first the threads of the grid's blocks, then, for each
 * block, the first copies of its threads, then the second copies, and so on. */
#define NUMBER_BEFORE UINT32_C(0xffff0000)
#define BETWEEN_NUMBERS 8192

static unsigned block_of(unsigned number)
{
    return number % model.shape.blocks;
}

static struct party *party_of_number(unsigned block)
{
    return &model.parties[model.party_of_block[block_of(block)]];
}

static struct party *party_of(uint32_t writer)
{
    return party_of_number(writer / model.shape.threads);
}

static unsigned device_of(unsigned block)
{
    unsigned of_party = block_of(block) < model.blocks ? party_of_number(block)->is.device : 0;
    return of_party + block_of(block) / model.shape.blocks_per_device;
}

static unsigned in_block(const struct model_thread *thread)
{
    return (unsigned)(thread - thread->block->threads);
}

uint32_t model_thread_number(const struct model_thread *thread)
{
    return thread->block->number * model.shape.threads + in_block(thread);
}

struct writer model_writer(uint32_t number)
{
    unsigned block = number / model.shape.threads;
    if (number >= NUMBER_BEFORE)
        return (struct writer){.kind = OF_KERNEL_BEFORE};
    const struct party *party = party_of(number);
    return (struct writer){.kind = party->is.is_task            ? OF_A_TASK
                                   : block < model.shape.blocks ? OF_A_THREAD
                                                                : OF_A_COPY,
                           .party = (unsigned)(party - model.parties),
                           .block = block_of(block) - party->first,
                           .thread = number % model.shape.threads,
                           .name = party->is.name,
                           .instruction = party->is.instruction};
}

bool model_is_of_other_party(const struct model_thread *thread, uint32_t number)
{
    return model.party_count > 1 && number < NUMBER_BEFORE &&
           party_of(number) != &model.parties[thread->block->party];
}

static uint32_t warp_of(uint32_t thread)
{
    return thread / model.shape.threads * model.warps + thread % model.shape.threads / model.shape.warp;
}

static unsigned lane_of(uint32_t thread)
{
    return thread % model.shape.threads % model.shape.warp;
}

/* Returns the number of the first block of the block's cluster. */
static unsigned cluster_of(unsigned block)
{
    block = block_of(block);
    /* NULL means that the block belongs to an earlier kernel */
    const struct party *party = block < model.blocks ? party_of_number(block) : NULL;
    return party && party->is.cluster ? block - (block - party->first) % party->is.cluster : block;
}

static void places_of(const struct model_block *block, uint32_t places[PLACES])
{
    places[PLACE_BLOCK] = block_of(block->number);
    places[PLACE_CLUSTER] = PLACE_OF_CLUSTER(cluster_of(block->number));
    places[PLACE_DEVICE] = PLACE_OF_DEVICE(device_of(block->number));
    places[PLACE_SYSTEM] = PLACE_OF_SYSTEM;
}

/* Is this one of the block's meeting places that the scope reaches? */
static bool reaches(const struct model_block *block, enum machine_scope scope, unsigned place)
{
    return place < (unsigned)scope && (place != PLACE_CLUSTER || block->in_cluster);
}

/* ---- launches and blocks ---- */

static uint64_t lanes_below(unsigned count)
{
    return count >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1;
}

void model_begin(struct model_shape shape)
{
    history_gives_back_by(release_drop);
    model.shape = shape;
    model.warps = (shape.threads + shape.warp - 1) / shape.warp;
    model.world_count = 0;
    add_world(AS_IT_IS);
    for (enum what_if w = WIDE; shape.what_ifs && w <= WIDE_AND_BOTH; w++)
        add_world(w);
    if (shape.orders)
        add_world(ANY_ORDER);
    model.devices = (shape.blocks - 1) / shape.blocks_per_device + (shape.devices ? shape.devices : 1);
    model.sequential = allocate((model.devices + 1) * sizeof *model.sequential);
    unsigned last = shape.threads - (model.warps - 1) * shape.warp;
    view_set_shape((struct view_shape){model.warps, lanes_below(shape.warp), lanes_below(last)});
}

static void forget_sequential(struct sequential *sequential)
{
    view_set(&sequential->view, NULL);
    view_set(&sequential->part, NULL);
}

static void party_end(struct party *party)
{
    for (unsigned c = 0; party->of_clusters && c < party->is.blocks / party->is.cluster; c++)
        for (unsigned w = 0; w < MOST_VIEWS; w++)
            forget_sequential(&party->of_clusters[c][w]);
    free(party->of_clusters);
    clock_drop(party->is.clock);
}

void model_end(void)
{
    for (unsigned d = 0; model.sequential && d <= model.devices; d++)
        for (unsigned w = 0; w < MOST_VIEWS; w++)
            forget_sequential(&model.sequential[d][w]);
    free(model.sequential);
    model.sequential = NULL;
    view_set(&model.handed_on, NULL);
    view_set(&model.host, NULL);
    model.awaited = model.fenced = model.keeps_orders = false;
    model.tie_count = 0;
    view_forget_recent();
    for (unsigned p = 0; p < model.party_count; p++)
        party_end(&model.parties[p]);
    model.party_count = model.blocks = 0;
}

/* ---- parties: launches, and other tasks of streams ---- */

unsigned model_join(const struct model_party *joining)
{
    unsigned marker = model.party_count ? 1 : 0, number = model.party_count;
    model.parties = with_room(model.parties, sizeof *model.parties, number, 1);
    struct party *party = &model.parties[model.party_count++];
    *party = (struct party){.is = *joining, .first = model.blocks + marker};
    if (joining->cluster > 1)
        party->of_clusters = allocate(joining->blocks / joining->cluster * sizeof *party->of_clusters);
    clock_keep(party->is.clock);
    model.party_of_block =
        with_room(model.party_of_block, sizeof *model.party_of_block, model.blocks, marker + joining->blocks);
    for (unsigned b = 0; b < marker + joining->blocks; b++)
        model.party_of_block[model.blocks++] = number;
    return number;
}

bool model_has_room(unsigned blocks)
{
    return model.shape.blocks >= model.blocks && model.shape.blocks - model.blocks > blocks;
}

bool model_all_known(const struct clock *clock)
{
    for (unsigned p = 0; p < model.party_count; p++)
        if (!clock_knows(clock, model.parties[p].is.stamp))
            return false;
    return true;
}

void model_tell_host(const struct history *history)
{
    for (unsigned m = 0; m < history->count; m++) {
        const struct release *release = history->messages[m].release[AS_IT_IS];
        if (release)
            view_add(&model.host, release_at(release, PLACE_OF_SYSTEM));
    }
}

/* Had the writer's party (its launch or task) ended before the party of this thread began? */
static bool comes_before(uint32_t writer, const struct model_thread *thread)
{
    return model.party_count > 1 && writer < NUMBER_BEFORE &&
           clock_knows(model.parties[thread->block->party].is.clock, party_of(writer)->is.stamp);
}

/* Does the view know a party (a launch or task) that began after the writer's party had ended? */
static bool knows_of_later_party(const struct view *view, uint32_t writer)
{
    if (model.party_count < 2 || !view || writer >= NUMBER_BEFORE)
        return false;
    struct stamp stamp = party_of(writer)->is.stamp;
    for (unsigned p = 1; p < model.party_count; p++)
        if (clock_knows(model.parties[p].is.clock, stamp) &&
            view_knows(view, (model.parties[p].first - 1) * model.warps, 0, 1))
            return true;
    return false;
}

bool model_host_knows(const struct clock *clock, uint32_t writer, uint32_t time)
{
    return writer >= NUMBER_BEFORE || clock_knows(clock, party_of(writer)->is.stamp) ||
           view_knows(model.host, warp_of(writer), lane_of(writer), time) ||
           knows_of_later_party(model.host, writer);
}

/* ---- blocks ---- */

static struct model_block *begin_block(unsigned party, unsigned number, unsigned threads)
{
    struct model_block *block = allocate(sizeof *block);
    block->number = number;
    block->party = party;
    block->in_cluster = model.parties[party].of_clusters;
    block->count = threads;
    block->time = 1;
    block->threads = allocate(threads * sizeof *block->threads);
    for (unsigned t = 0; t < threads; t++)
        block->threads[t].block = block;
    return block;
}

struct model_block *model_block_begin(unsigned number, unsigned index)
{
    const struct party *party = &model.parties[number];
    struct model_block *block = begin_block(number, party->first + index, party->is.threads);
    if (number == 0)
        return block;
    struct view *marked = view_with_block(NULL, party->first - 1, 1);
    for (unsigned t = 0; t < block->count; t++)
        for (unsigned w = 0; w < MOST_VIEWS; w++)
            if (!is_proxied((enum what_if)w))
                block->threads[t].view[w] = view_keep(marked);
    view_drop(marked);
    return block;
}

static void list_end(struct placed_list *list)
{
    for (unsigned i = 0; list && i < list->count; i++)
        for (unsigned p = 0; p < PLACES; p++)
            view_drop(list->items[i].view[p]);
    free(list);
}

static void disengage(struct engaged *engaged)
{
    if (!engaged)
        return;
    for (unsigned p = 0; p < PLACES; p++) {
        view_drop(engaged->fence[p]);
        view_drop(engaged->acquired[p]);
    }
    list_end(engaged->written);
    list_end(engaged->pending);
    free(engaged);
}

static void thread_end(struct model_thread *thread)
{
    for (unsigned w = 0; w < MOST_VIEWS; w++) {
        view_set(&thread->view[w], NULL);
        disengage(thread->engaged[w]);
        thread->engaged[w] = NULL;
    }
}

void model_block_end(struct model_block *block)
{
    for (unsigned t = 0; t < block->count; t++) {
        view_add(&model.handed_on, block->threads[t].view[PROXIED_GLOBAL]);
        thread_end(&block->threads[t]);
    }
    for (unsigned w = 0; w < MOST_VIEWS; w++)
        forget_sequential(&block->sequential[w]);
    for (unsigned c = 0; c < MOST_COPIES; c++)
        if (block->copies[c])
            model_block_end(block->copies[c]);
    free(block->threads);
    free(block);
}

struct model_thread *model_thread(struct model_block *block, unsigned thread)
{
    return &block->threads[thread];
}

/* ---- queries of what a thread knows ---- */

uint32_t model_write_time(struct model_thread *thread)
{
    if (thread->published == thread->block->time)
        thread->block->time++;
    return thread->block->time;
}

/* Returns the view of a thread in this what-if world. A copy of the asynchronous proxy has only one view:
 * what proxy fences have made known to this proxy. */
static struct view *view_of(const struct model_thread *thread, enum what_if world)
{
    return thread->view[world == AS_IT_IS || (world == ANY_ORDER && thread->proxy) ? thread->proxy : world];
}

bool model_knows(const struct model_thread *thread, enum what_if world, uint32_t writer, uint32_t time)
{
    return writer == NO_THREAD || writer == model_thread_number(thread) || comes_before(writer, thread) ||
           view_knows(view_of(thread, world), warp_of(writer), lane_of(writer), time) ||
           knows_of_later_party(view_of(thread, world), writer);
}

static enum what_if world_of_orders(void)
{
    return model.shape.orders && !model.keeps_orders ? ANY_ORDER : AS_IT_IS;
}

bool model_surely_orders(struct model_known *known, const struct model_thread *thread, uint32_t writer,
                         uint32_t time)
{
    const struct view *view = view_of(thread, AS_IT_IS), *ordered = view_of(thread, world_of_orders());
    if (writer - known->first < known->count && known->view == view && known->ordered == ordered)
        return time <= known->time;
    if (writer >= NUMBER_BEFORE)
        return false;
    uint32_t block = writer / model.shape.threads, knows = view_time_of_block(view, block),
             orders = view_time_of_block(ordered, block);
    *known = (struct model_known){.view = view,
                                  .ordered = ordered,
                                  .first = block * model.shape.threads,
                                  .count = model.shape.threads,
                                  .time = comes_before(writer, thread) ? UINT32_MAX
                                          : knows < orders             ? knows
                                                                       : orders};
    return time <= known->time;
}

/* Returns whether the thread, in this what-if world, knows the message at this position. */
static bool knows_message(const struct model_thread *thread, enum what_if world,
                          const struct history *history, unsigned position)
{
    const struct message *message = &history->messages[position];
    return model_knows(thread, world, message->thread, message->time) ||
           view_seen(view_of(thread, world), history) == (int)position;
}

bool model_orders(const struct model_thread *thread, uint32_t writer, uint32_t time)
{
    return model_knows(thread, world_of_orders(), writer, time);
}

bool model_orders_message(const struct model_thread *thread, const struct history *history, unsigned position)
{
    return knows_message(thread, world_of_orders(), history, position);
}

unsigned model_oldest(const struct model_thread *thread, const struct history *history)
{
    int seen = view_seen(view_of(thread, AS_IT_IS), history);
    for (unsigned i = history->count; i-- > 1;)
        if ((int)i == seen ||
            model_knows(thread, AS_IT_IS, history->messages[i].thread, history->messages[i].time))
            return i;
    return 0;
}

static bool includes(enum machine_scope scope, unsigned block, unsigned other)
{
    return scope == SCOPE_SYSTEM || (scope >= SCOPE_BLOCK && block == other) ||
           (scope == SCOPE_CLUSTER && cluster_of(block) == cluster_of(other)) ||
           (scope == SCOPE_DEVICE && device_of(block) == device_of(other));
}

static bool meet(const struct model_thread *thread, enum machine_scope scope, uint32_t other,
                 enum machine_scope other_scope)
{
    if (other == NO_THREAD)
        return false;
    unsigned block = block_of(thread->block->number), other_block = block_of(other / model.shape.threads);
    return other == model_thread_number(thread) ||
           (includes(scope, block, other_block) && includes(other_scope, other_block, block));
}

bool model_morally_strong(const struct model_thread *thread, enum machine_scope scope,
                          const struct message *message)
{
    return meet(thread, scope, message->thread, message->scope);
}

/* ---- views of a thread ---- */

static struct engaged *engage(struct model_thread *thread, enum what_if world)
{
    if (!thread->engaged[world])
        thread->engaged[world] = allocate(sizeof *thread->engaged[world]);
    return thread->engaged[world];
}

/* Returns a new view for other threads: the thread's view, together with all that the thread has written so
 * far. The caller owns the view. */
static struct view *publish(struct model_thread *thread, enum what_if world)
{
    uint32_t number = model_thread_number(thread);
    thread->published = thread->block->time;
    if (is_proxied(world) && !thread->proxy)
        return view_keep(thread->view[world]);
    return view_with_lanes(thread->view[world], warp_of(number), UINT64_C(1) << lane_of(number),
                           thread->published);
}

/* Returns the entry for the location in the list at *place, which is made if there is none. The last
 * entry stands for all locations that do not fit. */
static struct placed *placed_of(struct placed_list **place, const struct history *history)
{
    struct placed_list *list = *place = *place ? *place : allocate(sizeof *list);
    for (unsigned i = 0; i < list->count; i++)
        if (list->items[i].history == history)
            return &list->items[i];
    if (list->count == MOST_LOCATIONS) {
        struct placed *rest = &list->items[MOST_LOCATIONS - 1];
        rest->history = ANY_LOCATION;
        rest->chain = 0;
        return rest;
    }
    struct placed *added = &list->items[list->count++];
    added->history = history;
    return added;
}

static void note_pending(struct engaged *engaged, const struct history *history,
                         const struct release *release, const uint32_t places[PLACES])
{
    struct placed *placed = placed_of(&engaged->pending, history);
    bool all_of_it = placed->chain == release->chain && placed->length <= release->length;
    for (unsigned p = 0; p < PLACES; p++) {
        struct view *view = release_at(release, places[p]);
        if (all_of_it)
            view_set(&placed->view[p], view_keep(view));
        else
            view_add(&placed->view[p], view);
    }
    placed->chain = placed->history == ANY_LOCATION ? 0 : release->chain;
    placed->length = release->length;
}

/* Acquires: joins the thread's view with the views that it has read from messages of this location, or of all
 * locations if the location is ANY_LOCATION. Only views count that were released to a meeting place of the
 * scope. */
static void acquire(struct model_thread *thread, enum what_if world, enum machine_scope scope,
                    const struct history *history)
{
    struct engaged *engaged = thread->engaged[world];
    struct placed_list *pending = engaged ? engaged->pending : NULL;
    for (unsigned i = 0; pending && i < pending->count; i++) {
        struct placed *placed = &pending->items[i];
        if (history != ANY_LOCATION && placed->history != ANY_LOCATION && placed->history != history)
            continue;
        for (unsigned p = 0; p < (unsigned)scope; p++) {
            /* in a thread that polls, the two views are usually the same object */
            if (placed->view[p] != engaged->acquired[p]) {
                view_add(&thread->view[world], placed->view[p]);
                view_set(&engaged->acquired[p], view_keep(placed->view[p]));
            }
            view_set(&placed->view[p], NULL);
        }
        placed->chain = 0;
    }
}

/* ---- the order of fence.sc (the world ANY_ORDER) ---- */

/* Notes a strong access. `is_last` means that the access is the last one in the location's coherence
 * order. */
static void note_tie(struct model_thread *thread, struct history *history, bool is_last)
{
    uint32_t number = model_thread_number(thread);
    if (!model.shape.orders || !model.fenced || model.keeps_orders)
        return;
    bool is_tied = history->accessed_after_fence != NO_THREAD && history->accessed_after_fence != number;
    history->accessed_after_fence = is_tied ? SEVERAL_THREADS : number;
    if (is_tied && is_last) {
        uint32_t time = model_write_time(thread);
        const struct known_access *last = model.tie_count ? &model.ties[model.tie_count - 1] : NULL;
        if (last && last->thread == number && last->time == time)
            return;
        if (model.tie_count < MOST_TIES) {
            model.ties[model.tie_count++] = (struct known_access){number, time};
            return;
        }
    }
    model.keeps_orders = is_tied || !is_last;
}

/* Returns whether a fence.sc that the thread executes now may be unable to precede an earlier fence.sc. */
static bool is_tied(const struct model_thread *thread)
{
    for (unsigned i = 0; i < model.tie_count; i++)
        if (model_knows(thread, AS_IT_IS, model.ties[i].thread, model.ties[i].time))
            return true;
    return model.keeps_orders;
}

/* ---- accesses ---- */

/* Lets the thread read a message in one what-if world. If an atomic overwrites the message, the thread's
 * view gets the atomic's own message instead, which carries all that the read message carries. */
static void read_in(struct model_thread *thread, enum what_if world, struct history *history,
                    unsigned position, struct strength strength, bool is_to_be_overwritten)
{
    const struct message *message = &history->messages[position];
    strength = in_world(world, strength, false);
    enum machine_scope written = widens(world) && message->scope ? SCOPE_SYSTEM : message->scope;
    if (meet(thread, strength.scope, message->thread, written)) {
        if (!is_to_be_overwritten && !knows_message(thread, world, history, position))
            view_see(&thread->view[world], history, message->id);
        if (message->release[world]) {
            uint32_t places[PLACES];
            places_of(thread->block, places);
            note_pending(engage(thread, world), history, message->release[world], places);
        }
    }
    if (strength.order & ORDER_ACQUIRE)
        acquire(thread, world, strength.scope, history);
}

void model_read(struct model_thread *thread, struct history *history, unsigned position,
                struct strength strength, bool is_to_be_overwritten)
{
    if (strength.scope == SCOPE_THREAD)
        return;
    note_tie(thread, history, position == history->count - 1);
    FOR_EACH_WORLD (w)
        read_in(thread, (enum what_if)w, history, position, strength, is_to_be_overwritten);
}

bool model_may_write(const struct model_thread *thread, const struct history *history, unsigned position,
                     enum machine_scope scope)
{
    if (position == history->count)
        return true;
    if (position <= model_oldest(thread, history))
        return false;
    /* no message may come between the message that an atomic reads and the message that it writes */
    for (unsigned i = position; i < history->count; i++) {
        const struct message *message = &history->messages[i];
        if (message->read_from != NO_MESSAGE &&
            history_position(history, message->read_from) < (int)position &&
            model_morally_strong(thread, scope, message))
            return false;
    }
    return true;
}

/* Returns the release (view.h) of a strong write of the thread to this location in one what-if world (enum
 * what_if). It includes `inherited`, the release of the preceding message. */
static struct release *release_of_write(struct model_thread *thread, enum what_if world,
                                        const struct history *history, struct strength strength,
                                        struct release *inherited)
{
    struct view *views[PLACES] = {NULL};
    strength = in_world(world, strength, false);
    if (strength.order & ORDER_RELEASE) {
        struct engaged *engaged = engage(thread, world);
        struct placed *placed = placed_of(&engaged->written, history);
        struct view *view = publish(thread, world);
        for (unsigned p = 0; p < PLACES; p++)
            if (reaches(thread->block, strength.scope, p))
                view_add(&placed->view[p], view);
        view_drop(view);
    }
    const struct engaged *engaged = thread->engaged[world];
    if (!engaged)
        return release_keep(inherited);
    for (unsigned p = 0; p < PLACES; p++)
        views[p] = view_keep(engaged->fence[p]);
    const struct placed_list *written = engaged->written;
    for (unsigned i = 0; written && i < written->count; i++)
        if (written->items[i].history == history || written->items[i].history == ANY_LOCATION)
            for (unsigned p = 0; p < PLACES; p++)
                view_add(&views[p], written->items[i].view[p]);
    uint32_t places[PLACES];
    places_of(thread->block, places);
    struct release *release = release_with(inherited, places, views);
    for (unsigned p = 0; p < PLACES; p++)
        view_drop(views[p]);
    return release;
}

void model_write(struct model_thread *thread, struct history *history, unsigned position, uint64_t value,
                 struct strength strength, int read_from, uint32_t site)
{
    struct release *inherited[MOST_VIEWS] = {NULL};
    uint64_t from = NO_MESSAGE;
    if (strength.scope != SCOPE_THREAD)
        note_tie(thread, history, position == history->count);
    if (read_from >= 0) {
        const struct message *old = &history->messages[read_from];
        from = old->id;
        FOR_EACH_WORLD (w)
            if (meet(thread, widens((enum what_if)w) ? SCOPE_SYSTEM : strength.scope, old->thread,
                     widens((enum what_if)w) && old->scope ? SCOPE_SYSTEM : old->scope))
                inherited[w] = old->release[w];
    }
    struct message *message = history_insert(history, position);
    message->value = value;
    message->read_from = from;
    message->thread = model_thread_number(thread);
    message->time = model_write_time(thread);
    message->site = site;
    message->scope = strength.scope;
    if (strength.scope != SCOPE_THREAD)
        FOR_EACH_WORLD (w)
            message->release[w] = release_of_write(thread, (enum what_if)w, history, strength, inherited[w]);
}

/* ---- fences ---- */

/* Returns the entry of a meeting place of fence.sc. */
static struct sequential *sequential_at(struct model_block *block, enum what_if world, unsigned place)
{
    const struct party *party = &model.parties[block->party];
    switch (place) {
    case PLACE_BLOCK:
        return &block->sequential[world];
    case PLACE_CLUSTER:
        return &party->of_clusters[(block_of(block->number) - party->first) / party->is.cluster][world];
    case PLACE_DEVICE:
        return &model.sequential[device_of(block->number)][world];
    default:
        return &model.sequential[model.devices][world];
    }
}

/* Updates the view of a meeting place of fence.sc. In the world ANY_ORDER, adds `view` to the place's view.
 * In any other world `view` includes the place's view, so it becomes the place's view. */
static void extend(struct sequential *s, enum what_if world, struct view *view, struct view *part)
{
    static uint64_t chains;
    if (!view)
        return;
    if (world == ANY_ORDER) {
        view_add(&s->view, view);
        return;
    }
    if (!s->chain)
        s->chain = ++chains;
    s->length++;
    if (!view->chain) {
        view->chain = s->chain;
        view->length = s->length;
    }
    view_set(&s->view, view_keep(view));
    view_set(&s->part, view_keep(part));
}

/* Joins the thread's view with the knowledge of earlier fence.sc at the meeting places. `before` is the
 * thread's view before the fence. If many threads have equal views, the join is computed only once. */
static void join_sequential(struct model_thread *thread, enum what_if world, enum machine_scope scope,
                            struct view *before)
{
    struct view **view = &thread->view[world];
    /* the widest meeting place comes first, because its view knows most */
    for (unsigned p = PLACES; p-- > 0;) {
        if (!reaches(thread->block, scope, p))
            continue;
        const struct sequential *s = sequential_at(thread->block, world, p);
        if (*view == before && s->part == before && s->view)
            view_set(view, view_keep(s->view));
        else
            view_add(view, s->view);
    }
}

static void fence_in(struct model_thread *thread, enum what_if world, struct strength strength)
{
    strength = in_world(world, strength, true);
    bool is_sequential = strength.order == ORDER_SEQUENTIAL;
    struct view *before = view_keep(thread->view[world]);
    /* fence.sc joins this first, because most views that the acquire joins next are part of it */
    if (is_sequential && (world != ANY_ORDER || is_tied(thread)))
        join_sequential(thread, world, strength.scope, before);
    if (strength.order & ORDER_ACQUIRE)
        acquire(thread, world, strength.scope, ANY_LOCATION);
    if (strength.order & ORDER_RELEASE) {
        struct view *view = publish(thread, world);
        for (unsigned p = PLACES; p-- > 0;) {
            if (!reaches(thread->block, strength.scope, p))
                continue;
            if (is_sequential)
                extend(sequential_at(thread->block, world, p), world, view, before);
            view_set(&engage(thread, world)->fence[p], view_keep(view));
        }
        view_drop(view);
    }
    view_drop(before);
}

void model_fence(struct model_block *block, unsigned warp, uint64_t lanes, struct strength strength)
{
    for (uint64_t left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        FOR_EACH_WORLD (w)
            fence_in(&block->threads[warp * model.shape.warp + lane], (enum what_if)w, strength);
    }
    model.fenced = model.fenced || strength.order == ORDER_SEQUENTIAL;
}

/* ---- the asynchronous proxy ---- */

struct model_thread *model_copy_begin(struct model_thread *issuer, struct model_block *tells, unsigned place,
                                      bool is_async)
{
    if (!tells->copies[place])
        tells->copies[place] =
            begin_block(tells->party, (1 + place) * model.shape.blocks + tells->number, model.shape.threads);
    add_world(PROXIED_SHARED);
    add_world(PROXIED_GLOBAL);
    struct model_thread *copy = &tells->copies[place]->threads[in_block(issuer)];
    thread_end(copy);
    FOR_EACH_WORLD (w)
        copy->view[w] = publish(issuer, (enum what_if)w);
    copy->proxy = is_async ? PROXIED_SHARED : AS_IT_IS;
    return copy;
}

void model_copy_turns_to(struct model_thread *copy, bool is_shared)
{
    if (copy->proxy)
        copy->proxy = is_shared ? PROXIED_SHARED : PROXIED_GLOBAL;
}

uint32_t model_copy_so_far(struct model_thread *copy)
{
    copy->published = copy->block->time;
    return copy->published;
}

static void know(struct model_thread *thread, enum what_if world, uint32_t number, uint32_t time)
{
    view_set(&thread->view[world],
             view_with_lanes(thread->view[world], warp_of(number), UINT64_C(1) << lane_of(number), time));
}

void model_copy_known(struct model_thread *thread, const struct model_thread *copy, uint32_t so_far)
{
    FOR_EACH_WORLD (w)
        if (!is_proxied((enum what_if)w) || copy->proxy)
            know(thread, (enum what_if)w, model_thread_number(copy), so_far);
}

bool model_copy_needs_fence(const struct model_thread *copy, uint32_t writer, uint32_t time)
{
    return copy->proxy && view_knows(copy->view[AS_IT_IS], warp_of(writer), lane_of(writer), time);
}

void model_proxy_fence(struct model_thread *thread, unsigned which)
{
    add_world(PROXIED_SHARED);
    add_world(PROXIED_GLOBAL);
    if (which & PROXY_OWN_WRITES) {
        know(thread, PROXIED_SHARED, model_thread_number(thread), thread->block->time);
        thread->published = thread->block->time;
        return;
    }
    struct view *view = publish(thread, AS_IT_IS);
    if (which & PROXY_SHARED)
        view_add(&thread->view[PROXIED_SHARED], view);
    if (which & PROXY_GLOBAL)
        view_add(&thread->view[PROXIED_GLOBAL], view);
    view_drop(view);
}

/* ---- the kernel before this one (programmatic dependent launch) ---- */

uint32_t model_before_number(enum kernel_before which)
{
    return NUMBER_BEFORE + (uint32_t)which * BETWEEN_NUMBERS;
}

void model_before_known(struct model_thread *thread)
{
    model.awaited = true;
    FOR_EACH_WORLD (w) {
        if (!is_proxied((enum what_if)w))
            know(thread, (enum what_if)w, model_before_number(BEFORE), 1);
        know(thread, (enum what_if)w, model_before_number(BEFORE_PROXIED), 1);
    }
}

enum kernel_before model_before_of(uint32_t writer, uint32_t time)
{
    if (writer >= NUMBER_BEFORE && !model.awaited)
        return BEFORE_UNAWAITED;
    bool is_of_proxy = writer < NUMBER_BEFORE && model_writer(writer).kind == OF_A_COPY;
    return is_of_proxy || view_knows(model.handed_on, warp_of(writer), lane_of(writer), time) ? BEFORE_PROXIED
                                                                                              : BEFORE;
}

/* ---- barriers of threads ---- */

void model_gather_whole(struct gathering *gathering, struct model_block *block, unsigned warp, uint64_t lanes)
{
    for (uint64_t left = lanes; left; left &= left - 1) {
        struct model_thread *thread =
            &block->threads[warp * model.shape.warp + (unsigned)__builtin_ctzll(left)];
        thread->published = block->time;
        FOR_EACH_WORLD (w)
            view_add(&gathering->view[w], thread->view[w]);
    }
}

void model_gather(struct gathering *gathering, struct model_block *block, unsigned warp, uint64_t lanes)
{
    model_gather_whole(gathering, block, warp, lanes);
    FOR_EACH_WORLD (w)
        if (!is_proxied((enum what_if)w))
            view_set(
                &gathering->view[w],
                view_with_lanes(gathering->view[w], block->number * model.warps + warp, lanes, block->time));
}

void model_gathered_whole(struct gathering *gathering, struct model_block *block)
{
    FOR_EACH_WORLD (w)
        if (!is_proxied((enum what_if)w))
            view_set(&gathering->view[w], view_with_block(gathering->view[w], block->number, block->time));
    for (unsigned t = 0; t < block->count; t++)
        block->threads[t].published = block->time;
}

void model_learn(const struct gathering *gathering, struct model_block *block, unsigned warp, uint64_t lanes)
{
    for (uint64_t left = lanes; left; left &= left - 1) {
        struct model_thread *thread =
            &block->threads[warp * model.shape.warp + (unsigned)__builtin_ctzll(left)];
        FOR_EACH_WORLD (w)
            if (thread->view[w] != gathering->view[w])
                view_set(&thread->view[w], view_keep(gathering->view[w]));
    }
}

void model_gathering_end(struct gathering *gathering)
{
    for (unsigned w = 0; w < MOST_VIEWS; w++)
        view_set(&gathering->view[w], NULL);
}
