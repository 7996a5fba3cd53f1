#include "machine/engine/run.h"
#include "base/failure.h"
#include "base/memory.h"
#include "machine/code/source_line.h"
#include "machine/engine/clusters.h"
#include "machine/engine/reconvergence.h"
#include "machine/engine/copies.h"
#include "machine/engine/critical_path.h"
#include "machine/engine/events.h"
#include "machine/engine/policy.h"
#include "machine/engine/progress.h"
#include "machine/engine/rules.h"
#include "machine/engine/sample.h"
#include "machine/engine/trace.h"
#include "machine/memory/cache_tags.h"
#include "machine/memory/devices.h"
#include "machine/memory/shared_memory.h"
#include "machine/memory/lock_unit.h"
#include "machine/memory/arrays.h"
#include "machine/ptx.h"
#include "machine/state.h"
#include "machine/time/cost.h"
#include "machine/time/work.h"
#include "machine/weak/l1_cache.h"
#include "machine/weak/weak_block.h"
#include "machine/weak/weak_launches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- blocks ---- */

/* Blocks that have ended; new blocks reuse their memory, because thousands of blocks come and go. */
static struct block *ended;
/* number of threads in each block of the list `ended`, and in each of their warps */
static unsigned ended_threads, ended_width;

static void free_block(struct block *block)
{
    free(block->lanes);
    free(block->more);
    free(block->groups);
    free(block->warps);
    free(block->convergence);
    free(block);
}

static void free_ended(void)
{
    while (ended) {
        struct block *block = ended;
        ended = block->next;
        free_block(block);
    }
}

static struct block *make_block(unsigned threads)
{
    unsigned width = (unsigned)the_machine.description.warp_size;
    struct block *block = allocate(sizeof *block);
    block->threads = threads;
    block->lanes = allocate_aligned(threads * sizeof *block->lanes);
    block->more = allocate(threads * sizeof *block->more);
    block->groups = allocate(threads * sizeof *block->groups);
    block->warp_count = (threads + width - 1) / width;
    block->warps = allocate(block->warp_count * sizeof *block->warps);
    block->convergence = allocate(block->warp_count * sizeof *block->convergence);
    return block;
}

/* Returns a block of this number of threads, none of which has run. */
static struct block *blocks_take(unsigned threads)
{
    struct block *block = ended;
    if (!block || threads != ended_threads)
        return make_block(threads);
    ended = block->next;
    *block = (struct block){.threads = threads,
                            .lanes = block->lanes,
                            .more = block->more,
                            .groups = block->groups,
                            .warps = block->warps,
                            .convergence = block->convergence,
                            .warp_count = block->warp_count};
    for (unsigned i = 0; i < threads; i++) {
        block->lanes[i] = (struct lane){.address = 0};
        block->more[i].repeats_since = block->more[i].repeats = 0;
        block->more[i].copies = 0;
        memset(block->more[i].copy_groups, 0, sizeof block->more[i].copy_groups);
        block->more[i].cluster_phase = 0;
        block->more[i].calls = block->more[i].calls_uncounted = 0;
        block->more[i].undefined = false;
        block->more[i].unordered = block->more[i].ordered_at = 0;
    }
    for (unsigned w = 0; w < block->warp_count; w++)
        memset(block->convergence[w].depth, 0, sizeof block->convergence[w].depth);
    return block;
}

static void blocks_give_back(struct block *block)
{
    if (block->threads != ended_threads)
        return free_block(block);
    block->next = ended;
    ended = block;
}

/* Called when a run begins. Later, only the memory of blocks with this number of threads is reused. */
static void blocks_open(unsigned threads)
{
    unsigned width = (unsigned)the_machine.description.warp_size;
    if (threads != ended_threads || width != ended_width)
        free_ended();
    ended_threads = threads;
    ended_width = width;
}

/* ---- run ---- */

