/* The trace of a run: a line for each request to memory, to a lock unit or at a barrier, and the counts
 * between barriers. */
#ifndef MACHINE_TRACE_H
#define MACHINE_TRACE_H

#include "machine/state.h"

/* Writes the line of a request to memory that was dispatched now and has its times. */
void trace_request(const struct warp *warp, const struct group *group, uint64_t now);

/* trace_arrival notes that a group has arrived at a barrier. trace_departure writes the lines of those of
 * these lanes that have arrived: the last one arrives `now`, and all may continue at `open_at`. */
void trace_arrival(const struct warp *warp, const struct group *group, uint64_t now);
void trace_departure(const struct warp *warp, lane_set lanes, uint64_t now, uint64_t open_at);

/* Intervals of a launch of one block, from the launch's begin or a __syncthreads to the next one or the
 * launch's end. The barriers of several blocks have no common time, so their launches have no intervals. */
void trace_launch_begins(void);
void trace_interval_ends(uint64_t now);
void trace_forget_intervals(void);

#endif
