/* A lock by cuda::atomic_ref. It is right with acquire and release, and has a race with relaxed orders. */
// expect: right
// expect -DRELAXED: race "count += 1"
#include <cstdio>
#include <cuda/atomic>

#ifdef RELAXED
#define TAKE cuda::memory_order_relaxed
#define GIVE cuda::memory_order_relaxed
#else
#define TAKE cuda::memory_order_acquire
#define GIVE cuda::memory_order_release
#endif

__device__ int lock_word, count;

__global__ void add()
{
    if (threadIdx.x != 0)
        return;
    cuda::atomic_ref<int, cuda::thread_scope_device> lock(lock_word);
    int expected = 0;
    while (!lock.compare_exchange_weak(expected, 1, TAKE))
        expected = 0;
    count += 1;
    lock.store(0, GIVE);
}

int main()
{
    int total = 0;
    add<<<8, 32>>>();
    cudaMemcpyFromSymbol(&total, count, sizeof total);
    printf("%d\n", total);
    return total != 8;
}