/* Returns the lowest number of a free place for a block of the kernel on the multiprocessor. */
static unsigned free_place(const struct sm *sm, const struct kernel *kernel)
{
    for (unsigned place = 0;; place++) {
        bool taken = false;
        for (unsigned b = 0; b < sm->block_count; b++)
            taken = taken || (sm->blocks[b]->kernel == kernel && sm->blocks[b]->place == place);
        if (!taken)
            return place;
    }
}

/* Creates the block's warps and puts them on its multiprocessor. */
static void form_warps(struct sm *sm, struct block *block)
{
    unsigned width = (unsigned)the_machine.description.warp_size;
    for (unsigned w = 0; w < block->warp_count; w++) {
        struct warp *warp = &block->warps[w];
        unsigned left = block->threads - w * width;
        *warp = (struct warp){.block = block,
                              .lanes = block->lanes + w * width,
                              .more = block->more + w * width,
                              .convergence = block->convergence + w,
                              .groups = block->groups + w * width,
                              .lane_count = left < width ? left : width,
                              .slot = sm->warp_count};
        sm->warps[sm->warp_count++] = warp;
    }
}

struct block *run_place_block(struct kernel *kernel, struct sm *sm, uint64_t now)
{
    struct block *block = blocks_take(kernel->threads);
    block->kernel = kernel;
    block->sm = sm;
    block->place = free_place(sm, kernel);
    unsigned device = device_of_sm(sm);
    block->index = device_count() > 1 ? device * device_share(kernel->grid) + kernel->started_on[device]
                                      : progress_next_block(kernel);
    kernel->started_on[device]++;
    kernel->started++;
    shared_memory_give(block);
    if (written_is_noted)
        written_begin_block(block);
    cluster_join(block);
    weak_block_begins(block);
    form_warps(sm, block);
    if (rules_are_checked)
        rules_block_begins(block);
    sm->blocks[sm->block_count++] = block;
    note_change();
    for (unsigned w = 0; w < block->warp_count; w++)
        ptx_warp_begin(&block->warps[w]);
    for (unsigned w = 0; w < block->warp_count; w++)
        policy_start(&block->warps[w], now);
    for (unsigned w = 0; spent_is_noted && w < block->warp_count; w++)
        critical_path_begin(&block->warps[w], now);
    return block;
}

static void remove_block(struct sm *sm, unsigned at)
{
    struct block *block = sm->blocks[at];
    unsigned kept = 0;
    critical_path_remove(block);
    for (unsigned i = 0; i < sm->warp_count; i++) {
        if (sm->warps[i]->block == block)
            continue;
        sm->warps[i]->slot = kept;
        sm->issue_at[kept] = sm->issue_at[i];
        sm->next_effect[kept] = sm->next_effect[i];
        sm->warps[kept++] = sm->warps[i];
    }
    sm->warp_count = kept;
    sm->cursor = 0;
    sm->blocks[at] = sm->blocks[--sm->block_count];
    for (unsigned w = 0; w < block->warp_count; w++)
        ptx_warp_end(&block->warps[w]);
    copies_finish(block);
    weak_block_ends(block);
    rules_block_ends(block);
    written_end_block(block);
    cluster_leave(block);
    blocks_give_back(block);
}

uint64_t run_ended_kernels;

/* Frees the resources of a kernel that has no blocks left, and its place among the run's kernels. */
static void end_kernel(struct kernel *kernel)
{
    sample_end(kernel);
    free((void *)(uintptr_t)kernel->launch.closure);
    free(kernel->has_begun);
    kernel->number = 0;
    kernel->begun = false;
    run_ended_kernels++;
    if (kernel->has_ended)
        *kernel->has_ended = true;
}

uint64_t run_retire_block(struct run *run, struct sm *sm, unsigned at)
{
    struct kernel *kernel = sm->blocks[at]->kernel;
    uint64_t end = sm->blocks[at]->finished_at;
    if (end > kernel->end)
        kernel->end = end;
    if (spent_is_noted)
        critical_path_retire(sm->blocks[at]);
    remove_block(sm, at);
    if (!--kernel->blocks_left)
        end_kernel(kernel);
    struct block *resumed = progress_resume(run);
    if (resumed)
        events_note(run, resumed->sm);
    return end;
}

