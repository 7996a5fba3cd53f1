/* NVIDIA/cccl#1887, #4556: a tile of shared memory is overwritten with the next values before slow warps
 * have read the previous ones. */
// expect: right
// expect -DBROKEN: race "tile[thread] = round" "mend: __syncthreads(), or a flag, after" "before the loop at"
#include "bug.h"

BUG(1, 128)
{
    __shared__ unsigned tile[128];
    for (unsigned round = 0; round < 3; round++) {
        tile[thread] = round;
        __syncthreads();
        expect(tile[127 - thread], round, wrong);
#ifndef BROKEN
        __syncthreads();
#endif
    }
}
