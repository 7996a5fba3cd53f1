#include "machine/engine/copies.h"
#include "base/memory.h"
#include "machine/engine/orders.h"
#include "machine/memory/shared_memory.h"
#include "machine/memory/mbarrier.h"
#include "machine/memory/operations.h"
#include "machine/weak/weak_copy.h"
#include "machine/weak/weak_block.h"

#include <stdlib.h>
#include <string.h>

/* An asynchronous copy that has been issued. */
struct copy {
    struct copy_request asked;
    struct weak_copy actor;
    /* the block whose shared memory has the copy's mbarrier; the issuer's block if the copy has no
     * mbarrier */
    const struct block *tells;
    unsigned thread; /* number of the issuing thread in its block */
    /* the memory model has MOST_COPIES places for a thread's copies; this is the number of the copy's
     * place */
    unsigned place;
    unsigned number; /* number of copies that the thread had issued before this one */
    /* number of copy groups of its kind that the thread committed before this copy */
    unsigned group;
    uint64_t reads_at, done_at;
    enum { ISSUED, HAS_READ, DONE } state;
    /* stamps of the memory model (weak_copy_so_far()), taken after the copy had read and after it had
     * written */
    uint32_t read, written;
    unsigned char *data; /* the bytes of all pieces, one after another */
    struct copy_piece *pieces;
    unsigned piece_count;
    /* The next copy in the issuing thread's list (lane_more.own_copies), which begins with the oldest. A copy
     * of a copy group stays in the list until the thread waits for the group. */
    struct copy *next;
    uint64_t order;  /* number of copies that were issued before */
    bool is_due;     /* is the copy in the heap of due copies? */
    bool is_removed; /* is it in no thread's list any more? */
};

uint64_t copies_next_at = NEVER;

/* A binary heap of copies by the time of their next read or write; copies with the same time are in the order
 * of their issue. If a copy has been completed early, its entry is dropped when it comes first. */
static struct due {
    uint64_t at;
    struct copy *copy;
} * due;
static size_t due_count;
static uint64_t issued; /* number of copies issued so far */

/* ---- time ---- */

/* Returns the time at which the copy reads or writes next, or NEVER if it is complete. */
static uint64_t at(const struct copy *copy)
{
    return copy->state == ISSUED ? copy->reads_at : copy->state == HAS_READ ? copy->done_at : NEVER;
}

static bool comes_before(struct due a, struct due b)
{
    return a.at != b.at ? a.at < b.at : a.copy->order < b.copy->order;
}

static void add_due(struct copy *copy)
{
    struct due new = {at(copy), copy};
    due = with_room(due, sizeof *due, due_count, 1);
    size_t i = due_count++;
    for (; i && comes_before(new, due[(i - 1) / 2]); i = (i - 1) / 2)
        due[i] = due[(i - 1) / 2];
    due[i] = new;
    copy->is_due = true;
}

static struct copy *take_due(void)
{
    struct copy *first = due[0].copy;
    struct due last = due[--due_count];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < due_count; i = child) {
        if (child + 1 < due_count && comes_before(due[child + 1], due[child]))
            child++;
        if (!comes_before(due[child], last))
            break;
        due[i] = due[child];
    }
    due[i] = last;
    first->is_due = false;
    return first;
}

static void free_copy(struct copy *copy)
{
    free(copy->data);
    free(copy->pieces);
    free(copy);
}

static void note_next(void)
{
    while (due_count && due[0].copy->state == DONE) {
        struct copy *copy = take_due();
        if (copy->is_removed)
            free_copy(copy);
    }
    copies_next_at = due_count ? due[0].at : NEVER;
}

/* Returns the time that a copy takes to read, or to write, this number of bytes. Under any schedule but
 * round-robin, half of these times, chosen by chance, are longer, so that copies overtake each other and
 * threads overtake copies. */
static uint64_t latency(size_t bytes)
{
    const struct machine_description *d = &the_machine.description;
    uint64_t plain = (uint64_t)d->global_latency / 2 + bytes / 16;
    if (the_machine.schedule == MACHINE_ROUND_ROBIN)
        return plain;
    uint64_t drawn = random_next(&the_machine.random);
    return drawn & 1 || !departs() ? plain : plain + (drawn >> 1) % (8 * (uint64_t)d->global_latency + 1);
}

