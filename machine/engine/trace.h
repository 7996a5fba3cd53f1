/* Writes the trace of a run: a line for each request to memory, to the lock unit or at a barrier. Also
 * notes the counters of each interval between barriers. */
#ifndef MACHINE_TRACE_H
#define MACHINE_TRACE_H

#include "machine/state.h"

/* Does machine_trace() want lines? */
bool trace_is_on(void);

/* Writes the line of a group's request to memory, which was dispatched now and whose times are set. */
void trace_request(const struct warp *warp, const struct group *group, uint64_t now);

/* trace_arrival() notes that a group has arrived at a barrier. trace_departure() writes the lines of the
 * noted arrivals of these lanes: the last lane arrives at `now`, and all may continue at `open_at`. */
void trace_arrival(const struct warp *warp, const struct group *group, uint64_t now);
void trace_departure(const struct warp *warp, lane_set lanes, uint64_t now, uint64_t open_at);

/* Notes the intervals of a launch with one block: from the launch's beginning to the first __syncthreads,
 * between two of them, and from the last one to the launch's end. Launches of several blocks have no
 * intervals, because their blocks' barriers have no common time. */
void trace_launch_begins(void);
void trace_interval_ends(uint64_t now);
void trace_forget_intervals(void);

#endif
