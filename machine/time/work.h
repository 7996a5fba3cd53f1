/*
 * The time of what lies between two requests of a lane: the instructions that compute (machine/code/instructions.h), their
 * slots of issue, their parameters and divisions, and the latencies of meetings.
 */
#ifndef MACHINE_WORK_H
#define MACHINE_WORK_H

#include "machine/time/scoreboard.h"

/* When the work is done that begins as soon as it may. */
uint64_t work_done_at(const struct work *work, struct due due);

/* Makes the warp's groups, from number `from` on, ready when their work is done. */
void work_add(struct warp *warp, unsigned from);

/* Counts instructions that were issued until now, while their request was not ready yet, if there were slots. */
void work_take_issue_slots(struct sm *sm, const struct work *work, uint64_t now);

/* Adds what the branch of a loop takes that looks at a word: more for lanes that do so apart from others of their warp. */
void work_add_looks(struct warp *warp, lane_set lanes);

/* What lies between a result and the instruction that waits for it. */
uint64_t result_pause(void);

/* Of a barrier of so many warps, and of a meeting of a warp's lanes for such a request. */
uint64_t barrier_latency(unsigned warps);
uint64_t warp_meeting_latency(enum request_kind kind);

#endif
