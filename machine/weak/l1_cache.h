/*
 * The first-level caches of a GPU, one a multiprocessor, as far as a program can see them: a line
 * that is there is not asked for again, whatever other multiprocessors have written since, until an
 * acquire empties the cache. What a store writes goes through to L2.
 */
#ifndef MACHINE_L1_CACHE_H
#define MACHINE_L1_CACHE_H

#include <stdbool.h>
#include <stdint.h>

enum { L1_LINE = 128, L1_LINE_WORDS = L1_LINE / 4 };

/* Caches of so many multiprocessors; empty. `bytes` is what shared memory leaves; 0: they have none. */
void l1_open(unsigned multiprocessors, unsigned bytes);
void l1_close(void);

/* How many bytes of cache for loads of global memory a multiprocessor of this compute capability
 * has (10 * major + minor), with so many bytes of shared memory in use. */
unsigned l1_bytes(int compute_capability, unsigned shared_bytes);

/* The word if the cache has it, else what `fill` says; then the cache has it. */
uint32_t l1_load(unsigned multiprocessor, uintptr_t address, uint32_t (*fill)(uintptr_t address));

/* A word is written by this multiprocessor: its cache has the old one no longer. */
void l1_drop(unsigned multiprocessor, uintptr_t address);

void l1_empty(unsigned multiprocessor);

#endif
