#include "machine/view.h"
#include "base/failure.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* From so many messages seen on, those are left out that mean nothing any more. */
#define MANY_SEEN 16
/* More than so many, and the locations of the first ones forget what is older for
 * everybody: views stay small, and some outcomes of long programs are not shown. */
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

void view_drop(struct view *view)
{
    if (view && !--view->references)
        free(view);
}

/* ---- a view in the making ---- */

static struct {
    struct known_block *blocks;
    struct known_lanes *lanes;
    struct seen *seen;
    unsigned block_count, lanes_count, seen_count;
    unsigned block_room, lanes_room, seen_room;
} draft;

static void make_room(unsigned blocks, unsigned lanes, unsigned seen)
{
    if (blocks >= draft.block_room)
        draft.blocks = reallocate(draft.blocks, (draft.block_room = 2 * blocks + 1) * sizeof *draft.blocks);
    if (lanes >= draft.lanes_room)
        draft.lanes = reallocate(draft.lanes, (draft.lanes_room = 2 * lanes + 1) * sizeof *draft.lanes);
    if (seen >= draft.seen_room)
        draft.seen = reallocate(draft.seen, (draft.seen_room = 2 * seen + 1) * sizeof *draft.seen);
    draft.block_count = draft.lanes_count = draft.seen_count = 0;
}

static bool draft_is(const struct view *view)
{
    return draft.block_count == view->block_count && draft.lanes_count == view->lanes_count &&
           draft.seen_count == view->seen_count &&
           memcmp(draft.blocks, view->blocks, draft.block_count * sizeof *draft.blocks) == 0 &&
           memcmp(draft.lanes, view->lanes, draft.lanes_count * sizeof *draft.lanes) == 0 &&
           memcmp(draft.seen, view->seen, draft.seen_count * sizeof *draft.seen) == 0;
}

/* A view with room for so much; its arrays are the caller's to fill. Not by allocate(), which asks the system each
 * time. */
static struct view *new_view(unsigned block_count, unsigned lanes_count, unsigned seen_count)
{
    struct view *view = malloc(sizeof *view + lanes_count * sizeof *view->lanes +
                               seen_count * sizeof *view->seen + block_count * sizeof *view->blocks);
    if (!view)
        fail(EXIT_CANNOT, "out of memory");
    *view = (struct view){
        .references = 1, .block_count = block_count, .lanes_count = lanes_count, .seen_count = seen_count};
    view->lanes = (struct known_lanes *)(void *)(view + 1);
    view->seen = (struct seen *)(void *)(view->lanes + lanes_count);
    view->blocks = (struct known_block *)(void *)(view->seen + seen_count);
    return view;
}

static struct view *finished(void)
{
    size_t lanes = draft.lanes_count * sizeof *draft.lanes, seen = draft.seen_count * sizeof *draft.seen;
    size_t blocks = draft.block_count * sizeof *draft.blocks;
    struct view *view = new_view(draft.block_count, draft.lanes_count, draft.seen_count);
    if (lanes)
        memcpy(view->lanes, draft.lanes, lanes);
    if (seen)
        memcpy(view->seen, draft.seen, seen);
    if (blocks)
        memcpy(view->blocks, draft.blocks, blocks);
    return view;
}

/* ---- what is known of a block ---- */

