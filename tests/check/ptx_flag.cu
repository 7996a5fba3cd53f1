/* A flag is set and polled by inline PTX, and the loop that waits for an mbarrier has labels. The program is
 * right with the release, and has a race without it, or if the store comes after the flag (-DTOLD_EARLY).
 * With -DWITH_VALUE, the flag and a value are the items of a strong access of 8 aligned bytes (with WIDE,
 * 16), which stay together, as CUB's scans rely on: a new status comes with its value. Items that were
 * accessed alone before are accesses of their own, as PTX says. */
// expect: right
// expect -DNO_RELEASE: race "expect(w->data[thread]"
// expect -DTOLD_EARLY: race "expect(w->data[0]" "w->data[0] = 1; // late" "before the write at ptx_flag.cu:"
// expect -DWITH_VALUE: right
// expect -DWITH_VALUE -DWIDE: right
// expect -DWITH_VALUE -DWIDE -DPARTED: wrong "the program ended with status 1"
// expect -DWITH_VALUE -DPARTED: wrong "the program ended with status 1"
#include "tools/bugs/bug.h"
#include "tools/bugs/copies.h"
#ifdef NO_RELEASE
#define PUBLISH set
#else
#define PUBLISH set_release
#endif

#ifdef TOLD_EARLY
BUG(2, 1)
{
    if (block == 0) {
        set_release(&w->flag, 1);
        w->data[0] = 1; // late
    } else {
        WAIT_UNTIL(look_acquire(&w->flag))
        expect(w->data[0], 1, wrong);
    }
}
#elif defined WITH_VALUE
BUG(2, 1)
{
#ifdef WIDE
#define LAST 3
#define VECTOR ".global.v4.u32 "
#define ITEMS(first, last) "{" first ", x, y, " last "}"
#else
#define LAST 1
#define VECTOR ".global.v2.u32 "
#define ITEMS(first, last) "{" first ", " last "}"
#endif
    unsigned status, value, *cell = w->data; // a status and its value
    if (block == 0) {
#ifdef PARTED
        set(cell + LAST, 42);
        set(cell, 1);
#else
        asm volatile("{ .reg .u32 x, y; mov.u32 x, 0; mov.u32 y, 0;"
                     "st.relaxed.gpu" VECTOR "[%0], " ITEMS("%1", "%2") "; }" ::"l"(cell),
                     "r"(1u), "r"(42u)
                     : "memory");
#endif
        return;
    }
    do
        asm volatile("{ .reg .u32 x, y; ld.relaxed.gpu" VECTOR ITEMS("%0", "%1") ", [%2]; }"
                     : "=r"(status), "=r"(value)
                     : "l"(cell)
                     : "memory");
    while (status == 0);
    expect(value + look(cell), 43, wrong);
}
#else
BUG(2, 32)
{
    __shared__ unsigned long long bar;
    if (thread == 0)
        MBARRIER_INIT(&bar, 32);
    __syncthreads();
    if (block == 0) {
        w->data[thread] = thread * 3;
    } else if (thread == 0) {
        WAIT_UNTIL(look_acquire(&w->flag))
    }
    MBARRIER_ARRIVE(&bar);
    asm volatile("{\n\t"
                 ".reg .pred done;\n\t"
                 "again:\n\t"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1; // at most a while\n\t"
                 "@done bra.uni over;\n\t"
                 "bra.uni again;\n\t"
                 "over:\n\t"
                 "}" ::"r"(SHARED(&bar)),
                 "r"(0));
    if (block == 0 && thread == 0)
        PUBLISH(&w->flag, 1);
    if (block == 1)
        expect(w->data[thread], 3 * thread, wrong);
}
#endif
