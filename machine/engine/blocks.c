#include "machine/engine/blocks.h"
#include "base/memory.h"
#include "machine/engine/convergence.h"

#include <stdlib.h>
#include <string.h>

/* Blocks that have ended; new blocks reuse their memory. */
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

struct block *blocks_take(unsigned threads)
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
        block->more[i].copies = block->more[i].copy_groups[0] = block->more[i].copy_groups[1] = 0;
        block->more[i].cluster_phase = block->more[i].barrier_place = 0;
        block->more[i].calls = block->more[i].calls_uncounted = 0;
        block->more[i].undefined = false;
        block->more[i].unordered = block->more[i].ordered_at = 0;
    }
    for (unsigned w = 0; w < block->warp_count; w++)
        memset(block->convergence[w].depth, 0, sizeof block->convergence[w].depth);
    return block;
}

void blocks_give_back(struct block *block)
{
    if (block->threads != ended_threads)
        return free_block(block);
    block->next = ended;
    ended = block;
}

void blocks_open(unsigned threads)
{
    unsigned width = (unsigned)the_machine.description.warp_size;
    if (threads != ended_threads || width != ended_width)
        free_ended();
    ended_threads = threads;
    ended_width = width;
}
