/* The first-level caches of a GPU, one for each multiprocessor, as far as programs can observe them. A
 * load finds the value that the cache has kept, whatever other multiprocessors have written since, until
 * an acquire empties the cache. Stores are written through to L2. */
#ifndef MACHINE_L1_CACHE_H
#define MACHINE_L1_CACHE_H

#include <stdbool.h>
#include <stdint.h>

enum { L1_LINE = 128, L1_LINE_WORDS = L1_LINE / 4 };

/* Makes an empty cache for each multiprocessor. `bytes` is the size of a cache, which is the memory that
 * shared memory does not use; 0 means that there are no caches. */
void l1_open(unsigned multiprocessors, unsigned bytes);
void l1_close(void);

/* Returns the size in bytes of a multiprocessor's L1 cache for loads of global memory, while
 * `shared_bytes` of shared memory are in use. The compute capability is 10 * major + minor. */
unsigned l1_bytes(int compute_capability, unsigned shared_bytes);

/* Returns the word's value in the cache. If the cache does not hold it, fills the cache with `fill` first. */
uint32_t l1_load(unsigned multiprocessor, uintptr_t address, uint32_t (*fill)(uintptr_t address));

/* Removes a word that the multiprocessor writes from its own cache. */
void l1_drop(unsigned multiprocessor, uintptr_t address);

void l1_empty(unsigned multiprocessor);

#endif
