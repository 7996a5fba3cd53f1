/* An access outside of an array is reported with its line and index. */
// expect: outside "a[i] = 1" "[32] of the array from outside.cu:"
// expect -DALLOCATE=cudaMallocManaged: outside "a[i] = 1" "ALLOCATE((ARRAY)"
// expect -DALLOCATE=cudaMallocHost: outside "a[i] = 1" "ALLOCATE((ARRAY)"
// expect -DALLOCATE=cudaHostAlloc -DLAST=0: outside "a[i] = 1" "ALLOCATE((ARRAY)"
// expect -DALLOCATE=cudaMallocAsync -DLAST=0: outside "a[i] = 1" "ALLOCATE((ARRAY)"
// expect -DALLOCATE=cuMemAllocManaged -DARRAY=CUdeviceptr* -DLAST=1: outside "a[i] = 1" "ALLOCATE((ARRAY)"
// expect -DALLOCATE=cuMemHostAlloc -DLAST=0: outside "a[i] = 1" "ALLOCATE((ARRAY)"
// expect -DSHARED: outside "tile[i] = 1" "byte 128 of the dynamic shared memory, which has 128"
// expect -DFREED: outside "a[i] = 1" "no memory of the device"
// expect -DHOST: outside "a[0] = 1" "which is memory of the device"
#include <cuda.h>
#ifndef ALLOCATE
#define ALLOCATE cudaMalloc
#endif
#ifdef LAST
#define TO_LAST , LAST // the flags or the stream
#else
#define TO_LAST
#endif
#ifndef ARRAY
#define ARRAY void **
#endif

extern __shared__ int tile[];

__global__ void fill(int *a, int n)
{
    int i = threadIdx.x;
    if (i <= n)
#ifdef SHARED
        tile[i] = 1;
#else
        a[i] = 1;
#endif
}

int main()
{
    int *a;
    ALLOCATE((ARRAY)&a, 32 * sizeof(int) TO_LAST);
#ifdef FREED
    cudaFree(a);
#endif
#ifdef HOST
    a[0] = 1;
#endif
    fill<<<1, 64, 32 * sizeof(int)>>>(a, 32);
    cudaDeviceSynchronize();
    return 0;
}
