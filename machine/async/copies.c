#include "machine/async/copies.h"
#include "base/memory.h"
#include "machine/async/clusters.h"
#include "machine/async/mbarrier.h"
#include "machine/cuda/bounds.h"
#include "machine/cuda/kernel_calls.h"
#include "machine/cuda/operations.h"
#include "machine/cuda/request.h"
#include "machine/code/kernel_code.h"
#include "machine/engine/shared_memory.h"
#include "machine/weak/weak_block.h"
#include "machine/weak/weak_copy.h"

#include <stdlib.h>
#include <string.h>

/* What a copy is issued with. An arrival copies nothing. */
enum copy_kind { COPY_SMALL, COPY_BULK, REDUCE_BULK, STORE_ASYNC, ARRIVAL };

struct copy {
    enum copy_kind kind;
    uintptr_t to, from, mbarrier; /* mbarrier 0: it belongs to a group */
    unsigned bytes, bytes_from;
    enum machine_operation operation; /* of a reduction, of elements */
    unsigned element;

    struct weak_copy actor;
    const struct block *tells; /* whose mbarrier it is; the issuer's if there is none */
    unsigned thread, place;    /* the issuer's number in its block; of MOST_COPIES */
    unsigned number, group;    /* count the thread's copies, and its groups of that kind */
    uint64_t reads_at, done_at;
    enum { ISSUED, HAS_READ, DONE } state;
    uint32_t read, written; /* stamps */
    unsigned char *data;
};

uint64_t copies_next_at = NEVER;

static struct copy *copies; /* in the order of issue; those of a group stay until a thread waits for it */
static size_t copy_count;

/* ---- time ---- */

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

/* By chance much later, so that copies overtake each other and the threads; the plain schedule has none. */
static uint64_t latency(size_t bytes)
{
    const struct machine_description *d = &the_machine.description;
    uint64_t plain = (uint64_t)d->global_latency / 2 + bytes / 16;
    if (the_machine.schedule == MACHINE_ROUND_ROBIN)
        return plain;
    uint64_t drawn = random_next(&the_machine.random);
    return drawn & 1 ? plain : plain + (drawn >> 1) % (8 * (uint64_t)d->global_latency + 1);
}

/* ---- what it does ---- */

static bool is_bulk(const struct copy *copy)
{
    return copy->kind == COPY_BULK || copy->kind == REDUCE_BULK;
}

static void read_now(struct copy *copy)
{
    if (copy->kind != ARRIVAL && copy->kind != STORE_ASYNC)
        weak_copy_reads(&copy->actor, copy->data, copy->from, copy->bytes_from);
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
    enum machine_operation operation;
    unsigned bytes;
    uint64_t value;
};

static uint64_t after_reduction(uint64_t old, const void *data)
{
    const struct reduction *r = data;
    return operation_result(r->operation, old, r->value, 0, r->bytes);
}

static void reduce(const struct copy *copy)
{
    struct strength relaxed = {SCOPE_DEVICE, ORDER_RELAXED};
    for (unsigned done = 0; done < copy->bytes; done += copy->element) {
        struct reduction r = {copy->operation, copy->element, 0};
        memcpy(&r.value, copy->data + done, copy->element);
        weak_copy_changes(&copy->actor, copy->to + done, copy->element, relaxed, after_reduction, &r);
    }
}

/* An arrival that waited for the thread's copies knows them; nothing else does. */
static void learn_copies(const struct copy *arrival)
{
    for (size_t i = 0; i < copy_count; i++)
        if (copies[i].kind == COPY_SMALL && copies[i].actor.block == arrival->actor.block &&
            copies[i].thread == arrival->thread && copies[i].number < arrival->number)
            weak_copy_known(arrival->actor.thread, &copies[i].actor, copies[i].written);
}

