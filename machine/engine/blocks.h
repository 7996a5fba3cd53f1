/* The memory of blocks. Thousands come and go, so one that has ended leaves its own to the next. */
#ifndef MACHINE_BLOCKS_H
#define MACHINE_BLOCKS_H

#include "machine/state.h"

/* Before launches, most of whose blocks have so many threads: only such memory is kept. */
void blocks_open(unsigned threads);

/* A block of that many threads, none of which has done anything; and back, when all have exited. */
struct block *blocks_take(unsigned threads);
void blocks_give_back(struct block *block);

#endif