static uint32_t time_of(const struct known_block *blocks, unsigned count, uint32_t block)
{
    unsigned low = 0, high = count;
    if (block < count && blocks[block].block == block) /* every block is there */
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

static void join_blocks(const struct view *a, const struct view *b)
{
    unsigned i = 0, j = 0;
    while (i < a->block_count || j < b->block_count) {
        bool from_a = j == b->block_count || (i < a->block_count && a->blocks[i].block <= b->blocks[j].block);
        bool from_b = i == a->block_count || (j < b->block_count && b->blocks[j].block <= a->blocks[i].block);
        struct known_block known = from_a ? a->blocks[i] : b->blocks[j];
        if (from_a && from_b && b->blocks[j].time > known.time)
            known.time = b->blocks[j].time;
        draft.blocks[draft.block_count++] = known;
        i += from_a;
        j += from_b;
    }
}

/* ---- what is known of lanes ---- */

static bool lanes_come_first(const struct known_lanes *a, const struct known_lanes *b)
{
    return a->warp != b->warp ? a->warp < b->warp : a->time >= b->time;
}

/* A lane's latest time counts, and only if its block as a whole is not known as far. */
static void add_lanes(const struct known_lanes *known, uint64_t *covered)
{
    if (!draft.lanes_count || draft.lanes[draft.lanes_count - 1].warp != known->warp)
        *covered = 0;
    uint64_t lanes = known->lanes & ~*covered;
    if (!lanes || known->time <= time_of(draft.blocks, draft.block_count, known->warp / shape.warps))
        return;
    *covered |= lanes;
    struct known_lanes *last = draft.lanes_count ? &draft.lanes[draft.lanes_count - 1] : NULL;
    if (last && last->warp == known->warp && last->time == known->time)
        last->lanes |= lanes;
    else
        draft.lanes[draft.lanes_count++] = (struct known_lanes){lanes, known->warp, known->time};
}

static void join_lanes(const struct view *a, const struct view *b)
{
    unsigned i = 0, j = 0;
    uint64_t covered = 0;
    while (i < a->lanes_count || j < b->lanes_count) {
        bool from_a =
            j == b->lanes_count || (i < a->lanes_count && lanes_come_first(&a->lanes[i], &b->lanes[j]));
        add_lanes(from_a ? &a->lanes[i++] : &b->lanes[j++], &covered);
    }
}

static void raise_block(uint32_t block, uint32_t time)
{
    unsigned at = 0;
    while (at < draft.block_count && draft.blocks[at].block < block)
        at++;
    if (at == draft.block_count || draft.blocks[at].block != block) {
        memmove(&draft.blocks[at + 1], &draft.blocks[at], (draft.block_count++ - at) * sizeof *draft.blocks);
        draft.blocks[at] = (struct known_block){block, time};
    } else if (draft.blocks[at].time < time) {
        draft.blocks[at].time = time;
    }
}

/* The lanes of one block, from `first` on: if all of its lanes are there, up to when? Else 0. */
static uint32_t whole_block(unsigned first, unsigned *end)
{
    uint32_t block = draft.lanes[first].warp / shape.warps, least = UINT32_MAX;
    unsigned whole_warps = 0;
    uint64_t lanes = 0;
    unsigned at = first;
    for (; at < draft.lanes_count && draft.lanes[at].warp / shape.warps == block; at++) {
        const struct known_lanes *known = &draft.lanes[at];
        lanes = at > first && draft.lanes[at - 1].warp == known->warp ? lanes | known->lanes : known->lanes;
        bool is_last = known->warp % shape.warps == shape.warps - 1;
        whole_warps += lanes == (is_last ? shape.last_lanes : shape.lanes);
        least = known->time < least ? known->time : least;
    }
    *end = at;
    return whole_warps == shape.warps ? least : 0;
}

/* Blocks of which all lanes are known are known as a whole, up to the earliest of their times. */
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

/* ---- what was seen ---- */

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
        bool from_a = j == b->seen_count ||
                      (i < a->seen_count && a->seen[i].history->serial <= b->seen[j].history->serial);
        bool from_b = i == a->seen_count ||
                      (j < b->seen_count && b->seen[j].history->serial <= a->seen[i].history->serial);
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
        history_forget(first->history, (unsigned)history_position(first->history, first->message));
    }
    if (draft.seen_count > MOST_SEEN) {
        memmove(draft.seen, draft.seen + draft.seen_count - MOST_SEEN, MOST_SEEN * sizeof *draft.seen);
        draft.seen_count = MOST_SEEN;
    }
}

/* ---- joins ---- */

static void join_into_draft(const struct view *a, const struct view *b)
{
    make_room(a->block_count + b->block_count + a->lanes_count + b->lanes_count,
              a->lanes_count + b->lanes_count, a->seen_count + b->seen_count);
    join_blocks(a, b);
    join_lanes(a, b);
    gather_whole_blocks();
    join_seen(a, b);
}

struct view *view_join(struct view *a, struct view *b)
{
    if (a == b || !b)
        return view_keep(a);
    if (!a)
        return view_keep(b);
    if (a->chain && a->chain == b->chain)
        return view_keep(a->length > b->length ? a : b);
    join_into_draft(a, b);
    return draft_is(a) ? view_keep(a) : draft_is(b) ? view_keep(b) : finished();
}

