/* The next event of each multiprocessor: a request that takes effect, or a warp that may be dispatched. */
#ifndef MACHINE_EVENTS_H
#define MACHINE_EVENTS_H

#include "machine/state.h"

/* Notes the time of the multiprocessor's next event; called whenever the times of its warps have changed. */
void events_note(struct run *run, const struct sm *sm);

/* The multiprocessor whose event comes first; among equal times the one with the lowest number, or any of
 * them under a random or adversarial schedule. */
struct sm *events_next_sm(struct run *run);

#endif
