/*
 * Warps whose lanes are together. Most warps never part: all lanes are at one request, with equal times.
 * Then the machine keeps one entry for all of them, because its speed depends on how much memory a request
 * touches. Whoever looks at the entries of other lanes must call together_end() first.
 */
#ifndef MACHINE_TOGETHER_H
#define MACHINE_TOGETHER_H

#include "machine/state.h"

/* May lanes be together? They may not if something looks at each lane at each request. */
bool together_is_on(void);

/* Notes that the warp's lanes are together if they are: they are in one group, and nothing but addresses
 * differs. */
void together_begin(struct warp *warp);

/* Gives each lane an entry of its own. Does nothing if the lanes are not together. */
void together_end(struct warp *warp);

/* Does so for all warps. */
void together_end_all(struct run *run);

/* A lane's state is compared only after this number of polls, because the comparison takes longer than a
 * poll. */
#define REPEATS_BEFORE_STATES 150

/* Returns whether the warp has polled for so long that the states of its lanes are compared. Then each lane
 * needs an entry of its own. */
bool together_polls_too_long(const struct warp *warp);

#endif
