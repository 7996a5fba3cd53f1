/* A thread that arrives at a cluster's barrier and then exits no longer counts as arrived: the barrier still
 * waits for each thread that is left. It opens, too, if the last threads that it waits for exit. */
// expect: right
// expect -DNO_WAIT: race "out[2 + cluster]" "out[2 + cluster] = 5"
#include <cooperative_groups.h>
#include <cstdio>

__global__ void __cluster_dims__(2, 1, 1) leave(int *out)
{
    unsigned rank = cooperative_groups::this_cluster().block_rank(), cluster = blockIdx.x / 2;
    bool reads = rank == 0 && threadIdx.x < 32, leaves = rank == 1 && threadIdx.x < 32;
    bool writes = rank == 1 && threadIdx.x == 32;
    if (leaves)
        asm volatile("barrier.cluster.arrive.release;" ::: "memory");
    if (!reads && !writes) {
        for (int i = 0; i < 20; i++) /* the others have arrived before these threads exit */
            __threadfence();
        return;
    }
    if (writes)
        out[2 + cluster] = 5;
    asm volatile("barrier.cluster.arrive.release;" ::: "memory");
#ifndef NO_WAIT
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
#endif
    if (reads && threadIdx.x == 0)
        out[cluster] = out[2 + cluster];
}

int main()
{
    int *out, h[2];
    cudaMalloc(&out, 16);
    cudaMemset(out, 0, 16);
    leave<<<4, 64>>>(out);
    cudaMemcpy(h, out, 8, cudaMemcpyDeviceToHost);
#ifndef NO_WAIT
    if (h[0] != 5 || h[1] != 5)
        return 1;
#endif
    return 0;
}
