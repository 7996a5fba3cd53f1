/*
 * The time of the work between two requests of a lane: the instructions that compute
 * (machine/code/instructions.h), their issue slots and divisions, and the latencies of barriers.
 */
#ifndef MACHINE_WORK_H
#define MACHINE_WORK_H

#include "machine/time/scoreboard.h"

/* The time at which the work is done, if it begins as soon as it may. */
uint64_t work_done_at(const struct work *work, struct due due);

/* Makes the warp's groups, from number `from` on, ready when their work is done. */
void work_add(struct warp *warp, unsigned from);

/* Slots of a multiprocessor's issue port, in parts: an instruction takes ISSUE_SLOT parts, and a time unit
 * has issue_per_1000_units parts. */
#define ISSUE_SLOT 1000
static inline uint64_t issue_slots_at(uint64_t time)
{
    return time * (uint64_t)the_machine.description.issue_per_1000_units;
}
static inline uint64_t issue_slot_begins(const struct sm *sm)
{
    return sm->issue_slot / (uint64_t)the_machine.description.issue_per_1000_units;
}

/* Takes the slots of instructions that were issued before now, as far as slots were free then, and counts
 * the instructions. */
void work_take_issue_slots(struct sm *sm, const struct work *work, uint64_t now);

/* Adds the time of the branch of a polling loop to the work of those of these lanes that have just polled.
 * The time depends on whether the whole warp polls. */
void work_add_polls(struct warp *warp, lane_set lanes);

/* The time between a result and the instruction that waits for it. */
uint64_t result_pause(void);

/* The latency of a barrier of this number of warps, and of a warp-wide operation of this kind. */
uint64_t barrier_latency(unsigned warps);
uint64_t warp_meeting_latency(enum request_kind kind);

#endif
