/* Models an L2 cache of two halves, each of which serves half of the multiprocessors and keeps its own copies
 * of lines. The first load in one half of a line that was written in the other takes longer
 * (micro-components: l2-load-written). */
#ifndef MACHINE_L2_HALVES_H
#define MACHINE_L2_HALVES_H

#include <stdbool.h>
#include <stdint.h>

/* Notes that a multiprocessor of this half has stored to the line. `line` must be equal in every run of the
 * program, so that times are equal, too. */
void l2_halves_store(uint64_t line, unsigned half);

/* Notes that an atomic has changed the line. Atomics are executed where neither half reads a copy. */
void l2_halves_atomic(uint64_t line);

/* Notes that a multiprocessor of this half loads from the line. Returns whether the line must be copied to
 * the half first. A line that no kernel has written is in both halves. */
bool l2_halves_load(uint64_t line, unsigned half);

/* Forgets all stores and atomics: every line is in both halves. Called when memory is freed, so that the
 * times of a part of a program do not depend on the parts before it. */
void l2_halves_forget(void);

/* Models which lines a multiprocessor's L1 cache holds, which determines a load's time. Which value a load
 * gets from the cache on weak memory is decided in l1_cache.h. Plain loads bring lines in. An acquire and
 * the end of a launch empty the cache. */

/* Called when a launch begins: makes an empty cache of this number of bytes for each multiprocessor. */
void cache_tags_open(unsigned multiprocessors, unsigned bytes, unsigned line_bytes);

/* Returns whether the multiprocessor's cache holds the line, and brings the line in if not. `acquires` is
 * how often the cache has been emptied in this launch. `line` must be equal in every run of the program,
 * so that times are equal, too. */
bool cache_tags_find(unsigned multiprocessor, uint64_t acquires, uint64_t line);

#endif
