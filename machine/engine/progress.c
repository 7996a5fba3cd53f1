#include "machine/engine/progress.h"
#include "base/memory.h"
#include "machine/engine/groups.h"
#include "machine/engine/sample.h"
#include "machine/memory/devices.h"

#include <stdlib.h>

void machine_set_progress(enum machine_progress model, unsigned resident)
{
    the_machine.progress.model = model;
    the_machine.progress.resident = resident;
    the_machine.progress.withheld_of = 2u << random_next(&the_machine.random) % 6;
}

void machine_set_resident_threads(unsigned threads)
{
    the_machine.progress.resident_threads = threads;
}

unsigned machine_resident_threads(void)
{
    return the_machine.progress.resident_threads;
}

/* the number of blocks that are resident whatever machine_set_resident_threads() says */
#define LEAST_RESIDENT 16
/* Number of dispatches of each warp after which the resident blocks count as waiting for others, if
 * nothing has changed meanwhile. It may be small: if they do not wait, more blocks than necessary become
 * resident. */
#define DISPATCHES_IN_VAIN 64

static unsigned resident_blocks(const struct kernel *kernel)
{
    return kernel->number ? kernel->started - (kernel->most - kernel->blocks_left) : 0;
}

static unsigned resident_threads(const struct run *run, unsigned *blocks)
{
    unsigned threads = 0;
    *blocks = 0;
    for (const struct kernel *k = run->kernels; k < run->kernels + MOST_KERNELS; k++) {
        *blocks += resident_blocks(k);
        threads += resident_blocks(k) * k->threads;
    }
    return threads;
}

bool progress_widens(const struct run *run, bool is_stuck)
{
    unsigned most = the_machine.progress.resident_threads, blocks, waiting = 0;
    if (!most || (!is_stuck && run->dispatches_since_change < DISPATCHES_IN_VAIN))
        return false;
    unsigned warps = resident_threads(run, &blocks) / (unsigned)the_machine.description.warp_size + 1;
    if (!is_stuck && run->dispatches_since_change / DISPATCHES_IN_VAIN < warps)
        return false;
    for (const struct kernel *k = run->kernels; k < run->kernels + MOST_KERNELS; k++)
        waiting += k->number && k->begun && k->started < k->most;
    unsigned all = (unsigned)the_machine.description.max_threads_per_sm * run->sm_count;
    if (!waiting || most > all)
        return false;
    the_machine.progress.resident_threads *= 2;
    return true;
}

/* Does the limit on resident blocks allow another block? */
static bool has_place(const struct run *run)
{
    unsigned resident = 0, blocks, most = the_machine.progress.resident_threads;
    if (most && resident_threads(run, &blocks) >= most && blocks >= LEAST_RESIDENT)
        return false;
    if (!the_machine.progress.resident)
        return true;
    for (unsigned s = 0; s < run->sm_count; s++)
        resident += run->sms[s].block_count;
    return resident < the_machine.progress.resident;
}

/* ---- who begins ---- */

static bool begins_in_any_order(const struct kernel *kernel)
{
    enum machine_progress model = the_machine.progress.model;
    return (model == MACHINE_OBE || model == MACHINE_HSA_OBE) && kernel->launch.cluster <= 1;
}

/* Returns the lowest number of a block that has not begun. */
static unsigned lowest_left(const struct kernel *kernel)
{
    unsigned block = 0;
    while (kernel->has_begun[block])
        block++;
    return block;
}

static bool all_below_have_ended(const struct run *run, const struct kernel *kernel, unsigned number)
{
    for (unsigned s = 0; s < run->sm_count; s++)
        for (unsigned b = 0; b < run->sms[s].block_count; b++)
            if (run->sms[s].blocks[b]->kernel == kernel && run->sms[s].blocks[b]->index < number)
                return false;
    return true;
}

/* Returns the number of the block that begins next. The progress model MACHINE_HSA_OBE promises steps to the
 * lowest block that has not ended; if this block has not begun, it begins next. Otherwise the number is drawn
 * by chance. */
static unsigned draw_block(const struct kernel *kernel)
{
    unsigned lowest = lowest_left(kernel);
    if (the_machine.progress.model == MACHINE_HSA_OBE &&
        all_below_have_ended(&the_machine.run, kernel, lowest))
        return lowest;
    unsigned nth = (unsigned)(random_next(&the_machine.random) % (kernel->grid - kernel->started)), block = 0;
    for (;; block++)
        if (!kernel->has_begun[block] && nth-- == 0)
            return block;
}

