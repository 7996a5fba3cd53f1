/* Kernels that never end, each for one cause. The mend says the cause: how many arrivals a counter, a barrier
 * or an mbarrier lacks, which write was lost, who holds a lock. libcu++'s waits read a clock, and so does a
 * wait with a time-out, which ends (TIME_OUT). With ROUNDS, a barrier's counter waits in vain in the first
 * round, or not at all in the second one.
 */
// expect -DLOST --runs 12: hang "the write of arrived at " "arrived = arrived + 1;" "so a write is lost"
// expect -DLOST --runs 12: hang "until arrived is at least 4, and it is 1"
// expect -DTOO_MANY --runs 12: hang "wait for 4 arrivals in place of 6, or let"
// expect -DNOT_RESET --runs 12: hang "set arrived back before the launch: it was 4 "
// expect -DNEVER --runs 12: hang "waits at the barrier at " "__syncthreads(); /* ahead of"
// expect -DNO_ROOM --runs 2: hang "a grid of at most 132 blocks" ": 8 blocks have no room"
// expect -DLANES --runs 12: hang "let one lane of a warp" "block 0 thread 0 took lock" "__syncwarp(); //"
// expect -DTWO_LOCKS --runs 12: hang "take the locks in one order" " for locks, which block 0 thread 0 took"
// expect -DKEPT --runs 12: hang "release lock before its owner ends: " " and has ended; "
// expect -DTAKEN_TWICE --runs 12: hang "release lock before the thread takes it again: block 0 thread 0"
// expect -DNAMED --runs 2: hang "96 in place of 128 threads for barrier 1, or 32 more" "bar.sync 1, 128"
// expect -DTWO_KINDS --runs 2: hang "one barrier to which all of these threads come" "bar.sync 2, 64"
// expect -DSHUFFLE --runs 2: hang "a mask without the lanes that do not come to " "__shfl_xor_sync("
// expect -DCLUSTER --runs 1: hang "no thread has written it in this launch. If a thread that waits at"
// expect -DCLUSTER_EXIT --runs 1: hang "one barrier to which all of these threads come" "bar.sync 4, 64"
// expect -DINIT --runs 2: hang "an mbarrier.init with 64 in place of 65 at " ", or 1 more arrival: "
// expect -DBYTES --runs 2: hang "an expect_tx of 256 bytes in place of 512 at "
// expect -DPARITY --runs 2: hang "wait for parity 0, that of the phase that has ended"
// expect -DMORE -DPARITY --runs 2: hang "at most 1 arrival in a phase of bar, 1 fewer than came"
// expect -DLIBCUXX=65 --runs 2: hang "an mbarrier.init with 64 in place of 65 at " "init(&bar, LIBCUXX)"
// expect -DLIBCUXX=64 --runs 12: right
// expect -DTIME_OUT --runs 12 --seconds 20: right
// expect -DROUNDS: race "= cells[(blockIdx.x + 1) % count]" "arrived set back after each round" "come only "
// expect -DROUNDS -DGROWS: right
// expect --runs 60: right
#include <cooperative_groups.h>
#include <cstdint>
#include <cuda/barrier>

namespace cg = cooperative_groups;
__device__ volatile unsigned arrived;
__device__ int lock, locks[2], total;

__device__ void acquire(int *word)
{
    while (atomicCAS(word, 0, 1))
        ;
    __threadfence();
}

__device__ void release(int *word)
{
    __threadfence();
    atomicExch(word, 0);
}

__device__ uint32_t shared_of(const void *at)
{
    return (uint32_t)__cvta_generic_to_shared(at);
}

__global__ void wait_for_all(unsigned count)
{
#ifdef LOST
    arrived = arrived + 1;
#else
    __threadfence();
    atomicAdd((unsigned *)&arrived, 1u);
#endif
#ifdef NOT_RESET
    while (arrived != count)
        ;
#else
    while (arrived < count)
        ;
#endif
}

__device__ unsigned cells[4], seen[4];

__device__ void meet(unsigned count)
{
    __threadfence();
    unsigned before = atomicAdd((unsigned *)&arrived, 1u), limit = count;
#ifdef GROWS
    limit = (before / count + 1) * count;
#endif
    while (arrived < limit)
        ;
    __threadfence();
}

__global__ void rounds(unsigned count)
{
    for (unsigned round = 0; round < 2; round++) {
        cells[blockIdx.x] = round;
        meet(count);
        seen[blockIdx.x] = cells[(blockIdx.x + 1) % count];
        meet(count);
    }
}

__global__ void by_libcuxx()
{
#ifdef LIBCUXX
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0)
        init(&bar, LIBCUXX);
    __syncthreads();
    bar.arrive_and_wait();
#endif
}

/* Block 1 comes only after block 0 has given up, which takes a second of its clock. */
__global__ void gives_up(volatile int *flag)
{
    const long long begin = clock64();
    if (blockIdx.x == 0) {
        while (!flag[0] && clock64() - begin < 2000000000) {
        }
        flag[1] = 1;
    } else {
        while (!flag[1]) {
        }
        flag[0] = 1;
    }
}

