/* NVIDIA/cudnn-frontend#784: the epilogue's warps store to shared memory and wait at a named barrier, and
 * then a bulk store sends the data; a proxy fence is missing. */
// expect: right
// expect -DBROKEN: race "BULK_STORE(w->data" "no proxy fence"
#include "bug.h"
#include "copies.h"

BUG(1, 96)
{
    __shared__ alignas(16) unsigned tile[64];
    if (thread >= 64)
        return;
    tile[thread] = thread + 1;
#ifndef BROKEN
    FENCE_PROXY(".shared::cta");
#endif
    asm volatile("bar.sync 1, 64;" ::: "memory");
    if (thread == 0) {
        BULK_STORE(w->data, tile, BYTES);
        BULK_WAIT();
        for (unsigned i = 0; i < 64; i++)
            expect(w->data[i], i + 1, wrong);
    }
}