/* ---- what a copy does ---- */

static enum copy_groups groups_of(const struct copy *copy)
{
    return copy->asked.kind == READ_OF_PRODUCT                                ? GROUPS_OF_PRODUCTS
           : copy->asked.kind == COPY_BULK || copy->asked.kind == REDUCE_BULK ? GROUPS_BULK
                                                                              : GROUPS_SMALL;
}

/* Returns the number of bytes from `at` on that the copy accesses next, of `left` bytes: those of one word,
 * each of which is a step for reports, if steps are noted. */
static size_t next_access(const struct copy *copy, uintptr_t at, size_t left, bool writes)
{
    size_t of_word = 4 - at % 4, bytes = orders_are_noted && of_word < left ? of_word : left;
    if (orders_are_noted)
        orders_copy(copy->actor.block, copy->thread, copy->actor.calls, copy->actor.instruction, at, bytes,
                    writes);
    return bytes;
}

static void read_now(struct copy *copy)
{
    unsigned char *data = copy->data;
    for (unsigned p = 0; p < copy->piece_count && copy->asked.kind < STORE_ASYNC; p++) {
        const struct copy_piece *piece = &copy->pieces[p];
        const uintptr_t from = copy->asked.from + (uintptr_t)piece->from;
        for (size_t done = 0, bytes; piece->is_read && done < piece->bytes; done += bytes) {
            bytes = next_access(copy, from + done, piece->bytes - done, false);
            weak_copy_reads(&copy->actor, data + done, from + done, bytes);
        }
        data += piece->bytes;
    }
    copy->read = weak_copy_so_far(&copy->actor);
    copy->state = HAS_READ;
}

struct mbarrier_event {
    int32_t bytes;
    uint32_t arrivals;
};

static uint64_t after_event(uint64_t word, const void *data)
{
    const struct mbarrier_event *event = data;
    return mbarrier_after(word, -event->bytes, event->arrivals, 0);
}

struct reduction {
    const struct copy_request *asked;
    uint64_t value;
};

static uint64_t after_reduction(uint64_t old, const void *data)
{
    const struct reduction *r = data;
    if (r->asked->combine)
        return r->asked->combine(old, r->value);
    return operation_result(r->asked->operation, old, r->value, 0, r->asked->element);
}

static void reduce(const struct copy *copy, uintptr_t to, const unsigned char *data, unsigned bytes)
{
    struct strength relaxed = {SCOPE_DEVICE, ORDER_ARRIVAL};
    for (unsigned done = 0; done < bytes; done += copy->asked.element) {
        next_access(copy, to + done, copy->asked.element, true);
        struct reduction r = {&copy->asked, 0};
        memcpy(&r.value, data + done, copy->asked.element);
        weak_copy_changes(&copy->actor, to + done, copy->asked.element, relaxed, after_reduction, &r);
    }
}

/* An arrival of cp.async.mbarrier.arrive takes effect after the thread's earlier cp.async copies. This
 * function makes the arrival publish the effects of these copies, so that a thread that acquires the mbarrier
 * observes them. */
static void learn_copies(const struct copy *arrival)
{
    for (const struct copy *c = arrival->actor.block->more[arrival->thread].own_copies; c; c = c->next)
        if (c->asked.kind == COPY_SMALL && c->number < arrival->number)
            weak_copy_known(arrival->actor.thread, &c->actor, c->written);
}

static void write_pieces(const struct copy *copy)
{
    const bool reduces = copy->asked.kind == REDUCE_BULK || copy->asked.kind == REDUCE_ASYNC;
    const unsigned char *data = copy->data;
    for (unsigned p = 0; p < copy->piece_count; p++) {
        const struct copy_piece *piece = &copy->pieces[p];
        const uintptr_t to = copy->asked.to + (uintptr_t)piece->to;
        if (piece->is_written && reduces)
            reduce(copy, to, data, piece->bytes);
        for (size_t done = 0, bytes; piece->is_written && !reduces && done < piece->bytes; done += bytes) {
            bytes = next_access(copy, to + done, piece->bytes - done, true);
            weak_copy_writes(&copy->actor, to + done, data + done, bytes);
        }
        data += piece->bytes;
    }
    note_change();
}

