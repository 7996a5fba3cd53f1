/* The blocks of a cluster exchange data in three ways: by a copy to all blocks of a mask, by stores that
 * count their bytes at another block's mbarrier, and by a reduction from shared into global memory. */
// expect: right
// expect -DNO_WAIT: race "value += box[threadIdx.x]" "a copy of block"
// expect -DPLAIN_SUM: wrong
#include "tools/bugs/bug.h"
#include "tools/bugs/copies.h"
#include <cooperative_groups.h>

__global__ void __cluster_dims__(2, 1, 1) spread(const int *in, int *sums)
{
    __shared__ alignas(16) int box[64];
    __shared__ alignas(16) int words[64];
    __shared__ unsigned long long full, told;
    auto cluster = cooperative_groups::this_cluster();
    unsigned rank = cluster.block_rank();
    if (threadIdx.x == 0) {
        MBARRIER_INIT(&full, 1);
        MBARRIER_INIT(&told, 1);
        FENCE_INIT();
        EXPECT_BYTES(&full, BYTES);
        EXPECT_BYTES(&told, BYTES);
    }
    cluster.sync();
    if (rank == 0 && threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                     "[%0], [%1], %2, [%3], %4;" ::"r"(SHARED(box)),
                     "l"(in), "r"(BYTES), "r"(SHARED(&full)), "h"((unsigned short)3)
                     : "memory");
    unsigned to, other;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(to)
                 : "r"(SHARED(&words[threadIdx.x])), "r"(1 - rank));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(other) : "r"(SHARED(&told)), "r"(1 - rank));
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(to),
                 "r"(threadIdx.x + rank), "r"(other)
                 : "memory");
#ifndef NO_WAIT
    while (!passed(&full, 0)) {
    }
#endif
    asm volatile(
        "{ .reg .pred p; B: mbarrier.try_wait.parity.acquire.cluster.shared.b64 p, [%0], 0; @!p bra B; }" ::
            "r"(SHARED(&told))
        : "memory");
    int value = words[threadIdx.x];
    value += box[threadIdx.x];
    box[threadIdx.x] = value;
    FENCE_PROXY(".shared::cta");
    __syncthreads();
    if (threadIdx.x == 0) {
#ifdef PLAIN_SUM
        BULK_STORE(sums, box, BYTES);
#else
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;\n"
                     "cp.async.bulk.commit_group;" ::"l"(sums),
                     "r"(SHARED(box)), "r"(BYTES)
                     : "memory");
#endif
        BULK_WAIT();
    }
    cluster.sync();
}

int main()
{
    int *sums = new_zeros(64);
    spread<<<2, 64>>>(new_numbers(64), sums);
    return is_wrong(sums, 64, [](int i) { return 4 * i + 1; });
}