__global__ void kernel(volatile int *flag, const int *from)
{
    extern __shared__ int tile[];
    const unsigned thread = threadIdx.x;
#if defined NEVER
    if (thread == 32)
        while (!*flag)
            ;
    __syncthreads(); /* ahead of the write for which thread 32 waits */
    *flag = 1;
#elif defined LANES
    while (atomicCAS(&lock, 0, 1))
        ;
    __syncwarp(); // with the lock
    release(&lock);
#elif defined TWO_LOCKS
    acquire(&locks[blockIdx.x]);
    acquire(&locks[1 - blockIdx.x]);
    release(&locks[0]);
    release(&locks[1]);
#elif defined KEPT
    acquire(&lock);
    total++;
    if (total > 1)
        release(&lock);
#elif defined TAKEN_TWICE
    acquire(&lock);
    acquire(&lock);
#elif defined NAMED
    if (thread < 64)
        asm volatile("bar.arrive 1, 128;" ::: "memory");
    else if (thread < 96)
        asm volatile("bar.sync 1, 128;" ::: "memory");
#elif defined TWO_KINDS
    if (thread < 32)
        __syncthreads();
    else
        asm volatile("bar.sync 2, 64;" ::: "memory");
#elif defined SHUFFLE
    if (thread < 16)
        *flag = __shfl_xor_sync(0xffffffff, thread, 1);
    else
        __syncwarp(0xffff0001);
#elif defined CLUSTER
    if (cg::this_cluster().block_rank() == 1)
        while (!*flag)
            ;
    cg::this_cluster().sync();
    *flag = 1;
#elif defined CLUSTER_EXIT
    if (thread == 0 && cg::this_cluster().block_rank() == 1)
        asm volatile("bar.sync 4, 64;" ::: "memory");
    else if (thread < 32)
        cg::this_cluster().sync();
#elif defined INIT || defined BYTES || defined PARITY
#ifdef INIT
    const int count = 65;
#else
    const int count = 1;
#endif
    __shared__ alignas(8) uint64_t bar;
    uint32_t done = 0;
    if (thread == 0)
        asm volatile(
            "mbarrier.init.shared::cta.b64 [%0], %1; fence.proxy.async.shared::cta;" ::"r"(shared_of(&bar)),
            "r"(count)
            : "memory");
    __syncthreads();
#ifdef BYTES
    if (thread == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;" ::"r"(shared_of(&bar))
                     : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, "
                     "[%2];" ::"r"(shared_of(tile)),
                     "l"(from), "r"(shared_of(&bar))
                     : "memory");
    }
#else
    if (thread == 0 || count > 1)
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_of(&bar)) : "memory");
#ifdef MORE
    if (thread == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;" ::"r"(shared_of(&bar))
                     : "memory");
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_of(&bar)) : "memory");
    }
#endif
#endif
    __syncthreads();
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;"
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(shared_of(&bar)),
#ifdef PARITY
                       "r"(1)
#else
                       "r"(0)
#endif
                     : "memory");
#endif
}

int main()
{
    int *flag, *from;
    cudaMalloc(&flag, 1024);
    cudaMemset(flag, 0, 1024);
    cudaMalloc(&from, 1024);
    cudaMemset(from, 0, 1024);
#if defined NO_ROOM
    cudaFuncSetAttribute(wait_for_all, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000);
    wait_for_all<<<140, 1, 200000>>>(140);
#elif defined TOO_MANY
    wait_for_all<<<4, 1>>>(6);
#elif defined ROUNDS
    rounds<<<4, 1>>>(4);
#elif defined LIBCUXX
    by_libcuxx<<<1, 64>>>();
#elif defined TIME_OUT
    gives_up<<<2, 1>>>(flag);
#elif defined TWO_LOCKS || defined KEPT || defined TAKEN_TWICE
    kernel<<<2, 1, 1024>>>(flag, from);
#elif defined CLUSTER || defined CLUSTER_EXIT
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {2, 1, 1};
    config.gridDim = 2;
    config.blockDim = 32;
    config.attrs = &cluster;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, kernel, (volatile int *)flag, (const int *)from);
#elif defined NAMED
    kernel<<<1, 128>>>(flag, from);
#elif defined LOST || !defined NOT_RESET && !defined NEVER && !defined LANES && !defined TWO_KINDS &&        \
                          !defined SHUFFLE && !defined INIT && !defined BYTES && !defined PARITY
    wait_for_all<<<4, 1>>>(4);
#elif defined NOT_RESET
    wait_for_all<<<4, 1>>>(4);
    wait_for_all<<<4, 1>>>(4);
#else
    kernel<<<1, 64, 1024>>>(flag, from);
#endif
    return cudaDeviceSynchronize() != cudaSuccess;
}
