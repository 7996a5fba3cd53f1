#include "machine/engine/progress.h"
#include "base/memory.h"
#include "machine/engine/groups.h"
#include "machine/engine/sample.h"

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

bool progress_has_place(const struct run *run)
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

/* Returns the number of the block that begins next. The progress model HSA_OBE promises steps to the lowest
 * block that has not ended; if this block has not begun, it begins next. Otherwise the number is drawn by
 * chance. */
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
