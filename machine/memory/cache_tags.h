/*
 * Which lines a multiprocessor's L1 cache holds, for the time that a load takes; l1_cache.h decides which
 * value a load may get from the cache under weak memory. Plain loads bring lines in; an acquire, and the end
 * of a launch, empties it.
 */
#ifndef MACHINE_CACHE_TAGS_H
#define MACHINE_CACHE_TAGS_H

#include <stdbool.h>
#include <stdint.h>

/* Begins a launch: each multiprocessor has an empty cache of this number of bytes. */
void cache_tags_open(unsigned multiprocessors, unsigned bytes, unsigned line_bytes);

/* Does the multiprocessor's cache hold the line? It does afterwards. `acquires` is how often the cache was
 * emptied during the launch. The line's number must be the same in every run, so that times are. */
bool cache_tags_find(unsigned multiprocessor, uint64_t acquires, uint64_t line);

#endif