static void write_now(struct copy *copy)
{
    if (copy->kind == REDUCE_BULK)
        reduce(copy);
    else if (copy->kind == ARRIVAL)
        learn_copies(copy);
    else
        weak_copy_writes(&copy->actor, copy->to, copy->data, copy->bytes);
    if (copy->mbarrier) {
        struct mbarrier_event event = {(int32_t)copy->bytes, copy->kind == ARRIVAL};
        struct strength release = {SCOPE_DEVICE, ORDER_RELEASE};
        weak_copy_tells(&copy->actor, copy->mbarrier);
        weak_copy_changes(&copy->actor, copy->mbarrier, 8, release, after_event, &event);
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

/* Nobody asks for one that has told its mbarrier; those of groups are asked for by waits and arrivals. */
static bool is_settled(const struct copy *copy)
{
    return copy->state == DONE && copy->mbarrier;
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
    return &more_of_self()->copy_groups[bulk];
}

static bool is_at(const struct copy *copy, const struct copy *new, unsigned place)
{
    return copy->tells == new->tells && copy->thread == new->thread && copy->place == place;
}

/* The copy under way that has this place in the memory model, or NULL. */
static struct copy *copy_at(const struct copy *new, unsigned place)
{
    for (size_t i = 0; i < copy_count; i++)
        if (copies[i].state != DONE && is_at(&copies[i], new, place))
            return &copies[i];
    return NULL;
}

/* If all are taken, one of them is complete now. */
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

static void issue(struct copy copy, const void *data, const void *instruction)
{
    bool bulk = is_bulk(&copy);
    request(REQUEST_CLOCK, 0, 0, instruction);
    if (bounds_are_checked)
        bounds_check_copy(copy.to, copy.from, copy.bytes, bulk, copy.mbarrier, instruction);
    struct block *own = running.warp->block, *tells = copy.mbarrier ? cluster_owner(own, copy.mbarrier) : own;
    copy.number = more_of_self()->copies++;
    copy.tells = tells ? tells : own;
    copy.thread = own_number();
    copy.place = find_place(&copy);
    copy.actor = weak_copy_begin(copy.tells, copy.place, bulk, instruction);
    copy.group = *open_group(bulk);
    copy.reads_at = the_machine.run.now + latency(0);
    copy.done_at = copy.reads_at + latency(copy.bytes);
    copy.data = allocate(copy.bytes + 1);
    if (data)
        memcpy(copy.data, data, copy.bytes);
    copies = with_room(copies, sizeof *copies, copy_count, 1);
    copies[copy_count++] = copy;
    note_change();
    note_next();
}

HOOK_REQUEST void machine_copy_small(void *to, const void *from, unsigned bytes, unsigned bytes_from)
{
    issue((struct copy){.kind = COPY_SMALL,
                        .to = (uintptr_t)to,
                        .from = (uintptr_t)from,
                        .bytes = bytes,
                        .bytes_from = bytes_from},
          NULL, HERE);
}

HOOK_REQUEST void machine_copy_bulk(void *to, const void *from, unsigned bytes, void *mbarrier)
{
    issue((struct copy){.kind = COPY_BULK,
                        .to = (uintptr_t)to,
                        .from = (uintptr_t)from,
                        .mbarrier = (uintptr_t)mbarrier,
                        .bytes = bytes,
                        .bytes_from = bytes},
          NULL, HERE);
}

HOOK_REQUEST void machine_reduce_bulk(enum machine_operation operation, void *to, const void *from,
                                      unsigned bytes, unsigned element, void *mbarrier)
{
    issue((struct copy){.kind = REDUCE_BULK,
                        .to = (uintptr_t)to,
                        .from = (uintptr_t)from,
                        .mbarrier = (uintptr_t)mbarrier,
                        .bytes = bytes,
                        .bytes_from = bytes,
                        .operation = operation,
                        .element = element},
          NULL, HERE);
}

HOOK_REQUEST void machine_store_async(void *to, const void *value, unsigned bytes, void *mbarrier)
{
    issue(
        (struct copy){
            .kind = STORE_ASYNC, .to = (uintptr_t)to, .mbarrier = (uintptr_t)mbarrier, .bytes = bytes},
        value, HERE);
}

HOOK_REQUEST void machine_copies_arrive(void *mbarrier, int noinc)
{
    struct copy arrival = {.kind = ARRIVAL, .mbarrier = (uintptr_t)mbarrier};
    if (!noinc) /* one arrival more to wait for: one less than none */
        machine_mbarrier_change(mbarrier, 0, (uint32_t)-1, 0, SCOPE_BLOCK, ORDER_RELAXED);
    issue(arrival, NULL, HERE);
    struct copy *issued = &copies[copy_count - 1];
    for (size_t i = 0; i + 1 < copy_count; i++)
        if (is_own(&copies[i]) && copies[i].kind == COPY_SMALL && copies[i].done_at >= issued->reads_at) {
            issued->reads_at = copies[i].done_at + 1;
            issued->done_at = issued->reads_at + 1;
        }
    note_next();
}

/* ---- groups ---- */

HOOK_REQUEST void machine_copies_commit(int bulk)
{
    request(REQUEST_CLOCK, 0, 0, HERE);
    ++*open_group(bulk);
}

static bool is_awaited(const struct copy *copy, bool bulk, unsigned groups)
{
    return is_own(copy) && !copy->mbarrier && is_bulk(copy) == bulk && copy->group < groups;
}

static bool any_is_before(bool bulk, unsigned groups, int state)
{
    for (size_t i = 0; i < copy_count; i++)
        if (is_awaited(&copies[i], bulk, groups) && (int)copies[i].state < state)
            return true;
    return false;
}

HOOK_REQUEST void machine_copies_wait(int bulk, unsigned left, int reads)
{
    unsigned committed = *open_group(bulk), groups = committed > left ? committed - left : 0;
    do
        request(REQUEST_CLOCK, 0, 0, HERE);
    while (any_is_before(bulk, groups, reads ? HAS_READ : DONE));
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

/* ---- what orders them ---- */

HOOK_NOTE void machine_mbarrier_begins(const void *mbarrier)
{
    if (the_machine.memory.is_weak)
        weak_mbarrier_begins((uintptr_t)mbarrier, HERE);
}

HOOK_REQUEST void machine_proxy_fence(unsigned which)
{
    request(REQUEST_CLOCK, 0, 0, HERE);
    if (the_machine.memory.is_weak)
        model_proxy_fence(running_thread(), which);
}

HOOK_NOTE void machine_await_kernel_before(void)
{
    if (the_machine.memory.is_weak)
        model_before_known(running_thread());
}
