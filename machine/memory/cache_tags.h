/* Models which lines a multiprocessor's L1 cache holds, which determines a load's time. Which value a load
 * gets from the cache on weak memory is decided in weak/l1_cache.h. Plain loads bring lines in. An acquire
 * and the end of a launch empty the cache. */
#ifndef MACHINE_CACHE_TAGS_H
#define MACHINE_CACHE_TAGS_H

#include <stdbool.h>
#include <stdint.h>

/* Called when a launch begins: makes an empty cache of this number of bytes for each multiprocessor. */
void cache_tags_open(unsigned multiprocessors, unsigned bytes, unsigned line_bytes);

/* Returns whether the multiprocessor's cache holds the line, and brings the line in if not. `acquires` is
 * how often the cache has been emptied in this launch. `line` must be equal in every run of the program,
 * so that times are equal, too. */
bool cache_tags_find(unsigned multiprocessor, uint64_t acquires, uint64_t line);

/* Called when a launch begins: sets the number of lines of the L2 cache; 0 means any number. What it holds
 * stays. */
void l2_tags_open(unsigned lines);

/* Returns whether the L2 cache holds the line, and brings the line in if not. A place that no line has used
 * counts as the line's, because the copies and memsets before a kernel leave their data in L2. */
bool l2_tags_find(uint64_t line);

/* Forgets all lines. Called when memory is freed, as l2_halves_forget() is. */
void l2_tags_forget(void);

#endif
