/* A kernel waits for the host, and the host for the kernel, by atomics in managed memory. If the host
 * waits for the kernel's end first, both wait for ever. */
// expect: right
// expect -DWAITS_FIRST: hang "go->load(cuda::memory_order_acquire) == 0"
#include <cuda/atomic>
#include <new>

typedef cuda::atomic<int, cuda::thread_scope_system> flag;

__global__ void answer(flag *go, flag *done, int *result)
{
    while (go->load(cuda::memory_order_acquire) == 0) {
    }
    *result = 5;
    done->store(1, cuda::memory_order_release);
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
