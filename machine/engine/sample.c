#include "machine/engine/sample.h"
#include "base/memory.h"
#include "machine/code/source_line.h"
#include "machine/memory/devices.h"

#include <stdio.h>
#include <string.h>

/* Blocks of a sample are run in groups of neighbours, because a block shares data with those beside it. */
#define NEIGHBOURS 4

static struct {
    unsigned blocks, launches; /* 0 means all */
    uint64_t kernels;          /* number of kernels made so far */
    uint64_t first;     /* the first of them of which blocks were left out, counted from 1; 0 means none */
    bool host_has_gaps; /* has the host copied memory of which something is not known? */
    struct machine_left_out out;
} sample;

void machine_set_sample(unsigned blocks, unsigned launches)
{
    sample.blocks = blocks && blocks < NEIGHBOURS ? NEIGHBOURS : blocks;
    sample.launches = launches;
}

const struct machine_left_out *machine_left_out_so_far(void)
{
    return &sample.out;
}

/* ---- calls of closed libraries ---- */

void machine_skip_call(const char *name)
{
    struct machine_left_out *out = &sample.out;
    unsigned i = 0;
    written_note_all();
    while (i < out->skipped_count && strcmp(out->skipped[i].name, name) != 0 && i < MOST_SKIPPED - 1)
        i++;
    if (i == out->skipped_count) {
        out->skipped_count++;
        snprintf(out->skipped[i].name, sizeof out->skipped[i].name, "%s",
                 i < MOST_SKIPPED - 1 ? name : "others");
    }
    out->skipped[i].calls++;
}

/* ---- launches ---- */

/* Launches that are alike: the same kernel, shape and arguments. */
static struct alike {
    uint64_t hash;
    unsigned count;
} * alike;
static size_t alike_count;

static uint64_t hash_of(const struct machine_launch *launch)
{
    uint64_t hash = hash_add(HASH_OF_NOTHING, &launch->program, sizeof launch->program);
    hash = hash_add(hash, &launch->grid, sizeof launch->grid);
    hash = hash_add(hash, &launch->block, sizeof launch->block);
    hash = hash_add(hash, &launch->shared_bytes, sizeof launch->shared_bytes);
    return hash_add(hash, launch->closure, launch->closure_bytes);
}

bool sample_leaves_out(const struct machine_launch *launch)
{
    if (sample.blocks || sample.launches)
        sample.out.of_launches++;
    if (sample.host_has_gaps) {
        sample.out.launches++;
        return true;
    }
    if (!sample.launches)
        return false;
    uint64_t hash = hash_of(launch);
    size_t i = 0;
    while (i < alike_count && alike[i].hash != hash)
        i++;
    if (i == alike_count) {
        alike = with_room(alike, sizeof *alike, alike_count, 1);
        alike[alike_count++] = (struct alike){.hash = hash};
    }
    if (++alike[i].count <= sample.launches)
        return false;
    sample.out.launches++;
    return true;
}

/* ---- blocks ---- */

void sample_begin(struct kernel *kernel)
{
    const struct machine_launch *launch = &kernel->launch;
    kernel->nth = ++sample.kernels;
    if (sample.first)
        written_begin_gaps();
    kernel->most = kernel->grid;
    if (!sample.blocks || kernel->grid <= sample.blocks || launch->cooperative || launch->cluster > 1 ||
        device_count() > 1)
        return;
    kernel->most = sample.blocks;
    kernel->is_sample = true;
    kernel->has_begun = allocate(kernel->grid * sizeof *kernel->has_begun);
    sample.first = sample.first ? sample.first : kernel->nth;
    written_begin_gaps();
    sample.out.blocks += kernel->grid - kernel->most;
    sample.out.of_blocks += kernel->grid;
}

void sample_end(const struct kernel *kernel)
{
    if (sample.first)
        written_end_gaps(kernel->has_gaps || kernel->most < kernel->grid);
}

void sample_copies(uintptr_t to, uintptr_t from, size_t bytes, bool to_host)
{
    if (to_host)
        sample.host_has_gaps = sample.host_has_gaps || !written_is_whole(from, bytes);
    else if (array_of(from))
        written_copy(to, from, bytes);
}

/* Returns the nth block of the sample: the groups are spread from the first block to the last, and every
 * second group is below the one before it, a row later. */
static unsigned block_of_sample(const struct kernel *kernel, unsigned nth)
{
    unsigned groups = (sample.blocks + NEIGHBOURS - 1) / NEIGHBOURS, group = nth / NEIGHBOURS;
    unsigned row = kernel->launch.grid.y > 1 ? kernel->launch.grid.x : 0;
    unsigned spread = row ? group / 2 * 2 : group;
    uint64_t last = kernel->grid - NEIGHBOURS;
    uint64_t first = groups > 1 ? last * spread / (groups - 1) : 0;
    if (row && group % 2 && first + row <= last)
        first += row;
    return (unsigned)first + nth % NEIGHBOURS;
}

unsigned sample_next_block(struct kernel *kernel)
{
    unsigned block =
        kernel->started < sample.blocks ? block_of_sample(kernel, kernel->started) : kernel->lowest;
    while (kernel->has_begun[block])
        block = block + 1 < kernel->grid ? block + 1 : 0;
    if (kernel->started >= sample.blocks)
        kernel->lowest = block;
    kernel->has_begun[block] = true;
    return block;
}

bool sample_widens(struct run *run)
{
    bool widens = false;
    for (struct kernel *k = run->kernels; k < run->kernels + MOST_KERNELS; k++) {
        if (!k->number || k->most == k->grid)
            continue;
        unsigned more = k->most < k->grid - k->most ? k->most : k->grid - k->most;
        k->most += more;
        k->blocks_left += more;
        sample.out.blocks -= more;
        widens = true;
    }
    return widens;
}

bool sample_has_gaps(void)
{
    return sample.first;
}

bool sample_has_ended_threads(void)
{
    return sample.out.threads;
}

void sample_end_block(struct block *block)
{
    block->kernel->has_gaps = true;
    for (unsigned w = 0; w < block->warp_count; w++)
        block->warps[w].ends = all_lanes(&block->warps[w]);
}

void sample_reads(struct block *block, enum content content, const void *instruction)
{
    const struct kernel *kernel = block->kernel;
    bool may_be_input = content == CONTENT_NOT_NOTED && kernel->nth == sample.first;
    if (!sample.first || kernel->nth < sample.first || may_be_input)
        return;
    if (!sample.out.threads)
        source_line(instruction, sample.out.end, sizeof sample.out.end);
    sample_end_block(block);
}

lane_set sample_take_ended(struct warp *warp, lane_set lanes)
{
    lane_set ended = warp->ends & lanes;
    sample.out.threads += (unsigned)__builtin_popcountll(ended);
    warp->ends &= ~ended;
    return ended;
}
