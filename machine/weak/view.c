/* One file because every function that makes a view makes it in the variable `draft`, which no other
 * file may see. */
#include "machine/weak/view.h"
#include "base/failure.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* A view with more messages in `seen` than this drops those that no longer restrict what may be read. */
#define MANY_SEEN 16
/* If a view has more messages in `seen` than this, the locations of the first ones forget their older
 * messages for all threads. This keeps views small, but hides some outcomes of long programs. */
#define MOST_SEEN 32

static struct view_shape shape = {.warps = 1};

void view_set_shape(struct view_shape s)
{
    shape = s;
}

struct view *view_keep(struct view *view)
{
    if (view)
        view->references++;
    return view;
}

static struct known_blocks *keep_blocks(struct known_blocks *blocks)
{
    if (blocks)
        blocks->references++;
    return blocks;
}

void view_drop(struct view *view)
{
    if (!view || --view->references)
        return;
    if (view->blocks && !--view->blocks->references)
        free(view->blocks);
    free(view);
}

/* ---- the draft: the view that is being made ---- */

static struct {
    /* the known blocks of the view that is being made, if they are shared with an existing view; NULL if they
     * are in `blocks` */
    struct known_blocks *shared;
    struct known_block *blocks;
    struct known_lanes *lanes;
    struct seen *seen;
    unsigned block_count, lanes_count, seen_count;
    unsigned block_room, lanes_room, seen_room;
} draft;

static unsigned count_of(const struct known_blocks *blocks)
{
    return blocks ? blocks->count : 0;
}

static void make_room(unsigned blocks, unsigned lanes, unsigned seen)
{
    if (blocks >= draft.block_room)
        draft.blocks = reallocate(draft.blocks, (draft.block_room = 2 * blocks + 1) * sizeof *draft.blocks);
    if (lanes >= draft.lanes_room)
        draft.lanes = reallocate(draft.lanes, (draft.lanes_room = 2 * lanes + 1) * sizeof *draft.lanes);
    if (seen >= draft.seen_room)
        draft.seen = reallocate(draft.seen, (draft.seen_room = 2 * seen + 1) * sizeof *draft.seen);
    draft.shared = NULL;
    draft.block_count = draft.lanes_count = draft.seen_count = 0;
}

static bool draft_has_blocks(const struct known_blocks *blocks)
{
    if (draft.shared)
        return draft.shared == blocks;
    return draft.block_count == count_of(blocks) &&
           (!blocks || memcmp(draft.blocks, blocks->known, blocks->count * sizeof *blocks->known) == 0);
}

static bool draft_is(const struct view *view)
{
    return draft.lanes_count == view->lanes_count && draft.seen_count == view->seen_count &&
           draft_has_blocks(view->blocks) &&
           memcmp(draft.lanes, view->lanes, draft.lanes_count * sizeof *draft.lanes) == 0 &&
           memcmp(draft.seen, view->seen, draft.seen_count * sizeof *draft.seen) == 0;
}

/* Allocates memory without clearing it, which allocate() would do. */
static void *room_for(size_t bytes)
{
    void *room = malloc(bytes);
    if (!room)
        fail(EXIT_CANNOT, "out of memory");
    return room;
}

/* Returns a new view that has these known blocks, and room for these numbers of entries of known lanes
 * and of messages seen, which the caller fills in. */
static struct view *new_view(struct known_blocks *blocks, unsigned lanes_count, unsigned seen_count)
{
    struct view *view =
        room_for(sizeof *view + lanes_count * sizeof *view->lanes + seen_count * sizeof *view->seen);
    *view = (struct view){
        .references = 1, .blocks = keep_blocks(blocks), .lanes_count = lanes_count, .seen_count = seen_count};
    view->lanes = (struct known_lanes *)(void *)(view + 1);
    view->seen = (struct seen *)(void *)(view->lanes + lanes_count);
    return view;
}

