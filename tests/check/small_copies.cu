/* Copies by cp.async: by default (PTX) and BY_PIPELINE in two groups; BY_GROUP (cooperative groups) and
 * BY_BARRIER (cuda::memcpy_async) in one call; BY_MBARRIER (PTX) without groups, awaited at an
 * mbarrier. REFILLED copies the first group a second time. */
// expect: right
// expect -DWAIT=1: race "sum += stage[64 + threadIdx.x]" "a copy of block 0" "a smaller number"
// expect -DWITH_POLICY: right
// expect -DFILLED: right
// expect -DBY_MBARRIER: right
// expect -DBY_MBARRIER -DNO_WAIT: race "sum += stage[threadIdx.x]" "a copy of block 0"
// expect -DBY_MBARRIER -DOTHERS_ARRIVE: race "sum += stage[threadIdx.x]" "a copy of block 0"
// expect -DBY_PIPELINE: right
// expect -DBY_PIPELINE -DWAIT=1: race "sum += stage[64 + threadIdx.x]" "a copy of block 0"
// expect -DBY_PIPELINE -DREFILLED=__syncthreads(): right
// expect -DBY_PIPELINE -DREFILLED=: race "&in[threadIdx.x], 4)" "[threadIdx.x ^ 32]" "__syncthreads(), or"
// expect -DBY_GROUP: right
// expect -DBY_BARRIER: right
// expect -DBY_BARRIER -DNO_WAIT: race "sum += stage[threadIdx.x]" "a copy of block 0"
#include "tools/bugs/bug.h"
#include "tools/bugs/copies.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda_pipeline.h>
#ifndef WAIT
#define WAIT 0
#endif
#ifdef OTHERS_ARRIVE
#define COPYING 2 /* one of two warps copies, and the other one only arrives */
#else
#define COPYING 1
#endif

__global__ void sums(const int *in, int *out)
{
    __shared__ alignas(16) int stage[128];
    auto block = cooperative_groups::this_thread_block();
#if defined(BY_MBARRIER)
    __shared__ unsigned long long bar;
    if (threadIdx.x == 0)
        MBARRIER_INIT(&bar, 64 / COPYING);
    __syncthreads();
    for (unsigned at = threadIdx.x; at < 128 && threadIdx.x < 64 / COPYING; at += 64 / COPYING)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(SHARED(&stage[at])), "l"(&in[at])
                     : "memory");
    if (COPYING == 1 || threadIdx.x >= 32) /* each copying thread makes one arrival, for its own copies */
        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(SHARED(&bar)) : "memory");
#ifndef NO_WAIT
    asm volatile(
        "{ .reg .pred p; AGAIN: mbarrier.test_wait.parity.shared.b64 p, [%0], 0; @!p bra AGAIN; }" ::"r"(
            SHARED(&bar))
        : "memory");
#endif
#elif defined(BY_PIPELINE)
    for (int group = 0; group < 2; group++) {
        __pipeline_memcpy_async(&stage[64 * group + threadIdx.x], &in[64 * group + threadIdx.x], 4);
        __pipeline_commit();
    }
    __pipeline_wait_prior(WAIT);
    __syncthreads();
#elif defined(BY_GROUP)
    cooperative_groups::memcpy_async(block, stage, in, sizeof stage);
    cooperative_groups::wait(block);
#elif defined(BY_BARRIER)
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    block.sync();
    cuda::memcpy_async(block, stage, in, sizeof stage, bar);
#ifdef NO_WAIT
    bar.arrive();
#else
    bar.arrive_and_wait();
#endif
#else
    for (int group = 0; group < 2; group++) {
        unsigned to = SHARED(&stage[64 * group + threadIdx.x]);
#ifdef WITH_POLICY    /* a hint to the cache, which changes no result */
        asm volatile("cp.async.ca.shared.global.L2::cache_hint [%0], [%1], 4, %2;" ::"r"(to),
                     "l"(&in[64 * group + threadIdx.x]), "l"(0x12f0000000000000ull)
                     : "memory");
        asm volatile("cp.async.commit_group;" ::: "memory");
#elif defined(FILLED) /* for odd threads nothing is copied, and the destination is filled with zeros */
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2; cp.async.commit_group;" ::"r"(to),
                     "l"(&in[64 * group + threadIdx.x]), "r"(threadIdx.x % 2 ? 0 : 4)
                     : "memory");
#else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4; cp.async.commit_group;" ::"r"(to),
                     "l"(&in[64 * group + threadIdx.x])
                     : "memory");
#endif
    }
    asm volatile("cp.async.wait_group %0;" ::"n"(WAIT) : "memory");
#endif
    int sum = 0;
#ifdef REFILLED
    sum += stage[threadIdx.x ^ 32];
    REFILLED;
    __pipeline_memcpy_async(&stage[threadIdx.x], &in[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    sum -= in[threadIdx.x ^ 32];
#endif
    sum += stage[threadIdx.x];
    sum += stage[64 + threadIdx.x];
    out[threadIdx.x] = sum;
}

int main()
{
    int *out = new_array(64);
    sums<<<1, 64>>>(new_numbers(128), out);
    return is_wrong(out, 64, [](int i) {
#ifdef FILLED
        return i % 2 ? 0 : 2 * i + 64;
#else
        return 2 * i + 64;
#endif
    });
}
