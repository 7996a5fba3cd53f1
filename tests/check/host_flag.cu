/* A kernel waits for the host, and the host for the kernel, by atomics in managed memory. If the host
 * waits for the kernel's end first, both wait for ever. FENCE comes before the kernel's flag in place of its
 * release: only a fence of the system makes the result known to the host. */
// expect: right
// expect -DWAITS_FIRST: hang "go->load(cuda::memory_order_acquire) == 0"
// expect -DFENCE=__threadfence_system(): right
// expect -DFENCE=__threadfence(): race "*result = 5" "return *result != 5" "releases to the system"
// expect -DFENCE=: race "*result = 5" "return *result != 5" "the host"
// expect -DFENCE= -DFENCE_AFTER: race "*result = 5" "return *result != 5" "the host"
#include <cuda/atomic>
#include <new>

typedef cuda::atomic<int, cuda::thread_scope_system> flag;

__global__ void answer(flag *go, flag *done, int *result)
{
    while (go->load(cuda::memory_order_acquire) == 0) {
    }
    *result = 5;
#ifdef FENCE
    FENCE;
    done->store(1, cuda::memory_order_relaxed);
#else
    done->store(1, cuda::memory_order_release);
#endif
#ifdef FENCE_AFTER
    __threadfence_system();
#endif
}

int main()
{
    flag *flags;
    int *result;
    cudaMallocManaged(&flags, 2 * sizeof *flags);
    cudaMallocManaged(&result, sizeof *result);
    new (&flags[0]) flag(0);
    new (&flags[1]) flag(0);
    answer<<<1, 1>>>(&flags[0], &flags[1], result);
#ifdef WAITS_FIRST
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
#endif
    flags[0].store(1, cuda::memory_order_release);
    while (flags[1].load(cuda::memory_order_acquire) == 0) {
    }
    return *result != 5;
}
