#include "machine/engine/copies.h"
#include "base/memory.h"
#include "machine/memory/shared_memory.h"
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
    /* number of copy groups of its kind (cp.async or bulk) that the thread committed before this copy */
    unsigned group;
    uint64_t reads_at, done_at;
    enum { ISSUED, HAS_READ, DONE } state;
    /* stamps of the memory model (weak_copy_so_far()), taken after the copy had read and after it had
     * written */
    uint32_t read, written;
    unsigned char *data;
};

uint64_t copies_next_at = NEVER;

/* all issued copies, oldest first; a copy that belongs to a copy group stays here until a thread waits
 * for that group */
static struct copy *copies;
static size_t copy_count;

/* ---- time ---- */

/* Returns the time at which the copy reads or writes next, or NEVER if it is complete. */
static uint64_t at(const struct copy *copy)
{
    return copy->state == ISSUED ? copy->reads_at : copy->state == HAS_READ ? copy->done_at : NEVER;
}

static void note_next(void)
{
    copies_next_at = NEVER;
    for (size_t i = 0; i < copy_count; i++)
        copies_next_at = at(&copies[i]) < copies_next_at ? at(&copies[i]) : copies_next_at;
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
    return drawn & 1 ? plain : plain + (drawn >> 1) % (8 * (uint64_t)d->global_latency + 1);
}

/* ---- what a copy does ---- */

static bool is_bulk(const struct copy *copy)
{
    return copy->asked.kind == COPY_BULK || copy->asked.kind == REDUCE_BULK;
}

