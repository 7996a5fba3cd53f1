/*
 * When a warp's lanes may continue after a request: at once, if nothing up to the next request needs its
 * result, as a GPU's scoreboard lets a warp continue until an instruction reads a register that is
 * still pending.
 */
#ifndef MACHINE_SCOREBOARD_H
#define MACHINE_SCOREBOARD_H

#include "machine/state.h"

/* A request of some lanes of a warp, at the time when the lanes have reached their next requests. */
struct outcome {
    bool has_result;    /* does it have a result, so that lanes may run on without it? */
    bool is_next_word;  /* did it go on where the request before ended, in one vector? */
    bool next_words;    /* do the next requests go on where it ended, in all lanes? */
    uint64_t issued_at; /* when it was dispatched, or took effect */
    uint64_t done_at;   /* when its result is there */
    uint64_t pause;     /* time from then to the next instruction */
};

/* When the next request may be made: at `issue_at` if it needs no result, and at `ready_at`, when it has
 * the results that it needs. A store that does not delay later requests gets its value at `value_at`; 0
 * means at `ready_at`. */
struct due {
    uint64_t issue_at, ready_at, value_at;
};

/* The subset of `lanes` that equal the first of them: they are at the same request with the same dependences,
 * or have all exited, and have the same requests in flight. */
lane_set scoreboard_alike(const struct warp *warp, lane_set lanes);

/* Says when these lanes may make their next request. If they run on without the last request's result,
 * notes this request as pending. */
struct due scoreboard_next(struct warp *warp, lane_set alike, const struct outcome *last);

#endif
