/*
 * Which lines a multiprocessor's L1 cache has, for the time that a load takes; what a load may get from it under weak
 * memory is l1_cache.h's. Plain loads bring lines in; an acquire, and the end of a launch, empties it.
 */
#ifndef MACHINE_CACHE_TAGS_H
#define MACHINE_CACHE_TAGS_H

#include <stdbool.h>
#include <stdint.h>

/* For a launch: caches of so many multiprocessors, of so many bytes each, empty. */
void cache_tags_open(unsigned multiprocessors, unsigned bytes, unsigned line_bytes);

/* Does the multiprocessor's cache have the line (the same
 * number in every run)? From now on it has. `acquires`: how
 * often it was emptied during the launch. */
bool cache_tags_find(unsigned multiprocessor, uint64_t acquires, uint64_t line);

#endif
