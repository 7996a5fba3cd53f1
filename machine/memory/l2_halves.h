/* Models an L2 cache of two halves. Each half serves half of the multiprocessors and keeps its own copies of
 * lines. If a line was written through one half, its first load through the other half takes longer
 * (micro-components: l2-load-written). */
#ifndef MACHINE_L2_HALVES_H
#define MACHINE_L2_HALVES_H

#include <stdbool.h>
#include <stdint.h>

/* Notes that a multiprocessor of this half has stored to the line. `line` must be equal in every run of the
 * program, so that times are equal, too. */
void l2_halves_store(uint64_t line, unsigned half);

/* Notes that an atomic has changed the line. Afterwards neither half has a copy that it may read. */
void l2_halves_atomic(uint64_t line);

/* Notes that a multiprocessor of this half loads from the line. Returns whether the line must be copied to
 * the half first. A line that no kernel has written is in both halves. */
bool l2_halves_load(uint64_t line, unsigned half);

/* Forgets all stores and atomics: every line is in both halves. Called when memory is freed, so that the
 * times of a part of a program do not depend on the parts before it. */
void l2_halves_forget(void);

#endif
