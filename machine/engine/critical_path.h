/*
 * Notes what each warp's time is spent on, and follows the critical path (machine/time_spent.h). The event
 * loop calls these functions if spent_is_noted. None of them changes a time.
 */
#ifndef MACHINE_CRITICAL_PATH_H
#define MACHINE_CRITICAL_PATH_H

#include "machine/state.h"
#include "machine/time_spent.h"

extern bool spent_is_noted;

/* Called when a run begins. */
void critical_path_open(void);

/* Called when the warp's block begins at `now`. */
void critical_path_begin(struct warp *warp, uint64_t now);

/* Called when the group is dispatched, before its request is made. */
void critical_path_dispatch(struct warp *warp, const struct group *group, uint64_t now);

/* Called when the times of the group's request are known. Requests at which lanes meet (barriers, shuffles)
 * are not passed to this function. */
void critical_path_request(struct warp *warp, const struct group *group, uint64_t now);

/* Called when the warp's requests have taken effect. `is_vain` means that the requests have changed
 * nothing. */
void critical_path_effect(struct warp *warp, bool is_vain, uint64_t now);

/* Called when these lanes depart from a rendezvous at `now` and go on at `done_at`. */
void critical_path_depart(struct warp *warp, lane_set lanes, uint64_t now, uint64_t done_at);

/* Called when lanes of the warp exit at `now`, before their exit completes a barrier. */
void critical_path_exit(struct warp *warp, uint64_t now);

/* Called when lanes of the warp have exited. The lanes and their stores are done at `end`. */
void critical_path_end(struct warp *warp, uint64_t end);

/* critical_path_retire() is called when all threads of the block have exited; critical_path_remove() is
 * called when the block is removed. */
void critical_path_retire(const struct block *block);
void critical_path_remove(struct block *block);

#endif