/* Returns a reference to the known blocks of the view that is being made (`draft`). If they equal the
 * blocks `a` or `b`, returns these, otherwise a copy. */
static struct known_blocks *finished_blocks(struct known_blocks *a, struct known_blocks *b)
{
    if (draft_has_blocks(a))
        return keep_blocks(a);
    if (draft_has_blocks(b))
        return keep_blocks(b);
    struct known_blocks *blocks = room_for(sizeof *blocks + draft.block_count * sizeof *blocks->known);
    blocks->references = 1;
    blocks->count = draft.block_count;
    memcpy(blocks->known, draft.blocks, draft.block_count * sizeof *blocks->known);
    return blocks;
}

static struct view *finished(const struct view *a, const struct view *b)
{
    size_t lanes = draft.lanes_count * sizeof *draft.lanes, seen = draft.seen_count * sizeof *draft.seen;
    struct view *view = new_view(NULL, draft.lanes_count, draft.seen_count);
    view->blocks = finished_blocks(a->blocks, b->blocks);
    if (lanes)
        memcpy(view->lanes, draft.lanes, lanes);
    if (seen)
        memcpy(view->seen, draft.seen, seen);
    return view;
}

/* ---- known blocks: up to which time a view knows a block's writes ---- */

static uint32_t time_of(const struct known_block *blocks, unsigned count, uint32_t block)
{
    unsigned low = 0, high = count;
    /* the common case: all blocks are known, so the index is the block's number */
    if (block < count && blocks[block].block == block)
        return blocks[block].time;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (blocks[middle].block == block)
            return blocks[middle].time;
        if (blocks[middle].block < block)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

static uint32_t time_in_view(const struct view *view, uint32_t block)
{
    return view->blocks ? time_of(view->blocks->known, view->blocks->count, block) : 0;
}

static uint32_t time_in_draft(uint32_t block)
{
    if (draft.shared)
        return time_of(draft.shared->known, draft.shared->count, block);
    return time_of(draft.blocks, draft.block_count, block);
}

static void join_blocks(struct known_blocks *a, struct known_blocks *b)
{
    if (a == b || !a || !b) {
        draft.shared = a ? a : b;
        return;
    }
    unsigned i = 0, j = 0;
    for (; i < a->count && i < b->count && a->known[i].block == b->known[i].block; i++) {
        uint32_t first = a->known[i].time, second = b->known[i].time;
        draft.blocks[i] = (struct known_block){a->known[i].block, first > second ? first : second};
    }
    draft.block_count = j = i;
    while (i < a->count || j < b->count) {
        bool from_a = j == b->count || (i < a->count && a->known[i].block <= b->known[j].block);
        bool from_b = i == a->count || (j < b->count && b->known[j].block <= a->known[i].block);
        struct known_block known = from_a ? a->known[i] : b->known[j];
        if (from_a && from_b && b->known[j].time > known.time)
            known.time = b->known[j].time;
        draft.blocks[draft.block_count++] = known;
        i += from_a;
        j += from_b;
    }
}

/* ---- known lanes: up to which time a view knows a lane's writes ---- */

static bool lanes_come_first(const struct known_lanes *a, const struct known_lanes *b)
{
    return a->warp != b->warp ? a->warp < b->warp : a->time >= b->time;
}

/* The state of a walk over entries of known lanes in ascending order of warps. */
struct walk {
    uint64_t covered; /* lanes of the current warp whose latest known time has been added to `draft` */
    /* number of the first warp of the next block, and time up to which `draft` knows all writes of the
     * current block */
    uint32_t behind, time;
};

/* Adds an entry of known lanes to `draft`, the view that is being made. A warp's entries come in descending
 * order of time, so lanes that an earlier entry has added are left out. The whole entry is left out if
 * `draft` knows all writes of the block up to its time or a later one. */
static void add_lanes(const struct known_lanes *known, struct walk *walk)
{
    struct known_lanes *last = draft.lanes_count ? &draft.lanes[draft.lanes_count - 1] : NULL;
    if (known->warp >= walk->behind) {
        uint32_t block = known->warp / shape.warps;
        walk->behind = (block + 1) * shape.warps;
        walk->time = time_in_draft(block);
    }
    if (!last || last->warp != known->warp)
        walk->covered = 0;
    uint64_t lanes = known->lanes & ~walk->covered;
    if (!lanes || known->time <= walk->time)
        return;
    walk->covered |= lanes;
    if (last && last->warp == known->warp && last->time == known->time)
        last->lanes |= lanes;
    else
        draft.lanes[draft.lanes_count++] = (struct known_lanes){lanes, known->warp, known->time};
}

static void join_lanes(const struct view *a, const struct view *b)
{
    unsigned i = 0, j = 0;
    struct walk walk = {0};
    while (i < a->lanes_count && j < b->lanes_count) {
        const struct known_lanes *first = &a->lanes[i], *second = &b->lanes[j];
        /* the common case: both views have an entry of this warp and time */
        bool alike = first->warp == second->warp && first->time == second->time;
        bool from_a = alike || lanes_come_first(first, second);
        add_lanes(from_a ? first : second, &walk);
        if (alike && first->lanes != second->lanes)
            add_lanes(second, &walk);
        i += from_a;
        j += alike || !from_a;
    }
    while (i < a->lanes_count)
        add_lanes(&a->lanes[i++], &walk);
    while (j < b->lanes_count)
        add_lanes(&b->lanes[j++], &walk);
}

static void raise_block(uint32_t block, uint32_t time)
{
    unsigned at = 0;
    if (draft.shared) {
        draft.block_count = draft.shared->count;
        memcpy(draft.blocks, draft.shared->known, draft.block_count * sizeof *draft.blocks);
        draft.shared = NULL;
    }
    while (at < draft.block_count && draft.blocks[at].block < block)
        at++;
    if (at == draft.block_count || draft.blocks[at].block != block) {
        memmove(&draft.blocks[at + 1], &draft.blocks[at], (draft.block_count++ - at) * sizeof *draft.blocks);
        draft.blocks[at] = (struct known_block){block, time};
    } else if (draft.blocks[at].time < time) {
        draft.blocks[at].time = time;
    }
}

/* Returns the time up to which `draft` knows the writes of all lanes of a block, or 0 if some lane is
 * unknown. The block's entries in draft.lanes begin at index `first`; *end is set to the index after the
 * last one. */
static uint32_t whole_block(unsigned first, unsigned *end)
{
    uint32_t behind = (draft.lanes[first].warp / shape.warps + 1) * shape.warps, least = UINT32_MAX;
    unsigned whole_warps = 0;
    uint64_t lanes = 0;
    unsigned at = first;
    for (; at < draft.lanes_count && draft.lanes[at].warp < behind; at++) {
        const struct known_lanes *known = &draft.lanes[at];
        lanes = at > first && draft.lanes[at - 1].warp == known->warp ? lanes | known->lanes : known->lanes;
        bool is_last = known->warp == behind - 1;
        whole_warps += lanes == (is_last ? shape.last_lanes : shape.lanes);
        least = known->time < least ? known->time : least;
    }
    *end = at;
    return whole_warps == shape.warps ? least : 0;
}

/* Looks for blocks all of whose lanes are known in `draft`, the view that is being made. Such a block becomes
 * a known block, up to the earliest of its lanes' times, and entries that say no more are removed. */
static void gather_whole_blocks(void)
{
    unsigned kept = 0, end;
    for (unsigned at = 0; at < draft.lanes_count; at = end) {
        uint32_t block = draft.lanes[at].warp / shape.warps, whole = whole_block(at, &end);
        if (whole)
            raise_block(block, whole);
        for (unsigned i = at; i < end; i++)
            if (draft.lanes[i].time > whole)
                draft.lanes[kept++] = draft.lanes[i];
    }
    draft.lanes_count = kept;
}

/* ---- seen messages ---- */

static void leave_out_forgotten(void)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < draft.seen_count; i++)
        if (history_position(draft.seen[i].history, draft.seen[i].message) > 0)
            draft.seen[kept++] = draft.seen[i];
    draft.seen_count = kept;
}

