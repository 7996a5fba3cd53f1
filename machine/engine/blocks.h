/* Allocates the memory of blocks and reuses it when blocks end, because thousands of blocks come and go. */
#ifndef MACHINE_BLOCKS_H
#define MACHINE_BLOCKS_H

#include "machine/state.h"

/* Called when a run begins. Later, only the memory of blocks with this number of threads is reused. */
void blocks_open(unsigned threads);

/* blocks_take() returns a block of this number of threads, none of which has run. blocks_give_back() takes
 * back a block whose threads have all exited. */
struct block *blocks_take(unsigned threads);
void blocks_give_back(struct block *block);

#endif