/* `one` is the caller's, and no view to keep. */
static struct view *join_with(struct view *view, const struct view *one)
{
    const struct view nothing = {.references = 1};
    join_into_draft(view ? view : &nothing, one);
    return view && draft_is(view) ? view_keep(view) : finished();
}

struct view *view_with_block(struct view *view, uint32_t block, uint32_t time)
{
    struct known_block known = {block, time};
    return join_with(view, &(struct view){.block_count = 1, .blocks = &known});
}

/* The first entry of the warp, or of one behind it. */
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

/* Are these all lanes of the warp's block, at one time? Then the block is to be known as a whole. */
static bool completes_block(const struct view *view, uint32_t warp, uint64_t lanes)
{
    bool is_last = warp % shape.warps == shape.warps - 1;
    unsigned first = lanes_of(view, warp - warp % shape.warps);
    unsigned end = lanes_of(view, warp - warp % shape.warps + shape.warps);
    return lanes == (is_last ? shape.last_lanes : shape.lanes) && end - first + 1 >= shape.warps;
}

/* The common case of view_with_lanes, which is called for every release: the warp has no entry, or one of this time.
 * NULL: it is another case. */
static struct view *with_lanes_of_warp(const struct view *view, uint32_t warp, uint64_t lanes, uint32_t time)
{
    unsigned at = lanes_of(view, warp);
    bool is_there = at < view->lanes_count && view->lanes[at].warp == warp;
    if (is_there &&
        (view->lanes[at].time != time || (at + 1 < view->lanes_count && view->lanes[at + 1].warp == warp)))
        return NULL;
    if (is_there)
        lanes |= view->lanes[at].lanes;
    if (completes_block(view, warp, lanes) ||
        time <= time_of(view->blocks, view->block_count, warp / shape.warps))
        return NULL;
    struct view *out = new_view(view->block_count, view->lanes_count + !is_there, view->seen_count);
    if (view->block_count)
        memcpy(out->blocks, view->blocks, view->block_count * sizeof *view->blocks);
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

/* Where the history's entry is, or would be. */
static unsigned seen_of(const struct view *view, const struct history *history)
{
    unsigned low = 0, high = view->seen_count;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (view->seen[middle].history->serial < history->serial)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The common case of view_with_seen, which is called for every strong read of something new: there is room for it. */
static struct view *with_one_more_seen(const struct view *view, struct seen seen)
{
    unsigned at = seen_of(view, seen.history);
    bool is_there = at < view->seen_count && view->seen[at].history == seen.history;
    if (view->seen_count == MANY_SEEN)
        return NULL;
    if (is_there)
        seen = later(view->seen[at], seen);
    struct view *out = new_view(view->block_count, view->lanes_count, view->seen_count + !is_there);
    if (view->block_count)
        memcpy(out->blocks, view->blocks, view->block_count * sizeof *view->blocks);
    if (view->lanes_count)
        memcpy(out->lanes, view->lanes, view->lanes_count * sizeof *view->lanes);
    memcpy(out->seen, view->seen, at * sizeof *view->seen);
    out->seen[at] = seen;
    memcpy(out->seen + at + 1, view->seen + at + is_there,
           (view->seen_count - at - is_there) * sizeof *view->seen);
    return out;
}

struct view *view_with_seen(struct view *view, struct history *history, uint64_t message)
{
    struct seen seen = {history, message};
    struct view *fast = view ? with_one_more_seen(view, seen) : NULL;
    return fast ? fast : join_with(view, &(struct view){.seen_count = 1, .seen = &seen});
}

/* ---- questions ---- */

bool view_knows(const struct view *view, uint32_t warp, unsigned lane, uint32_t time)
{
    if (!view)
        return false;
    if (time <= time_of(view->blocks, view->block_count, warp / shape.warps))
        return true;
    for (unsigned i = lanes_of(view, warp); i < view->lanes_count && view->lanes[i].warp == warp; i++)
        if (view->lanes[i].lanes >> lane & 1)
            return time <= view->lanes[i].time;
    return false;
}

int view_seen(const struct view *view, const struct history *history)
{
    unsigned at = view ? seen_of(view, history) : 0;
    return view && at < view->seen_count && view->seen[at].history == history
               ? history_position(history, view->seen[at].message)
               : -1;
}
