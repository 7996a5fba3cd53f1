/* Bulk copies, mbarriers and proxy fences, as macros, so that gpusync-check names the program's lines. */
#ifndef COPIES_H
#define COPIES_H

#define SHARED(pointer) ((unsigned)__cvta_generic_to_shared(pointer))

#define MBARRIER_INIT(bar, arrivals)                                                                         \
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(SHARED(bar)), "r"(arrivals) : "memory")
#define MBARRIER_ARRIVE(bar)                                                                                 \
    asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(SHARED(bar)) : "memory")
/* Arrives at an mbarrier, and makes its current phase wait until `bytes` more bytes have been copied. */
#define EXPECT_BYTES(bar, bytes)                                                                             \
    asm volatile(                                                                                            \
        "{ .reg .b64 state; mbarrier.arrive.expect_tx.shared.b64 state, [%0], %1; }" ::"r"(SHARED(bar)),     \
        "r"((unsigned)(bytes))                                                                               \
        : "memory")
/* Makes the thread's own mbarrier.init visible to the asynchronous proxy. */
#define FENCE_INIT() asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory")
/* Makes all writes that the thread knows visible to the asynchronous proxy. `space` is ".global" or
 * ".shared::cta", or "" for both. */
#define FENCE_PROXY(space) asm volatile("fence.proxy.async" space ";" ::: "memory")

#define BULK_LOAD(to, from, bytes, bar)                                                                      \
    asm volatile(                                                                                            \
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(     \
            SHARED(to)),                                                                                     \
        "l"(from), "r"((unsigned)(bytes)), "r"(SHARED(bar))                                                  \
        : "memory")
#define BULK_STORE(to, from, bytes)                                                                          \
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"                             \
                 "cp.async.bulk.commit_group;" ::"l"(to),                                                    \
                 "r"(SHARED(from)), "r"((unsigned)(bytes))                                                   \
                 : "memory")
#define BULK_WAIT() asm volatile("cp.async.bulk.wait_group 0;" ::: "memory")
#define BULK_WAIT_READ() asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory")

/* Returns whether the mbarrier's phase that has this parity is complete. */
__device__ __forceinline__ unsigned passed(const unsigned long long *bar, unsigned parity)
{
    unsigned done;
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(SHARED(bar)), "r"(parity)
                 : "memory");
    return done;
}

#define BYTES 256 /* size of each copy in bytes, which is 64 words */

#endif
