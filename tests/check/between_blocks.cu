/* The blocks of a cluster exchange data in three ways: by a copy to all blocks of a mask, by stores that
 * count their bytes at another block's mbarrier, and by a reduction from shared into global memory. */
// expect: right
// expect -DNO_WAIT: race "value += box[threadIdx.x]" "a copy of block"
// expect -DPLAIN_SUM: wrong
#include <cooperative_groups.h>
#include <cstdio>

__global__ void __cluster_dims__(2, 1, 1) spread(const int *in, int *sums)
{
    __shared__ alignas(16) int box[64];
    __shared__ alignas(16) int words[64];
    __shared__ unsigned long long full, told;
    auto cluster = cooperative_groups::this_cluster();
    unsigned rank = cluster.block_rank();
    unsigned f = (unsigned)__cvta_generic_to_shared(&full), t = (unsigned)__cvta_generic_to_shared(&told);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1; mbarrier.init.shared.b64 [%1], 1;" ::"r"(f), "r"(t)
                     : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" ::"r"(f) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" ::"r"(t) : "memory");
    }
    cluster.sync();
    if (rank == 0 && threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                     "[%0], [%1], "
                     "256, [%2], %3;" ::"r"((unsigned)__cvta_generic_to_shared(box)),
                     "l"(in), "r"(f), "h"((unsigned short)3)
                     : "memory");
    unsigned to = (unsigned)__cvta_generic_to_shared(&words[threadIdx.x]), other;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(to), "r"(1 - rank));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(other) : "r"(t), "r"(1 - rank));
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(to),
                 "r"(threadIdx.x + rank), "r"(other)
                 : "memory");
#ifndef NO_WAIT
    asm volatile("{ .reg .pred p; A: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra A; }" ::"r"(f)
                 : "memory");
#endif
    asm volatile(
        "{ .reg .pred p; B: mbarrier.try_wait.parity.acquire.cluster.shared.b64 p, [%0], 0; @!p bra B; }" ::
            "r"(t)
        : "memory");
    int value = words[threadIdx.x];
    value += box[threadIdx.x];
    box[threadIdx.x] = value;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
#ifdef PLAIN_SUM
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(sums),
                     "r"((unsigned)__cvta_generic_to_shared(box))
                     : "memory");
#else
    if (threadIdx.x == 0)
        asm volatile(
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 256;" ::"l"(sums),
            "r"((unsigned)__cvta_generic_to_shared(box))
            : "memory");
#endif
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
    cluster.sync();
}

int main()
{
    int *in, *sums, h[64];
    cudaMalloc(&in, 256);
    cudaMalloc(&sums, 256);
    cudaMemset(sums, 0, 256);
    for (int i = 0; i < 64; i++)
        h[i] = 10 * i;
    cudaMemcpy(in, h, 256, cudaMemcpyHostToDevice);
    spread<<<2, 64>>>(in, sums);
    cudaMemcpy(h, sums, 256, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++)
        if (h[i] != 22 * i + 1) {
            printf("%d: %d\n", i, h[i]);
            return 1;
        }
    return 0;
}
