/*
 * When a warp's lanes may go on behind a request: at once, if nothing up to the next one needs its result, as a GPU's
 * scoreboard lets a warp run on until an instruction reads a register that is still to come.
 */
#ifndef MACHINE_SCOREBOARD_H
#define MACHINE_SCOREBOARD_H

#include "machine/state.h"

/* A request of some lanes of a warp, when they have run on to their next ones. */
struct outcome {
    bool has_result;   /* that the next request may not need */
    bool is_next_word; /* it was of the same vector as the one before */
    bool next_words;   /* and the next requests are, too, in all lanes */
    uint64_t issued_at, done_at, pause;
};

/* When the next request may come: `issue_at`, if it needs no result, and `ready_at`, when it has what it needs. A store
 * that others do not wait behind has its value at `value_at`; 0: then, too. */
struct due {
    uint64_t issue_at, ready_at, value_at;
};

/* Those of `lanes` that are as the first of them is: they stand at one request, which needs the same, or have all
 * exited, and have the same in flight. */
lane_set scoreboard_alike(const struct warp *warp, lane_set lanes);

/* When such lanes may make their next request. Notes the one that they come from, if they go on without its result. */
struct due scoreboard_next(struct warp *warp, lane_set alike, const struct outcome *last);

#endif
