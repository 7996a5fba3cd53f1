/* The time of a lane's work between two requests: the instructions that compute
 * (machine/code/instructions.h), their issue slots and divisions, and the latencies of barriers. */
#ifndef MACHINE_WORK_H
#define MACHINE_WORK_H

#include "machine/time/scoreboard.h"

/* Returns the time at which the work is done if it begins as early as `due` allows. */
uint64_t work_done_at(const struct work *work, struct due due);

/* For the warp's groups from number `from` on, adds the time of the lanes' work, after which the groups
 * become ready. */
void work_add(struct warp *warp, unsigned from);

/* The number of parts of an issue port's time that an instruction takes; a time unit has
 * issue_per_1000_units parts. */
#define ISSUE_SLOT 1000
static inline uint64_t issue_slots_at(uint64_t time)
{
    return time * (uint64_t)the_machine.description.issue_per_1000_units;
}
static inline uint64_t issue_slot_begins(const struct sm *sm)
{
    return sm->issue_slot / (uint64_t)the_machine.description.issue_per_1000_units;
}

/* Takes issue slots for this work's instructions and counts the instructions. They were issued before
 * now, so earlier slots are used as far as they were free. */
void work_take_issue_slots(struct sm *sm, const struct work *work, uint64_t now);

/* If the last request of a lane polled a word, adds the time of the polling loop's branch to the lane's work.
 * The time depends on whether all lanes of the warp poll. */
void work_add_polls(struct warp *warp, lane_set lanes);

/* Returns the time between a result's arrival and the instruction that waited for it. */
uint64_t result_pause(void);

/* Returns when the multiprocessor has counted the arrival of a warp that reaches a barrier now. It counts one
 * arrival after another, and a barrier opens syncthreads_latency after the last count. */
uint64_t barrier_arrives(struct sm *sm, uint64_t now);

/* cluster_barrier_arrives() returns when an arrival at a cluster's barrier is counted. The barrier opens
 * cluster_barrier_latency() after the last arrival. */
uint64_t cluster_barrier_arrives(struct sm *sm, uint64_t now);
uint64_t cluster_barrier_latency(void);

/* Returns the latency of a warp-wide operation of this kind. */
uint64_t warp_meeting_latency(enum request_kind kind);

/* Returns when a sleep ends that begins now: when the timer of all multiprocessors next reaches a multiple of
 * the sleep's period, but at least sleep_latency from now. A sleep takes one time unit if sleep_latency is 0,
 * and with weak memory, where the schedule decides when a thread goes on. */
uint64_t sleep_end(uint64_t nanoseconds, uint64_t now);

#endif
