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
    bool has_result;   /* that the next request may not need */
    bool is_next_word; /* it was of the same vector as the one before */
    bool next_words;   /* and the next requests are, too, in all lanes */
    uint64_t issued_at, done_at, pause;
};

/* When the next request may be made: at `issue_at`, if it needs no result, and at `ready_at`, when it has the
 * results that it needs. A store that does not delay later requests gets its value at `value_at`;
 * 0 means at `ready_at`. */
struct due {
    uint64_t issue_at, ready_at, value_at;
};

/* The subset of `lanes` that equal the first of them: they are at the same request with the same dependences,
 * or have all exited, and have the same requests in flight. */
lane_set scoreboard_alike(const struct warp *warp, lane_set lanes);

/* When these lanes may make their next request. If they continue without the last request's result, notes the
 * request as pending. */
struct due scoreboard_next(struct warp *warp, lane_set alike, const struct outcome *last);

#endif
