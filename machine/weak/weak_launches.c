#include "machine/weak/weak_launches.h"
#include "base/failure.h"
#include "machine/memory/arrays.h"
#include "machine/memory/devices.h"
#include "machine/weak/cells.h"
#include "machine/weak/race_checks.h"
#include "machine/weak/weak_block.h"
#include "machine/weak/weak_copy.h"
#include "machine/weak/weak_memory.h"
#include "machine/weak/weak_policy.h"

#include <string.h>

/* The writes of kernels and other tasks that are kept, because later tasks may not know them. */
static struct {
    bool is_kept;
    const struct machine_stream *stream; /* the stream of the last launch */
    bool has_room;                       /* may further launches and tasks join? */
    bool host_sees;                      /* has a task accessed memory of the host? */
} kept;

static struct clock *host_clock;

void weak_set_host_clock(struct clock *clock)
{
    host_clock = clock;
}

void weak_host_waits(void)
{
    if (!kept.is_kept)
        return;
    cells_launch_ends();
    model_end();
    kept.is_kept = kept.has_room = kept.host_sees = false;
}

/* ---- the model of one launch, or of several tasks ---- */

/* Numbers of threads and blocks in a model of several tasks. A block has the largest number of threads that a
 * launch can have. Each block needs 1 + MOST_COPIES block numbers: one for itself, the others for the copies
 * of its threads (machine/weak/memory_model.c). */
#define MOST_THREADS 1024u
#define MOST_BLOCKS (UINT32_C(0xffff0000) / MOST_THREADS / (1 + MOST_COPIES))

static void begin(const struct kernel *alone)
{
    unsigned width = (unsigned)the_machine.description.warp_size;
    cells_launch_begins();
    model_begin((struct model_shape){.blocks = alone ? alone->grid : MOST_BLOCKS,
                                     .threads = alone ? alone->threads : MOST_THREADS,
                                     .warp = width,
                                     .blocks_per_device = alone ? device_share(alone->grid) : MOST_BLOCKS,
                                     .devices = devices_shown(),
                                     .orders = the_machine.memory.races,
                                     .what_ifs = the_machine.memory.cures});
    kept.is_kept = true;
    kept.has_room = !alone;
    kept.host_sees = false;
}

/* Returns the number of kernels in progress, including the one that is beginning. */
static unsigned kernels_in_progress(void)
{
    const struct run *run = &the_machine.run;
    unsigned count = 0;
    for (const struct kernel *k = run->kernels; run->sms && k < run->kernels + MOST_KERNELS; k++)
        count += k->number != 0;
    return count;
}

/* Can all kept writes be forgotten, because this task and all later ones know them? */
static bool is_all_known(const struct task_order *order)
{
    return order->knows_all || (order->is_alone && !kept.host_sees);
}

bool weak_knows_all(const struct clock *clock)
{
    return model_all_known(clock);
}

/* Is the launch added to the tasks whose accesses are kept, instead of replacing them? */
static bool joins(const struct kernel *kernel)
{
    if (!kept.is_kept || !kept.has_room || !kernel->order)
        return false;
    if (kernels_in_progress() > 1)
        return true;
    return !is_all_known(kernel->order) && model_has_room(kernel->grid);
}

static bool depends_on_last(const struct kernel *kernel)
{
    return kept.is_kept && kernel->launch.programmatic && kernel->stream == kept.stream &&
           kernels_in_progress() == 1 && (!kernel->order || !model_all_known(host_clock));
}