static void open_sm(struct sm *sm, unsigned index, size_t blocks, size_t warps)
{
    size_t lock_bits = (size_t)the_machine.description.lock_bits;
    *sm = (struct sm){.index = index, .issue_slot = issue_slots_at(the_machine.now)};
    sm->blocks = allocate(blocks * sizeof *sm->blocks);
    sm->warps = allocate(warps * sizeof *sm->warps);
    sm->issue_at = allocate(warps * sizeof *sm->issue_at);
    sm->next_effect = allocate(warps * sizeof *sm->next_effect);
    if (lock_bits)
        sm->locks = allocate(lock_bits * sizeof *sm->locks);
}

/* Allocates all resources for a first kernel, and for kernels that overlap with it. */
static void run_open(struct run *run, const struct kernel *first)
{
    const struct machine_description *d = &the_machine.description;
    unsigned width = (unsigned)d->warp_size;
    bool shared = first->stream->overlaps;
    size_t blocks = shared ? (size_t)d->max_blocks_per_sm : first->per_sm;
    size_t warps = shared ? blocks + (size_t)d->max_threads_per_sm / width
                          : blocks * ((first->threads + width - 1) / width);
    *run = (struct run){.shared = shared,
                        .sm_count = (unsigned)d->sm_count * device_count(),
                        .start = the_machine.now,
                        .now = the_machine.now,
                        .patience = 100 * warps,
                        .rejoins = reconvergence_is_on(),
                        .gave_up = UINT64_MAX};
    run->sms = allocate(run->sm_count * sizeof *run->sms);
    run->next_event = allocate(run->sm_count * sizeof *run->next_event);
    run->next_of_bundle = allocate((run->sm_count / SMS_OF_BUNDLE + 1) * sizeof *run->next_of_bundle);
    for (unsigned s = 0; s < run->sm_count; s++)
        open_sm(&run->sms[s], s, blocks, warps);
    blocks_open(first->threads);
    shared_memory_open(run->shared ? MOST_KERNELS * shared_memory_most() : shared_memory_need(first));
    if (d->l1_latency)
        cache_tags_open(
            run->sm_count,
            l1_bytes(d->compute_capability, (unsigned)(first->launch.shared_bytes * first->per_sm)),
            4 * (unsigned)d->global_width);
    l2_tags_open(d->l2_groups_per_1000_units ? (unsigned)(d->l2_bytes / (4 * d->global_width)) : 0);
    cost_reset();
    trace_launch_begins();
    if (spent_is_noted)
        critical_path_open();
}

void run_close(struct run *run)
{
    trace_interval_ends(the_machine.now);
    for (unsigned s = 0; s < run->sm_count; s++) {
        struct sm *sm = &run->sms[s];
        while (sm->block_count)
            remove_block(sm, 0);
        free(sm->blocks);
        free(sm->warps);
        free(sm->issue_at);
        free(sm->next_effect);
        free(sm->locks);
    }
    for (struct kernel *k = run->kernels; k < run->kernels + MOST_KERNELS; k++)
        if (k->number)
            end_kernel(k);
    weak_launch_ends();
    free(run->sms);
    free(run->next_event);
    free(run->next_of_bundle);
    run->sms = NULL;
}

/* ---- what a process that ends a run from outside asks ---- */

void (*volatile interrupt_stop)(void);

void machine_interrupt(void (*stop)(void))
{
    interrupt_stop = stop;
}

const char *machine_kernels_left(void)
{
    static char text[2048];
    const struct run *run = &the_machine.run;
    size_t used = 0;
    text[0] = '\0';
    for (unsigned k = 0; k < MOST_KERNELS && used < sizeof text; k++) {
        const struct kernel *kernel = &run->kernels[k];
        const struct machine_index *grid = &kernel->launch.grid, *block = &kernel->launch.block;
        char line[MOST_MARK] = "a graph";
        if (!kernel->number)
            continue;
        if (kernel->order && kernel->order->instruction)
            source_line(kernel->order->instruction, line, sizeof line);
        used += (size_t)snprintf(
            text + used, sizeof text - used,
            "%s%u of the %u blocks of %s had ended, launched at %s with a grid of %u x %u "
            "x %u blocks of %u x %u x %u threads",
            used ? ", and " : "", kernel->most - kernel->blocks_left, kernel->grid, kernel->launch.name, line,
            grid->x, grid->y, grid->z, block->x, block->y, block->z);
    }
    return text;
}