static struct seen later(struct seen a, struct seen b)
{
    if (a.message == b.message)
        return a;
    return history_position(a.history, a.message) > history_position(a.history, b.message) ? a : b;
}

static void join_seen(const struct view *a, const struct view *b)
{
    unsigned i = 0, j = 0;
    while (i < a->seen_count || j < b->seen_count) {
        bool from_a = j == b->seen_count || (i < a->seen_count && a->seen[i].serial <= b->seen[j].serial);
        bool from_b = i == a->seen_count || (j < b->seen_count && b->seen[j].serial <= a->seen[i].serial);
        draft.seen[draft.seen_count++] = from_a && from_b ? later(a->seen[i], b->seen[j])
                                         : from_a         ? a->seen[i]
                                                          : b->seen[j];
        i += from_a;
        j += from_b;
    }
    if (draft.seen_count > MANY_SEEN)
        leave_out_forgotten();
    for (unsigned k = 0; draft.seen_count - k > MOST_SEEN; k++) {
        const struct seen *first = &draft.seen[k];
        history_forget_later(first->history, first->message);
    }
    if (draft.seen_count > MOST_SEEN) {
        memmove(draft.seen, draft.seen + draft.seen_count - MOST_SEEN, MOST_SEEN * sizeof *draft.seen);
        draft.seen_count = MOST_SEEN;
    }
}

