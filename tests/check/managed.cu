/* The host must wait for a kernel before it reads what the kernel writes to managed memory, and before it
 * writes what the kernel reads. A host function that a stream calls is ordered after the earlier tasks of the
 * stream. Destroying a stream does not wait for its tasks. */
// expect: right
// expect -DREADS_EARLY: race "sum += p[i];" "p[threadIdx.x] += add[0];" "a wait of the host"
// expect -DWRITES_EARLY: race "add[0] = 100;" "p[threadIdx.x] += add[0];"
// expect -DMEMCPY: race "memcpy(copy, p, sizeof copy);" "p[threadIdx.x] += add[0];"
// expect -DMEMCPY -D_FORTIFY_SOURCE=2: race "memcpy(copy, p, sizeof copy);" "p[threadIdx.x] += add[0];"
// expect -DBY_STREAM: right
// expect -DDESTROYS -DREADS_EARLY: race "sum += p[i];" "p[threadIdx.x] += add[0];"
// expect -DDESTROYS: right
#include <cstring>
#include <cuda_runtime.h>

__global__ void increase(int *p, const int *add)
{
    p[threadIdx.x] += add[0];
}

static void sum_up(void *data)
{
    int *p = (int *)data, sum = 0;
    for (int i = 0; i < 32; i++)
        sum += p[i];
    p[0] = sum;
}

int main()
{
    int *p, *add, copy[32];
    cudaStream_t stream = nullptr;
    cudaMallocManaged(&p, 32 * sizeof *p);
    cudaMallocManaged(&add, sizeof *add);
    for (int i = 0; i < 32; i++)
        p[i] = i;
    add[0] = 1;
#ifdef DESTROYS
    cudaStreamCreate(&stream);
#endif
    increase<<<1, 32, 0, stream>>>(p, add);
#ifdef DESTROYS
    cudaStreamDestroy(stream);
#endif
#ifdef WRITES_EARLY
    add[0] = 100;
#endif
#ifdef MEMCPY
    memcpy(copy, p, sizeof copy);
#endif
#ifdef BY_STREAM
    cudaLaunchHostFunc(0, sum_up, p);
    cudaDeviceSynchronize();
#else
#ifndef READS_EARLY
    cudaDeviceSynchronize();
#endif
    sum_up(p);
#endif
    return p[0] != 32 * 31 / 2 + 32;
}
