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

/* Caches of this number of multiprocessors, empty. `bytes` is what shared memory leaves; 0:
 * there are no caches. */
void l1_open(unsigned multiprocessors, unsigned bytes);
void l1_close(void);

/* How many bytes of cache for loads of global memory a multiprocessor of this compute capability (10 * major
 * + minor) has, with this number of bytes of shared memory in use. */
unsigned l1_bytes(int compute_capability, unsigned shared_bytes);

/* The word from the cache if it is there, else from `fill`; afterwards the cache has it. */
uint32_t l1_load(unsigned multiprocessor, uintptr_t address, uint32_t (*fill)(uintptr_t address));

/* This multiprocessor writes a word: its cache no longer has the old word. */
void l1_drop(unsigned multiprocessor, uintptr_t address);

void l1_empty(unsigned multiprocessor);

#endif