/* ---- joins ---- */

static void join_into_draft(const struct view *a, const struct view *b)
{
    make_room(count_of(a->blocks) + count_of(b->blocks) + a->lanes_count + b->lanes_count,
              a->lanes_count + b->lanes_count, a->seen_count + b->seen_count);
    join_blocks(a->blocks, b->blocks);
    join_lanes(a, b);
    gather_whole_blocks();
    join_seen(a, b);
}

/* The number of recent joins of two views whose results are kept, because the lanes of a warp and the
 * meeting places of a release join the same views again and again. */
#define RECENT_JOINS 64
static struct recent_join {
    struct view *a, *b, *joined;
} recent[RECENT_JOINS];

static struct recent_join *recent_place(const struct view *a, const struct view *b)
{
    uintptr_t key = (uintptr_t)a / sizeof(struct view) * 31 + (uintptr_t)b / sizeof(struct view);
    return &recent[key % RECENT_JOINS];
}

static void set_recent(struct recent_join *place, struct view *a, struct view *b, struct view *joined)
{
    view_set(&place->a, view_keep(a));
    view_set(&place->b, view_keep(b));
    view_set(&place->joined, view_keep(joined));
}

void view_forget_recent(void)
{
    for (unsigned i = 0; i < RECENT_JOINS; i++)
        set_recent(&recent[i], NULL, NULL, NULL);
}

struct view *view_join(struct view *a, struct view *b)
{
    if (a == b || !b)
        return view_keep(a);
    if (!a)
        return view_keep(b);
    if (a->chain && a->chain == b->chain)
        return view_keep(a->length > b->length ? a : b);
    struct recent_join *place = recent_place(a, b);
    if (place->a == a && place->b == b)
        return view_keep(place->joined);
    join_into_draft(a, b);
    struct view *joined = draft_is(a) ? view_keep(a) : draft_is(b) ? view_keep(b) : finished(a, b);
    set_recent(place, a, b, joined);
    return joined;
}

/* Returns the join of `view`, which may be NULL, and `one`. The caller owns the result, and keeps its
 * references to the two views. */
