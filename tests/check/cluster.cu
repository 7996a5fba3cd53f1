/* The blocks of a cluster write into each other's shared memory, which is allocated statically and
 * dynamically. */
// expect: right
// expect -DNO_BARRIER_BEFORE: race "box[threadIdx.x] = 0" "other[rank] ="
// expect -DRELAXED: race "sum += box[i]" "other[rank] =" "arrive.release in place" "arrive.relaxed"
// expect -DLATE: outside "first_of_another" "has ended" "a barrier of the cluster after this access"
// expect -DOF_ONE_BLOCK: race "sum += box[i]" "other[rank] ="
// expect -DSTUCK: hang "cluster.sync(); /* before" "the barrier of a cluster"
// expect -DSCOPE=cluster -DREADER=1: right
// expect -DSCOPE=cluster -DREADER=4: race "seen = *data" "*data = 5"
// expect -DSCOPE=gpu -DREADER=4: right
// expect -DSCOPE=cluster -DREADER=1 -DFENCED: right
// expect -DSCOPE=cluster -DREADER=4 -DFENCED: race "seen = *data" "*data = 5"
// expect -DSCOPE=gpu -DREADER=4 -DFENCED: right
// expect -DSIZE=3: launch "invalid cluster size"
#include "tools/bugs/bug.h"
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

/* A cluster of two rows: each block writes its number into a word of each block of its cluster. */
__global__ void __cluster_dims__(2, 2, 1) exchange_in_rows(int *out)
{
    __shared__ int box[4];
    cg::cluster_group cluster = cg::this_cluster();
    int block = blockIdx.y * gridDim.x + blockIdx.x;
    cluster.sync();
    if (threadIdx.x < 4)
        cluster.map_shared_rank(box, threadIdx.x)[cluster.block_rank()] = block;
    cluster.sync();
    if (threadIdx.x < 4)
        out[4 * block + threadIdx.x] = box[threadIdx.x];
}

/* Block 0 sends data to block READER, which is of its own cluster or of another. */
#ifdef SCOPE
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#ifdef FENCED
#define SEND "fence.acq_rel." TEXT(SCOPE) "; red.relaxed." TEXT(SCOPE) ".global.add.u32 [%0], 1;"
#define RECEIVE "ld.relaxed." TEXT(SCOPE) ".global.u32 %0, [%1]; fence.acq_rel." TEXT(SCOPE) ";"
#else
#define SEND "st.release." TEXT(SCOPE) ".global.u32 [%0], 1;"
#define RECEIVE "ld.acquire." TEXT(SCOPE) ".global.u32 %0, [%1];"
#endif
__global__ void __cluster_dims__(SIZE, 1, 1) send(int *data, int *out)
{
    int seen = 0;
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        *data = 5;
        asm volatile(SEND ::"l"(data + 1) : "memory");
    } else if (threadIdx.x == 0 && blockIdx.x == READER) {
        while (!seen)
            asm volatile(RECEIVE : "=r"(seen) : "l"(data + 1) : "memory");
        seen = *data;
        out[0] = seen;
    }
}
#endif

int main()
{
#ifdef SCOPE
    int *data = new_zeros(3);
    send<<<2 * SIZE, 32>>>(data, data + 2);
    return is_wrong(data + 2, 1, [](int) { return 5; });
#endif
    int *out = new_zeros(33);
    exchange<<<8, 32, 64>>>(out);
    if (is_wrong(out, 32, [](int i) { return 100 * (i / 16 * 4 + i % 4) + 1 + 7 + i % 4; }))
        return 1;
    int *rows = new_array(64);
    exchange_in_rows<<<dim3(4, 4), 32>>>(rows);
    exchange_nothing<<<3, 1>>>(out);
    return is_wrong(out, 3, [](int) { return 1; }) || is_wrong(rows, 64, [](int i) {
               int block = i / 4, rank = i % 4, first = block / 8 * 8 + block % 4 / 2 * 2;
               return first + rank / 2 * 4 + rank % 2;
           });
}
