/* What a run did when: a line for each request to memory, to a lock unit or of a barrier, and the counts between
 * barriers. */
#ifndef MACHINE_TRACE_H
#define MACHINE_TRACE_H

#include "machine/state.h"

void trace_request(const struct warp *warp, const struct group *group, uint64_t now);

/* Lanes come to a barrier; lanes that waited there, or only said so, may go on at `open_at`, as the last one came
 * `now`. */
void trace_arrival(const struct warp *warp, const struct group *group, uint64_t now);
void trace_departure(const struct warp *warp, lane_set lanes, uint64_t now, uint64_t open_at);

/* A launch begins, or a __syncthreads or the launch ends an interval. Of launches of one block
 * only: the barriers of several have no common time. */
void trace_launch_begins(void);
void trace_interval_ends(uint64_t now);
void trace_forget_intervals(void);

#endif
