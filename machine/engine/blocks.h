/* The memory of blocks. Thousands of blocks come and go, so a block that has ended leaves its
 * memory to the next. */
#ifndef MACHINE_BLOCKS_H
#define MACHINE_BLOCKS_H

#include "machine/state.h"

/* Called before launches, most of whose blocks have this number of threads: only such memory is kept. */
void blocks_open(unsigned threads);

/* blocks_take returns a block of this number of threads, none of which has run; the other function takes back
 * a block whose threads have all exited. */
struct block *blocks_take(unsigned threads);
void blocks_give_back(struct block *block);

#endif