static void read_now(struct copy *copy)
{
    if (copy->asked.kind < STORE_ASYNC)
        weak_copy_reads(&copy->actor, copy->data, copy->asked.from, copy->asked.bytes_from);
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

static void reduce(const struct copy *copy)
{
    struct strength relaxed = {SCOPE_DEVICE, ORDER_RELAXED};
    for (unsigned done = 0; done < copy->asked.bytes; done += copy->asked.element) {
        struct reduction r = {&copy->asked, 0};
        memcpy(&r.value, copy->data + done, copy->asked.element);
        weak_copy_changes(&copy->actor, copy->asked.to + done, copy->asked.element, relaxed, after_reduction,
                          &r);
    }
}

/* An arrival of cp.async.mbarrier.arrive takes effect after the thread's earlier cp.async copies. This
 * function makes the arrival publish the effects of these copies, so that a thread that acquires the mbarrier
 * observes them. */
static void learn_copies(const struct copy *arrival)
{
    for (size_t i = 0; i < copy_count; i++)
        if (copies[i].asked.kind == COPY_SMALL && copies[i].actor.block == arrival->actor.block &&
            copies[i].thread == arrival->thread && copies[i].number < arrival->number)
            weak_copy_known(arrival->actor.thread, &copies[i].actor, copies[i].written);
}

static void write_now(struct copy *copy)
{
    if (copy->asked.kind == REDUCE_BULK || copy->asked.kind == REDUCE_ASYNC)
        reduce(copy);
    else if (copy->asked.kind == ARRIVAL)
        learn_copies(copy);
    else
        weak_copy_writes(&copy->actor, copy->asked.to, copy->data, copy->asked.bytes);
    if (copy->asked.mbarrier) {
        struct mbarrier_event event = {(int32_t)copy->asked.bytes, copy->asked.kind == ARRIVAL};
        struct strength release = {SCOPE_DEVICE, ORDER_RELEASE};
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

static void remove_at(size_t i)
{
    free(copies[i].data);
    memmove(&copies[i], &copies[i + 1], (--copy_count - i) * sizeof *copies);
}

static void finish(struct copy *copy)
{
    while (copy->state != DONE)
        do_next(copy);
}

/* Returns whether the copy is complete and can be removed from the list of copies. A copy with an mbarrier
 * can be removed. A copy of a copy group cannot, because waits for the group and ARRIVALs still look for
 * it. */
static bool is_settled(const struct copy *copy)
{
    return copy->state == DONE && copy->asked.mbarrier;
}

static void remove_if_settled(size_t i)
{
    if (is_settled(&copies[i]))
        remove_at(i);
}

void copies_step(void)
{
    for (size_t i = 0; i < copy_count; i++)
        if (at(&copies[i]) <= copies_next_at) {
            do_next(&copies[i]);
            remove_if_settled(i);
            break;
        }
    note_next();
}

void copies_finish(const struct block *block)
{
    for (size_t i = 0; i < copy_count;)
        if (copies[i].actor.block == block || copies[i].tells == block) {
            finish(&copies[i]);
            remove_at(i);
        } else {
            i++;
        }
    note_next();
}

/* ---- issue ---- */

static unsigned own_number(void)
{
    return thread_of(running.warp, running.lane);
}

static bool is_own(const struct copy *copy)
{
    return copy->actor.block == running.warp->block && copy->thread == own_number();
}

static unsigned *open_group(bool bulk)
{
    return &more_of_running_lane()->copy_groups[bulk];
}

static bool is_at(const struct copy *copy, const struct copy *new, unsigned place)
{
    return copy->tells == new->tells && copy->thread == new->thread && copy->place == place;
}

/* Returns the incomplete copy that uses this place for copies in the memory model, for the same block
 * and thread number as `new`; or NULL. */
static struct copy *copy_at(const struct copy *new, unsigned place)
{
    for (size_t i = 0; i < copy_count; i++)
        if (copies[i].state != DONE && is_at(&copies[i], new, place))
            return &copies[i];
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
    remove_if_settled((size_t)(first - copies));
    return new->number % MOST_COPIES;
}

void copies_issue(const struct copy_request *asked, const void *data, const void *instruction)
{
    struct block *own = running.warp->block,
                 *tells = asked->mbarrier ? shared_memory_owner(own, asked->mbarrier) : own;
    struct copy copy = {.asked = *asked, .number = more_of_running_lane()->copies++};
    bool bulk = is_bulk(&copy);
    the_machine.uses.async_copies = true;
    copy.tells = tells ? tells : own;
    copy.thread = own_number();
    copy.place = find_place(&copy);
    copy.actor = weak_copy_begin(copy.tells, copy.place, bulk, instruction);
    copy.group = *open_group(bulk);
    copy.reads_at = the_machine.run.now + latency(0);
    copy.done_at = copy.reads_at + latency(asked->bytes);
    copy.data = allocate(asked->bytes + 1);
    if (data)
        memcpy(copy.data, data, asked->bytes);
    copies = with_room(copies, sizeof *copies, copy_count, 1);
    copies[copy_count++] = copy;
    note_change();
    note_next();
}

void copies_issue_arrival(uintptr_t mbarrier, const void *instruction)
{
    copies_issue(&(struct copy_request){.kind = ARRIVAL, .mbarrier = mbarrier}, NULL, instruction);
    struct copy *issued = &copies[copy_count - 1];
    for (size_t i = 0; i + 1 < copy_count; i++)
        if (is_own(&copies[i]) && copies[i].asked.kind == COPY_SMALL &&
            copies[i].done_at >= issued->reads_at) {
            issued->reads_at = copies[i].done_at + 1;
            issued->done_at = issued->reads_at + 1;
        }
    note_next();
}

/* ---- groups ---- */

void copies_commit(bool bulk)
{
    ++*open_group(bulk);
}

unsigned copies_groups_before(bool bulk, unsigned left)
{
    unsigned committed = *open_group(bulk);
    return committed > left ? committed - left : 0;
}

static bool is_awaited(const struct copy *copy, bool bulk, unsigned groups)
{
    return is_own(copy) && !copy->asked.mbarrier && is_bulk(copy) == bulk && copy->group < groups;
}

bool copies_done(bool bulk, unsigned groups, bool reads)
{
    int state = reads ? HAS_READ : DONE;
    for (size_t i = 0; i < copy_count; i++)
        if (is_awaited(&copies[i], bulk, groups) && (int)copies[i].state < state)
            return false;
    return true;
}

void copies_learn(bool bulk, unsigned groups, bool reads)
{
    for (size_t i = 0; i < copy_count;) {
        const struct copy *copy = &copies[i];
        if (!is_awaited(copy, bulk, groups)) {
            i++;
            continue;
        }
        if (copy->actor.thread)
            weak_copy_known(running_thread(), &copy->actor, reads ? copy->read : copy->written);
        if (reads)
            i++;
        else
            remove_at(i);
    }
}
