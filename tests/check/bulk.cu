/* Copies data into shared memory by a bulk copy, changes them there, and copies them back by a bulk copy.
 * Each fence and each wait of the program is needed. */
// expect: right
// expect -DNO_PROXY_FENCE: race "BULK_STORE(out" "stage[threadIdx.x] += 1" "no proxy fence"
// expect -DFENCE_OF_GLOBAL: race "BULK_STORE(out" "stage[threadIdx.x] += 1" "no proxy fence"
// expect -DNO_INIT_FENCE: race "BULK_LOAD(stage, in" "MBARRIER_INIT(&bar" "mbarrier's init"
// expect -DNO_WAIT: race "stage[threadIdx.x] += 1" "a copy of block 0 thread 0" "wait for the copy"
// expect -DEXPECT_LATE: race "stage[threadIdx.x] += 1" "before the arrival at " "MBARRIER_ARRIVE(&bar"
// expect -DPARITY=1: hang "the other parity in the wait at " "MBARRIER_INIT(&bar"
// expect -DNO_READ_WAIT: race "stage[threadIdx.x] = 0" "BULK_STORE(out" "until the copy has read"
// expect -DCOPIED=250: outside "BULK_LOAD(stage, in" "multiples of 16"
// expect -DLENGTH=16: outside "BULK_LOAD(stage, in"
// expect -DEXPECTED=272: hang "while (!passed(&bar, PARITY))" "an expect_tx of 256 bytes in place of 272 at "
#include "tools/bugs/bug.h"
#include "tools/bugs/copies.h"
#ifndef COPIED
#define COPIED BYTES
#endif
#ifndef LENGTH /* size of the array in words */
#define LENGTH 64
#endif
#ifndef PARITY
#define PARITY 0
#endif
#ifndef EXPECTED
#define EXPECTED COPIED
#endif

__global__ void twice(const int *in, int *out)
{
    __shared__ alignas(128) int stage[64];
    __shared__ unsigned long long bar;
    if (threadIdx.x == 0) {
        MBARRIER_INIT(&bar, 1);
#ifndef NO_INIT_FENCE
        FENCE_INIT();
#endif
    }
    __syncthreads();
    if (threadIdx.x == 0) {
#ifdef EXPECT_LATE
        MBARRIER_ARRIVE(&bar); /* ends the phase, before it counts bytes */
        asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(SHARED(&bar)),
                     "r"(EXPECTED)
                     : "memory");
#else
        EXPECT_BYTES(&bar, EXPECTED);
#endif
        BULK_LOAD(stage, in, COPIED, &bar);
    }
#ifndef NO_WAIT
    while (!passed(&bar, PARITY)) {
    }
#endif
    stage[threadIdx.x] += 1;
#ifdef FENCE_OF_GLOBAL
    FENCE_PROXY(".global");
#elif !defined(NO_PROXY_FENCE)
    FENCE_PROXY(".shared::cta");
#endif
    __syncthreads();
    if (threadIdx.x == 0) {
        BULK_STORE(out, stage, COPIED);
#ifndef NO_READ_WAIT
        BULK_WAIT_READ();
#endif
    }
    __syncthreads();
    stage[threadIdx.x] = 0;
}

int main()
{
    int *out = new_array(64);
    twice<<<1, 64>>>(new_numbers(LENGTH), out);
    return is_wrong(out, 64, [](int i) { return i + 1; });
}
