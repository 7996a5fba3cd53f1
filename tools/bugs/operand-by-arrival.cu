/* sgl-project/sglang#39124: warps store an operand to shared memory and arrive at an mbarrier; the tensor
 * core reads the operand by the asynchronous proxy, but a proxy fence is missing. (In this program a bulk
 * store, which uses the same proxy, stands for the tensor core.) */
// expect: right
// expect -DBROKEN: race "BULK_STORE(w->data" "no proxy fence"
#include "bug.h"
#include "copies.h"

BUG(1, 96)
{
    __shared__ alignas(16) unsigned operand[64];
    __shared__ unsigned long long full;
    if (thread == 0)
        MBARRIER_INIT(&full, 64);
    __syncthreads();
    if (thread < 64) {
        operand[thread] = thread + 1;
#ifndef BROKEN
        FENCE_PROXY(".shared::cta");
#endif
        MBARRIER_ARRIVE(&full);
    } else if (thread == 64) {
        WAIT_UNTIL(passed(&full, 0))
        BULK_STORE(w->data, operand, BYTES);
        BULK_WAIT();
        for (unsigned i = 0; i < 64; i++)
            expect(w->data[i], i + 1, wrong);
    }
}
