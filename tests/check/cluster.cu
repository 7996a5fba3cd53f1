/* The blocks of a cluster write into each other's shared memory, which is allocated statically and
 * dynamically. */
// expect: right
// expect -DNO_BARRIER_BEFORE: race "box[threadIdx.x] = 0" "other[rank] ="
// expect -DRELAXED: race "sum += box[i]" "other[rank] =" "arrive.release in place" "arrive.relaxed"
// expect -DLATE: outside "first_of_another" "has ended"
// expect -DOF_ONE_BLOCK: race "sum += box[i]" "other[rank] ="
// expect -DSTUCK: hang "cluster.sync(); /* before" "the barrier of a cluster"
// expect -DSIZE=3: launch "invalid cluster size"
#include "bugs/bug.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#ifndef SIZE
#define SIZE 4
#endif

__global__ void __cluster_dims__(SIZE, 1, 1) exchange(int *out)
{
    __shared__ int box[4];
    extern __shared__ int more[];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();
    if (threadIdx.x < 4)
        box[threadIdx.x] = 0;
#ifdef STUCK
    while (rank && *(volatile int *)(out + 32) == 0) /* no thread changes it */
        ;
#endif
#ifdef NO_BARRIER_BEFORE
    __syncthreads();
#else
    cluster.sync(); /* before others write into the box */
#endif
    if (threadIdx.x < 4) {
        int *other = cluster.map_shared_rank(box, threadIdx.x);
        other[rank] = 100 * blockIdx.x + 1;
        cluster.map_shared_rank(more, threadIdx.x)[rank] = 7 + rank;
    }
#if defined(RELAXED)
    asm volatile("barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
#elif defined(OF_ONE_BLOCK)
    __syncthreads();
#else
    cluster.sync();
#endif
    int sum = 0;
    if (threadIdx.x == 0)
        for (int i = 0; i < 4; i++) {
            sum += box[i] + more[i];
            out[4 * blockIdx.x + i] = box[i] + more[i];
        }
#ifdef LATE
    if (threadIdx.x == 0 && rank == 3) {
        int first_of_another = *cluster.map_shared_rank(&box[0], 0);
        out[16] = first_of_another;
    }
#elif !defined(OF_ONE_BLOCK)
    cluster.sync();
#endif
}

/* This kernel has no __cluster_dims__, though its name begins with the name of one that has. */
__global__ void exchange_nothing(int *out)
{
    out[blockIdx.x] = cg::this_cluster().num_blocks();
}

int main()
{
    int *out = new_zeros(33);
    exchange<<<8, 32, 64>>>(out);
    if (is_wrong(out, 32, [](int i) { return 100 * (i / 16 * 4 + i % 4) + 1 + 7 + i % 4; }))
        return 1;
    exchange_nothing<<<3, 1>>>(out);
    return is_wrong(out, 3, [](int) { return 1; });
}