static struct view *join_with(struct view *view, const struct view *one)
{
    const struct view nothing = {.references = 1};
    join_into_draft(view ? view : &nothing, one);
    return view && draft_is(view) ? view_keep(view) : finished(view ? view : &nothing, one);
}

struct view *view_with_block(struct view *view, uint32_t block, uint32_t time)
{
    struct view *one = new_view(NULL, 0, 0);
    one->blocks = room_for(sizeof *one->blocks + sizeof *one->blocks->known);
    one->blocks->references = one->blocks->count = 1;
    one->blocks->known[0] = (struct known_block){block, time};
    struct view *out = join_with(view, one);
    view_drop(one);
    return out;
}

/* Returns the index of the first entry of view->lanes for this warp or a later one, or lanes_count if there
 * is none. */
static unsigned lanes_of(const struct view *view, uint32_t warp)
{
    unsigned low = 0, high = view->lanes_count;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (view->lanes[middle].warp < warp)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns whether adding these lanes may make the view know all lanes of the warp's block. The block must
 * then become a known block. */
static bool completes_block(const struct view *view, uint32_t warp, uint64_t lanes)
{
    bool is_last = warp % shape.warps == shape.warps - 1;
    unsigned first = lanes_of(view, warp - warp % shape.warps);
    unsigned end = lanes_of(view, warp - warp % shape.warps + shape.warps);
    return lanes == (is_last ? shape.last_lanes : shape.lanes) && end - first + 1 >= shape.warps;
}

/* Does the work of view_with_lanes() in the common cases: the view has no entry for this warp, or a single
 * entry, with this time. Returns NULL in other cases. (view_with_lanes() is called for every release.) */
static struct view *with_lanes_of_warp(const struct view *view, uint32_t warp, uint64_t lanes, uint32_t time)
{
    unsigned at = lanes_of(view, warp);
    bool is_there = at < view->lanes_count && view->lanes[at].warp == warp;
    if (is_there &&
        (view->lanes[at].time != time || (at + 1 < view->lanes_count && view->lanes[at + 1].warp == warp)))
        return NULL;
    if (is_there)
        lanes |= view->lanes[at].lanes;
    if (completes_block(view, warp, lanes) || time <= time_in_view(view, warp / shape.warps))
        return NULL;
    struct view *out = new_view(view->blocks, view->lanes_count + !is_there, view->seen_count);
    if (view->seen_count)
        memcpy(out->seen, view->seen, view->seen_count * sizeof *view->seen);
    memcpy(out->lanes, view->lanes, at * sizeof *view->lanes);
    out->lanes[at] = (struct known_lanes){lanes, warp, time};
    memcpy(out->lanes + at + 1, view->lanes + at + is_there,
           (view->lanes_count - at - is_there) * sizeof *view->lanes);
    return out;
}

struct view *view_with_lanes(struct view *view, uint32_t warp, uint64_t lanes, uint32_t time)
{
    struct view *fast = view ? with_lanes_of_warp(view, warp, lanes, time) : NULL;
    struct known_lanes known = {lanes, warp, time};
    return fast ? fast : join_with(view, &(struct view){.lanes_count = 1, .lanes = &known});
}

/* Returns the index of the view's entry for the history, or where such an entry would be inserted. */
static unsigned seen_of(const struct view *view, const struct history *history)
{
    unsigned low = 0, high = view->seen_count;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (view->seen[middle].serial < history->serial)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Replaces the message in the view's entry for seen.history by `seen.message` if that is later. Changes the
 * view in place, because the view has a single reference. Returns false if the view has no such entry. */
static bool raise_seen(struct view *view, struct seen seen)
{
    unsigned at = seen_of(view, seen.history);
    if (at == view->seen_count || view->seen[at].history != seen.history)
        return false;
    view->seen[at] = later(view->seen[at], seen);
    view->chain = 0;
    return true;
}

/* Does the common case of view_see(), which is called for every strong read of a new message: the view has
 * room for one more seen message. Returns NULL in other cases. */
static struct view *with_one_more_seen(const struct view *view, struct seen seen)
{
    unsigned at = seen_of(view, seen.history);
    bool is_there = at < view->seen_count && view->seen[at].history == seen.history;
    if (view->seen_count == MANY_SEEN)
        return NULL;
    if (is_there)
        seen = later(view->seen[at], seen);
    struct view *out = new_view(view->blocks, view->lanes_count, view->seen_count + !is_there);
    if (view->lanes_count)
        memcpy(out->lanes, view->lanes, view->lanes_count * sizeof *view->lanes);
    memcpy(out->seen, view->seen, at * sizeof *view->seen);
    out->seen[at] = seen;
    memcpy(out->seen + at + 1, view->seen + at + is_there,
           (view->seen_count - at - is_there) * sizeof *view->seen);
    return out;
}

void view_see(struct view **place, struct history *history, uint64_t message)
{
    struct seen seen = {history, history->serial, message};
    struct view *view = *place, *fast = NULL;
    if (view && view->references == 1 && raise_seen(view, seen))
        return;
    if (view)
        fast = with_one_more_seen(view, seen);
    view_set(place, fast ? fast : join_with(view, &(struct view){.seen_count = 1, .seen = &seen}));
}

/* ---- questions ---- */

bool view_knows(const struct view *view, uint32_t warp, unsigned lane, uint32_t time)
{
    if (!view)
        return false;
    if (time <= time_in_view(view, warp / shape.warps))
        return true;
    for (unsigned i = lanes_of(view, warp); i < view->lanes_count && view->lanes[i].warp == warp; i++)
        if (view->lanes[i].lanes >> lane & 1)
            return time <= view->lanes[i].time;
    return false;
}

uint32_t view_time_of_block(const struct view *view, uint32_t block)
{
    return view ? time_in_view(view, block) : 0;
}

int view_seen(const struct view *view, const struct history *history)
{
    unsigned at = view ? seen_of(view, history) : 0;
    return view && at < view->seen_count && view->seen[at].history == history
               ? history_position(history, view->seen[at].message)
               : -1;
}

/* ---- releases ---- */

struct release *release_keep(struct release *release)
{
    if (release)
        release->references++;
    return release;
}

void release_drop(struct release *release)
{
    if (!release || --release->references)
        return;
    for (unsigned i = 0; i < release->count; i++)
        view_drop(release->views[i].view);
    free(release);
}

static void append(struct release *release, uint32_t place, struct view *owned)
{
    release->views[release->count++] = (struct placed_view){place, owned};
}

struct release *release_with(struct release *base, const uint32_t places[PLACES],
                             struct view *const views[PLACES])
{
    static uint64_t chains;
    unsigned there = 0;
    for (unsigned p = 0; p < PLACES; p++)
        there += views[p] != NULL;
    if (!there)
        return release_keep(base);
    unsigned count = base ? base->count : 0, at = 0;
    struct release *release = allocate(sizeof *release + (count + PLACES) * sizeof *release->views);
    release->references = 1;
    release->chain = base ? base->chain : ++chains;
    release->length = base ? base->length + 1 : 0;
    for (unsigned p = 0; p < PLACES; p++) {
        if (!views[p])
            continue;
        for (; at < count && base->views[at].place < places[p]; at++)
            append(release, base->views[at].place, view_keep(base->views[at].view));
        if (at < count && base->views[at].place == places[p])
            append(release, places[p], view_join(base->views[at++].view, views[p]));
        else
            append(release, places[p], view_keep(views[p]));
    }
    for (; at < count; at++)
        append(release, base->views[at].place, view_keep(base->views[at].view));
    return release;
}

struct view *release_at(const struct release *release, uint32_t place)
{
    unsigned low = 0, high = release->count;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (release->views[middle].place == place)
            return release->views[middle].view;
        if (release->views[middle].place < place)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}
