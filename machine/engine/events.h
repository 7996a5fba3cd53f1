/* The next event of each multiprocessor: the time at which a request takes effect or a warp may be
 * dispatched. */
#ifndef MACHINE_EVENTS_H
#define MACHINE_EVENTS_H

#include "machine/state.h"

/* Stores the time of the multiprocessor's next event; called whenever times of its warps have changed. */
void events_note(struct run *run, struct sm *sm);

/* Returns the multiprocessor whose event comes first. Among equal times it is the one with the lowest
 * number, or under a random or adversarial schedule any of them. */
struct sm *events_next_sm(struct run *run);

#endif
