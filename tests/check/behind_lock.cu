// Block 0 writes before it takes the lock, and block 1 reads after it has had the lock. The lock orders the
// two only if block 0 comes first; in the other order they are a race.
//
// expect: race "data = 2" "*out = data + 1"
// expect -DINSIDE: right
#include <cuda_runtime.h>

__device__ int lock, data, turns;

__device__ void acquire()
{
    while (atomicCAS(&lock, 0, 1)) {
    }
    __threadfence();
}

__device__ void release()
{
    __threadfence();
    atomicExch(&lock, 0);
}

__global__ void kernel(int *out)
{
    if (blockIdx.x == 0) {
#ifndef INSIDE
        data = 2;
#endif
        acquire();
#ifdef INSIDE
        data = 1;
#endif
        turns++;
        release();
    } else {
        for (int i = 0; i < 100; i++)
            out[1] = i;
        acquire();
        turns++;
#ifdef INSIDE
        *out = data;
#endif
        release();
#ifndef INSIDE
        *out = data + 1;
#endif
    }
}

int main()
{
    int *out;
    cudaMalloc(&out, 2 * sizeof *out);
    kernel<<<2, 1>>>(out);
    return cudaDeviceSynchronize() != cudaSuccess;
}