void weak_launch_begins(struct kernel *kernel)
{
    bool depends = depends_on_last(kernel) && the_machine.memory.is_weak;
    if (!the_machine.memory.is_weak) {
        weak_host_waits();
        return;
    }
    if (depends || !joins(kernel)) {
        if (kernels_in_progress() > 1)
            fail(EXIT_CANNOT, "machine: more blocks at once than weak memory has numbers for");
        if (depends) {
            cells_hand_over();
            model_end();
        } else {
            weak_host_waits();
        }
        begin(kernel->order && !kernel->order->is_only && kernel->grid < MOST_BLOCKS ? NULL : kernel);
    }
    struct model_party party = {.blocks = kernel->grid,
                                .threads = kernel->threads,
                                .cluster = kernel->launch.cluster,
                                .name = kernel->launch.name};
    if (kernel->order) {
        party.stamp = kernel->order->stamp;
        party.clock = kernel->order->clock;
        party.device = kernel->order->device;
        party.instruction = kernel->order->instruction;
    }
    kernel->party = model_join(&party);
    if (the_machine.run.launched == 1)
        weak_policy_launch_begins(kernel);
    kept.stream = kernel->stream;
}

void weak_launch_ends(void)
{
    if (the_machine.memory.is_weak)
        weak_policy_launch_ends();
}

/* ---- other tasks of streams ---- */

/* The task that is being done: a block of one thread. */
static struct {
    bool is_tracked;
    struct block block;
    struct weak_block weak;
    struct weak_copy actor;
} task;

void weak_task_begins(const struct task_order *order, const char *name, const void *instruction)
{
    task.is_tracked = the_machine.memory.is_weak && order;
    if (!task.is_tracked)
        return;
    if (!kernels_in_progress() &&
        (!kept.is_kept || !kept.has_room || is_all_known(order) || !model_has_room(1))) {
        weak_host_waits();
        begin(NULL);
    }
    task.is_tracked = kept.has_room;
    if (!task.is_tracked)
        return;
    task.weak = (struct weak_block){.last = {.reader = NO_THREAD}, .passed = {.reader = NO_THREAD}};
    task.weak.model = model_block_begin(model_join(&(struct model_party){.blocks = 1,
                                                                         .threads = 1,
                                                                         .stamp = order->stamp,
                                                                         .clock = order->clock,
                                                                         .is_task = true,
                                                                         .name = name}),
                                        0);
    task.block.weak = &task.weak;
    task.block.threads = 1;
    task.actor = (struct weak_copy){&task.block, model_thread(task.weak.model, 0), instruction, 0};
}

static void note_access(uintptr_t address)
{
    const struct array *array = array_of(address);
    kept.host_sees = kept.host_sees || (task.is_tracked && array && array->is_of_host);
}

void weak_task_reads(void *to, const void *from, size_t bytes)
{
    note_access((uintptr_t)from);
    weak_copy_reads(&task.actor, to, (uintptr_t)from, bytes);
}

void weak_task_writes(void *to, const void *from, size_t bytes)
{
    note_access((uintptr_t)to);
    weak_copy_writes(&task.actor, (uintptr_t)to, from, bytes);
}

void weak_task_ends(void)
{
    if (task.weak.model)
        model_block_end(task.weak.model);
    task.weak.model = NULL;
    task.actor.thread = NULL;
    task.is_tracked = false;
}

/* ---- the host ---- */

bool weak_host_is_checked(void)
{
    return kept.is_kept && the_machine.memory.races;
}

void weak_host_accesses(uintptr_t address, size_t bytes, bool writes, bool is_strong, const void *instruction)
{
    if (weak_host_is_checked())
        race_check_host(address, bytes, writes, is_strong, host_clock, instruction);
}

void weak_forget(const void *memory, size_t bytes)
{
    uintptr_t at = (uintptr_t)memory & ~UINT64_C(3), end = (uintptr_t)memory + bytes;
    while (kept.is_kept && at < end) {
        uintptr_t next = (at / PAGE_BYTES + 1) * PAGE_BYTES;
        struct page *page = page_of(at, false); /* most pages of a large array have no cells */
        for (; page && at < next && at < end; at += 4)
            page->cells[at % PAGE_BYTES / 4] = (struct cell){NOBODY};
        at = next;
    }
}
