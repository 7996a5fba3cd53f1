/* sync_own_gpu() of sync/multi_gpu.cuh arrives at the counter of the barrier, so a call between arrive()
 * and wait() hangs; with GPUSYNC_CHECKED it stops the kernel. */
// expect: right
// expect -DBETWEEN: hang "polling"
// expect -DGPUSYNC_CHECKED: right
// expect -DGPUSYNC_CHECKED -DBETWEEN: crash "signal 4"
#include "sync/multi_gpu.cuh"
#include <cstdio>
__global__ void kernel(gpusync_multi_gpu_barrier memory)
{
    gpusync::MultiGpu barrier;
    barrier.begin_as(memory, blockIdx.x / 2, blockIdx.x % 2);
    barrier.sync_own_gpu();
    barrier.arrive();
#ifdef BETWEEN
    barrier.sync_own_gpu();
#endif
    barrier.wait();
    barrier.end();
}
int main()
{
    const int devices[2] = {};
    gpusync_multi_gpu_barrier memory[2];
    if (gpusync_multi_gpu_barrier_create(memory, devices, 2, 2) != cudaSuccess)
        return 2;
    kernel<<<4, 32>>>(memory[0]);
    return cudaDeviceSynchronize() != cudaSuccess;
}
