/* Decides when a warp's lanes may go on after a request. They go on at once if no instruction before the next
 * request needs the result. A GPU's scoreboard works in this way: it lets a warp go on until an instruction
 * reads a register whose value is still missing. */
#ifndef MACHINE_SCOREBOARD_H
#define MACHINE_SCOREBOARD_H

#include "machine/state.h"

/* What the scoreboard needs to know about the last request when its lanes have reached their next
 * requests. */
struct outcome {
    bool has_result; /* does the request have a result, so that lanes may run on without it? */
    /* time at which the request took effect or, for a barrier or warp-wide operation, the last lane
     * arrived */
    uint64_t issued_at;
    uint64_t done_at; /* time at which the request's result is available */
    uint64_t pause;   /* time from done_at to the next instruction */
};

/* The times at which a lane's next request may be made. A request that needs no result may be made at
 * `issue_at`, any other at `ready_at`, when the results that it needs are there. A store that delays no later
 * request is issued before its value is there; `value_at` is then the time of the value, otherwise 0. */
struct due {
    uint64_t issue_at, ready_at, value_at;
};

/* Returns which of these lanes are at the same request as the first lane, with the same dependences and the
 * same requests in flight. If the first lane has exited, returns the exited lanes. */
lane_set scoreboard_alike(const struct warp *warp, lane_set lanes);

/* Returns when these lanes may make their next request. If they go on without the last request's result,
 * adds the last request to those in flight. */
struct due scoreboard_next(struct warp *warp, lane_set alike, const struct outcome *last);

#endif
