/*
 * The first-level caches of a GPU, one for each multiprocessor, as far as a program can observe them: a line
 * in the cache is not loaded again, whatever other multiprocessors have written since, until an acquire
 * empties the cache. Stores are written through to L2.
 */
#ifndef MACHINE_L1_CACHE_H
#define MACHINE_L1_CACHE_H

#include <stdbool.h>
#include <stdint.h>

enum { L1_LINE = 128, L1_LINE_WORDS = L1_LINE / 4 };

/* Makes a cache for each multiprocessor, empty. `bytes` is the size of a cache, which is what shared memory
 * leaves; 0 means that there are no caches. */
void l1_open(unsigned multiprocessors, unsigned bytes);
void l1_close(void);

/* Returns how many bytes of cache for loads of global memory a multiprocessor of this compute capability (10
 * times major, plus minor) has, with `shared_bytes` bytes of shared memory in use. */
unsigned l1_bytes(int compute_capability, unsigned shared_bytes);

/* Returns the word from the cache if it is there, else from `fill`; afterwards the cache has it. */
uint32_t l1_load(unsigned multiprocessor, uintptr_t address, uint32_t (*fill)(uintptr_t address));

/* Removes a word from the cache of the multiprocessor, which writes it. */
void l1_drop(unsigned multiprocessor, uintptr_t address);

void l1_empty(unsigned multiprocessor);

#endif
