/* NVIDIA/cub#369, local-inference-lab/b12x#273: the grid has a barrier, but not all of its blocks can be
 * resident at once. (On a GPU with more than 132 multiprocessors, or more than 2,048 threads on each, all
 * of these blocks may be resident.) */
// expect --runs 3: right
// expect -DBROKEN --runs 2: hang "wait for a free multiprocessor"
#include "bug.h"

#ifdef BROKEN
#define BLOCKS 300 // number of blocks of 1,024 threads, of which 264 are resident
#else
#define BLOCKS 132
#endif

BUG(BLOCKS, 1024)
{
    if (thread == 0) {
        atomicAdd(&w->count, 1);
        WAIT_UNTIL(look(&w->count) == BLOCKS)
    }
    __syncthreads();
}
