/* The trace of a run: a line for each request to memory, to a lock unit or at a barrier, and the counts
 * between barriers. */
#ifndef MACHINE_TRACE_H
#define MACHINE_TRACE_H

#include "machine/state.h"

void trace_request(const struct warp *warp, const struct group *group, uint64_t now);

/* Lanes arrive at a barrier; and lanes that waited at a barrier, or only arrived, may continue at `open_at`,
 * because the last one arrives `now`. */
void trace_arrival(const struct warp *warp, const struct group *group, uint64_t now);
void trace_departure(const struct warp *warp, lane_set lanes, uint64_t now, uint64_t open_at);

/* A launch begins; or a __syncthreads or the launch's end ends an interval. Only for launches of one block:
 * the barriers of several blocks have no common time. */
void trace_launch_begins(void);
void trace_interval_ends(uint64_t now);
void trace_forget_intervals(void);

#endif