static void write_now(struct copy *copy)
{
    if (copy->asked.kind == ARRIVAL)
        learn_copies(copy);
    else
        write_pieces(copy);
    if (copy->asked.mbarrier) {
        struct mbarrier_event event = {(int32_t)copy->asked.bytes, copy->asked.kind == ARRIVAL};
        struct strength release = {SCOPE_CLUSTER, ORDER_RELEASE | ORDER_ARRIVAL};
        weak_copy_tells(&copy->actor, copy->asked.mbarrier);
        weak_copy_changes(&copy->actor, copy->asked.mbarrier, 8, release, after_event, &event);
    }
    copy->written = weak_copy_so_far(&copy->actor);
    copy->state = DONE;
}

static void do_next(struct copy *copy)
{
    if (copy->state == ISSUED)
        read_now(copy);
    else if (copy->state == HAS_READ)
        write_now(copy);
}

/* Removes the copy to which *place points from its thread's list. */
static void remove_at(struct copy **place)
{
    struct copy *copy = *place;
    *place = copy->next;
    copy->is_removed = true;
    if (!copy->is_due)
        free_copy(copy);
}

static void finish(struct copy *copy)
{
    while (copy->state != DONE)
        do_next(copy);
}

static struct copy **place_of(const struct copy *copy)
{
    struct copy **place = &copy->actor.block->more[copy->thread].own_copies;
    while (*place != copy)
        place = &(*place)->next;
    return place;
}

/* Removes the copy if it is complete and has an mbarrier. A copy of a copy group stays, because waits for the
 * group and ARRIVALs still look for it. */
static void remove_if_settled(const struct copy *copy)
{
    if (copy->state == DONE && copy->asked.mbarrier)
        remove_at(place_of(copy));
}

void copies_step(void)
{
    struct copy *copy = take_due();
    do_next(copy);
    if (copy->state != DONE)
        add_due(copy);
    remove_if_settled(copy);
    note_next();
}

/* Completes the copies of the block's threads whose mbarriers are in the block `tells`, or all of their
 * copies if `tells` is NULL. */
static void finish_of(const struct block *block, const struct block *tells)
{
    for (unsigned t = 0; t < block->threads; t++)
        for (struct copy **place = &block->more[t].own_copies; *place;)
            if (!tells || (*place)->tells == tells) {
                finish(*place);
                remove_at(place);
            } else {
                place = &(*place)->next;
            }
}

void copies_finish(const struct block *block)
{
    if (!issued)
        return;
    finish_of(block, NULL);
    for (unsigned b = 0; b < block->cluster->count; b++)
        if (block->cluster->blocks[b] && block->cluster->blocks[b] != block)
            finish_of(block->cluster->blocks[b], block);
    note_next();
}

/* ---- issue ---- */

static unsigned own_number(void)
{
    return thread_of(running.warp, running.lane);
}

static unsigned *open_group(enum copy_groups kind)
{
    return &more_of_running_lane()->copy_groups[kind];
}

/* Looks among incomplete copies whose mbarriers are in the same block as the mbarrier of `new`, and whose
 * issuers have the same number in their blocks. Returns the one with this place in the memory model, or
 * NULL. */
static struct copy *copy_at(const struct copy *new, unsigned place)
{
    const struct cluster *cluster = new->tells->cluster;
    for (unsigned b = 0; b < cluster->count; b++)
        for (struct copy *c = cluster->blocks[b] ? cluster->blocks[b]->more[new->thread].own_copies : NULL; c;
             c = c->next)
            if (c->state != DONE && c->tells == new->tells && c->place == place)
                return c;
    return NULL;
}

/* Returns a free place for the new copy among its thread's MOST_COPIES places in the memory model. If
 * all are taken, first completes the copy that has one of them. */
static unsigned find_place(const struct copy *new)
{
    for (unsigned i = 0; i < MOST_COPIES; i++)
        if (!copy_at(new, (new->number + i) % MOST_COPIES))
            return (new->number + i) % MOST_COPIES;
    struct copy *first = copy_at(new, new->number % MOST_COPIES);
    finish(first);
    remove_if_settled(first);
    return new->number % MOST_COPIES;
}