unsigned progress_next_block(struct kernel *kernel)
{
    if (kernel->is_sample)
        return sample_next_block(kernel);
    if (!begins_in_any_order(kernel))
        return kernel->started;
    if (!kernel->has_begun)
        kernel->has_begun = allocate(kernel->grid * sizeof *kernel->has_begun);
    unsigned block = draw_block(kernel);
    kernel->has_begun[block] = true;
    return block;
}

/* ---- which blocks get further steps ---- */

static struct block *lowest_block(const struct run *run)
{
    struct block *lowest = NULL;
    for (unsigned s = 0; s < run->sm_count; s++)
        for (unsigned b = 0; b < run->sms[s].block_count; b++) {
            struct block *block = run->sms[s].blocks[b];
            if (block->exited < block->threads && (!lowest || block->index < lowest->index))
                lowest = block;
        }
    return lowest;
}

static void hold_until(struct block *block, uint64_t time)
{
    for (unsigned w = 0; w < block->warp_count; w++) {
        block->warps[w].held_until = time;
        groups_update_times(&block->warps[w]);
    }
}

/* Returns a time so late that other blocks may do much before it. */
static uint64_t a_long_time(void)
{
    return the_machine.run.now + 256 * (uint64_t)the_machine.description.global_latency;
}

void progress_withhold(struct warp *warp)
{
    if (the_machine.progress.model != MACHINE_HSA || warp->block->kernel->launch.cooperative ||
        random_next(&the_machine.random) % the_machine.progress.withheld_of)
        return;
    hold_until(warp->block, lowest_block(&the_machine.run) == warp->block ? a_long_time() : NEVER);
}

struct block *progress_resume(struct run *run)
{
    struct block *lowest = the_machine.progress.model == MACHINE_HSA ? lowest_block(run) : NULL;
    if (!lowest || !progress_is_withheld(&lowest->warps[0]))
        return NULL;
    hold_until(lowest, 0);
    return lowest;
}

/* ---- where blocks begin ---- */

size_t places_free(const struct sm *sm, const struct kernel *kernel)
{
    const struct machine_description *d = &the_machine.description;
    size_t threads = (size_t)d->max_threads_per_sm, shared = 0, registers = 0;
    if (!kernel->launch.cooperative && !has_place(&the_machine.run))
        return 0;
    if (kernel->stream->sm_count && sm->index % (unsigned)d->sm_count >= kernel->stream->sm_count)
        return 0;
    for (unsigned b = 0; b < sm->block_count; b++) {
        threads -= sm->blocks[b]->threads;
        const struct machine_launch *other = &sm->blocks[b]->kernel->launch;
        shared += shared_of_block(other->shared_bytes);
        registers += registers_of_block(sm->blocks[b]->threads, other->registers);
    }
    size_t places = (size_t)d->max_blocks_per_sm - sm->block_count;
    if (places > threads / kernel->threads)
        places = threads / kernel->threads;
    size_t by_shared = blocks_by_shared(shared, kernel->launch.shared_bytes),
           by_registers = blocks_by_registers(registers, kernel->threads, kernel->launch.registers);
    places = places > by_shared ? by_shared : places;
    return places > by_registers ? by_registers : places;
}

bool places_wanted(const struct kernel *kernel, const struct sm *sm)
{
    unsigned device = device_of_sm(sm);
    return kernel->begun && kernel->started_on[device] < device_blocks(kernel, device);
}

static bool comes_before(const struct kernel *a, const struct kernel *b)
{
    return a->stream->priority != b->stream->priority ? a->stream->priority < b->stream->priority
                                                      : a->number < b->number;
}

struct kernel *places_next(struct run *run, const struct sm *sm)
{
    struct kernel *first = NULL;
    for (struct kernel *k = run->kernels; k < run->kernels + MOST_KERNELS; k++)
        if (k->number && places_wanted(k, sm) && (!first || comes_before(k, first)) && places_free(sm, k))
            first = k;
    return first;
}

/* A cooperative grid may begin only when all its blocks have places; other grids may begin at once. */
static bool may_begin(const struct run *run, const struct kernel *kernel)
{
    size_t places = 0;
    if (!kernel->launch.cooperative)
        return true;
    for (unsigned s = 0; s < run->sm_count; s++)
        places += places_free(&run->sms[s], kernel);
    return places >= kernel->grid;
}

struct kernel *places_next_to_begin(struct run *run)
{
    struct kernel *first = NULL;
    for (struct kernel *k = run->kernels; k < run->kernels + MOST_KERNELS; k++)
        if (k->number && !k->begun && (!first || comes_before(k, first)) && may_begin(run, k))
            first = k;
    return first;
}