bool machine_under_way(struct machine_way *out)
{
    const struct run *run = &the_machine.run;
    for (const struct kernel *k = run->kernels; run->sms && k < run->kernels + MOST_KERNELS; k++) {
        if (!k->number)
            continue;
        *out = (struct machine_way){.blocks = k->grid,
                                    .threads = k->threads,
                                    .begun = k->started,
                                    .ended = k->most - k->blocks_left,
                                    .units = run->now - run->start};
        strncpy(out->name, k->launch.name, sizeof out->name - 1);
        return true;
    }
    return false;
}

/* ---- the run's kernels, which are made from the host's launches ---- */

static unsigned larger(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

static void note_size(const struct kernel *kernel)
{
    struct machine_grids *grids = &the_machine.progress.grids;
    grids->blocks = larger(grids->blocks, kernel->grid);
    if (kernel->launch.cooperative)
        grids->cooperative = larger(grids->cooperative, kernel->grid);
    if (!grids->per_sm || kernel->per_sm < grids->per_sm)
        grids->per_sm = (unsigned)kernel->per_sm;
}

struct machine_grids machine_grids_so_far(void)
{
    return the_machine.progress.grids;
}

static struct kernel make_kernel(const struct machine_launch *launch, const struct machine_stream *stream)
{
    struct kernel kernel = {.launch = *launch,
                            .stream = stream,
                            .grid = machine_blocks(launch),
                            .threads = machine_threads(launch)};
    void *closure = allocate(launch->closure_bytes);
    memcpy(closure, launch->closure, launch->closure_bytes);
    kernel.launch.closure = closure;
    kernel.per_sm =
        (size_t)machine_resident_blocks_per_sm((int)kernel.threads, launch->shared_bytes, launch->registers);
    note_size(&kernel);
    sample_begin(&kernel);
    kernel.blocks_left = kernel.most;
    return kernel;
}

struct kernel kernels_prepare(struct run *run, const struct machine_launch *launch,
                              const struct machine_stream *stream, const struct task_order *order)
{
    struct kernel kernel = make_kernel(launch, stream);
    kernel.order = order;
    if (run->sms && !kernels_of(run, NULL))
        run_close(run);
    ptx_weigh(launch->program);
    if (!run->sms)
        run_open(run, &kernel);
    else if (the_machine.memory.is_weak && !order)
        fail(EXIT_CANNOT, "machine: one kernel at a time where memory is weak");
    return kernel;
}

static struct kernel *free_kernel(struct run *run)
{
    for (struct kernel *k = run->kernels; k < run->kernels + MOST_KERNELS; k++)
        if (!k->number)
            return k;
    fail(EXIT_CANNOT, "machine: more than %d kernels at once", MOST_KERNELS);
}

struct kernel *kernels_add(struct run *run, const struct kernel *prepared)
{
    struct kernel *kernel = free_kernel(run);
    size_t nth = (size_t)(kernel - run->kernels);
    *kernel = *prepared;
    kernel->number = ++run->launched;
    kernel->end = run->now;
    kernel->first_shared = nth * shared_memory_most();
    for (unsigned s = 0; run->shared && s < run->sm_count; s++)
        run->sms[s].acquires++; /* a kernel must not find lines in L1 that were read before it began */
    weak_launch_begins(kernel);
    return kernel;
}

struct kernel *kernels_of(struct run *run, const struct machine_stream *stream)
{
    for (struct kernel *k = run->kernels; run->sms && k < run->kernels + MOST_KERNELS; k++)
        if (k->number && (!stream || k->stream == stream))
            return k;
    return NULL;
}
