#include "machine/weak/weak_block.h"
#include "base/memory.h"
#include "machine/code/calls.h"
#include "machine/weak/cells.h"

#include <stdlib.h>

struct weak_actor weak_actor;

void weak_block_begins(struct block *block)
{
    if (!the_machine.memory.is_weak)
        return;
    block->weak = allocate(sizeof *block->weak);
    block->weak->model = model_block_begin(block->kernel->party, block->index);
    block->weak->last.reader = block->weak->passed.reader = NO_THREAD;
    cells_clear_shared(block);
}

void weak_block_ends(struct block *block)
{
    if (!block->weak)
        return;
    model_gathering_end(&block->weak->at_barrier);
    for (unsigned b = 0; b < NAMED_BARRIERS; b++)
        model_gathering_end(&block->weak->at_named[b]);
    cells_forget_shared(block);
    model_block_end(block->weak->model);
    free(block->weak);
    block->weak = NULL;
}

/* ---- barriers ---- */

/* Notes for reports where the first of these lanes waits. */
static void note_barrier(const struct warp *warp, lane_set lanes, enum race_span span)
{
    if (!the_machine.memory.cures || !lanes)
        return;
    unsigned first = first_lane(lanes);
    race_note_barrier(site_of(lane_of(warp, first)->instruction, warp->more[first].calls), span);
}

void weak_arrive_at_block_barrier(struct warp *warp, lane_set lanes)
{
    struct weak_block *weak_block = warp->block->weak;
    if (weak_block)
        model_gather_whole(&weak_block->at_barrier, weak_block->model, number_of_warp(warp), lanes);
    note_barrier(warp, lanes, RACE_IN_BLOCK);
}

void weak_open_block_barrier(struct block *block)
{
    struct weak_block *weak_block = block->weak;
    if (!weak_block)
        return;
    model_gathered_whole(&weak_block->at_barrier, weak_block->model);
    for (unsigned w = 0; w < block->warp_count; w++)
        model_learn(&weak_block->at_barrier, weak_block->model, w, block->warps[w].at_block_barrier);
    model_gathering_end(&weak_block->at_barrier);
}

void weak_arrive_at_named_barrier(struct warp *warp, lane_set lanes, unsigned barrier)
{
    struct weak_block *weak_block = warp->block->weak;
    if (weak_block)
        model_gather(&weak_block->at_named[barrier], weak_block->model, number_of_warp(warp), lanes);
    note_barrier(warp, lanes, RACE_IN_BLOCK);
}

void weak_open_named_barrier(struct block *block, unsigned barrier)
{
    struct weak_block *weak_block = block->weak;
    if (!weak_block)
        return;
    for (unsigned w = 0; w < block->warp_count; w++) {
        lane_set lanes = lanes_at_named(&block->warps[w], barrier);
        model_learn(&weak_block->at_named[barrier], weak_block->model, w, lanes);
    }
    model_gathering_end(&weak_block->at_named[barrier]);
}

void weak_warp_barrier(struct warp *warp, lane_set lanes)
{
    struct weak_block *weak_block = warp->block->weak;
    if (!weak_block)
        return;
    struct gathering gathering = {{NULL}};
    model_gather(&gathering, weak_block->model, number_of_warp(warp), lanes);
    model_learn(&gathering, weak_block->model, number_of_warp(warp), lanes);
    model_gathering_end(&gathering);
    note_barrier(warp, lanes, RACE_IN_WARP);
}