/* Makes the copy, which is not due yet. */
static struct copy *make_copy(const struct copy_request *asked, const void *data, const void *instruction)
{
    struct block *own = running.warp->block,
                 *tells = asked->mbarrier ? shared_memory_owner(own, asked->mbarrier) : own;
    struct copy *copy = allocate(sizeof *copy), **end = &more_of_running_lane()->own_copies;
    *copy = (struct copy){.asked = *asked, .number = more_of_running_lane()->copies++, .order = issued++};
    the_machine.uses.async_copies = true;
    copy->tells = tells ? tells : own;
    copy->thread = own_number();
    copy->place = find_place(copy);
    copy->actor = weak_copy_begin(copy->tells, copy->place, groups_of(copy) != GROUPS_SMALL, instruction);
    copy->group = *open_group(groups_of(copy));
    copy->reads_at = the_machine.run.now + latency(0);
    copy->done_at = copy->reads_at + latency(asked->bytes);
    copy->data = allocate(asked->bytes + 1);
    const struct copy_piece whole[] = {
        {0, 0, asked->bytes_from, .is_read = true, .is_written = true},
        {asked->bytes_from, 0, asked->bytes - asked->bytes_from, .is_written = true}};
    copy->piece_count = asked->pieces ? asked->piece_count : 2;
    copy->pieces = allocate(copy->piece_count * sizeof *copy->pieces);
    memcpy(copy->pieces, asked->pieces ? asked->pieces : whole, copy->piece_count * sizeof *copy->pieces);
    if (data)
        memcpy(copy->data, data, asked->bytes);
    while (*end)
        end = &(*end)->next;
    *end = copy;
    note_change();
    return copy;
}

void copies_issue(const struct copy_request *asked, const void *data, const void *instruction)
{
    add_due(make_copy(asked, data, instruction));
    note_next();
}

void copies_issue_read(const struct copy_request *asked, void *data, const void *instruction)
{
    struct copy *copy = make_copy(asked, NULL, instruction);
    read_now(copy);
    memcpy(data, copy->data, asked->bytes);
    add_due(copy);
    note_next();
}

void copies_issue_arrival(uintptr_t mbarrier, const void *instruction)
{
    struct copy_request asked = {.kind = ARRIVAL, .mbarrier = mbarrier};
    struct copy *arrival = make_copy(&asked, NULL, instruction);
    for (const struct copy *c = more_of_running_lane()->own_copies; c != arrival; c = c->next)
        if (c->asked.kind == COPY_SMALL && c->done_at >= arrival->reads_at) {
            arrival->reads_at = c->done_at + 1;
            arrival->done_at = arrival->reads_at + 1;
        }
    add_due(arrival);
    note_next();
}

/* ---- groups ---- */

void copies_commit(enum copy_groups kind)
{
    ++*open_group(kind);
}

unsigned copies_groups_before(enum copy_groups kind, unsigned left)
{
    unsigned committed = *open_group(kind);
    return committed > left ? committed - left : 0;
}

/* Is this copy of the running thread in one of its first `groups` copy groups? */
static bool is_awaited(const struct copy *copy, enum copy_groups kind, unsigned groups)
{
    return !copy->asked.mbarrier && groups_of(copy) == kind && copy->group < groups;
}

bool copies_done(enum copy_groups kind, unsigned groups, bool reads)
{
    int state = reads ? HAS_READ : DONE;
    for (const struct copy *c = more_of_running_lane()->own_copies; c; c = c->next)
        if (is_awaited(c, kind, groups) && (int)c->state < state)
            return false;
    return true;
}

static void learn(const struct copy *copy, bool reads)
{
    const unsigned own = running.lane;
    const lane_set all = all_lanes(running.warp) & ~running.warp->exited;
    FOR_EACH_LANE(l, groups_of(copy) == GROUPS_OF_PRODUCTS ? all : LANE(own))
    {
        running.lane = l;
        weak_copy_known(running_thread(), &copy->actor, reads ? copy->read : copy->written);
    }
    running.lane = own;
}

void copies_learn(enum copy_groups kind, unsigned groups, bool reads)
{
    for (struct copy **place = &more_of_running_lane()->own_copies; *place;) {
        const struct copy *copy = *place;
        bool awaited = is_awaited(copy, kind, groups);
        if (awaited && copy->actor.thread)
            learn(copy, reads);
        if (awaited && !reads)
            remove_at(place);
        else
            place = &(*place)->next;
    }
}
