/* An access outside of an array is reported with its line and index. */
// expect: outside "a[i] = 1" "[32] of the array from outside.cu:" "or room for 33 elements of 4"
// expect -DALLOCATE=cudaMallocManaged: outside "a[i] = 1" "ALLOCATE((ARRAY)"
// expect -DALLOCATE=cudaMallocHost: outside "a[i] = 1" "ALLOCATE((ARRAY)"
// expect -DALLOCATE=cudaHostAlloc -DLAST=0: outside "a[i] = 1" "ALLOCATE((ARRAY)"
// expect -DALLOCATE=cudaMallocAsync -DLAST=0: outside "a[i] = 1" "ALLOCATE((ARRAY)"
// expect -DALLOCATE=cuMemAllocManaged -DARRAY=CUdeviceptr* -DLAST=1: outside "a[i] = 1" "ALLOCATE((ARRAY)"
// expect -DALLOCATE=cuMemHostAlloc -DLAST=0: outside "a[i] = 1" "ALLOCATE((ARRAY)"
// expect -DSHARED: outside "tile[i] = 1" "tile[32] (dynamic shared memory), which has 32" "an index below 32"
// expect -DVARIABLE: outside "fixed[i] = 1" "byte 0 after the __shared__ variables, which end with fixed[31]"
// expect -DFREED: outside "a[i] = 1" "cudaFree(a)" "which was given back at" "give the memory back after"
// expect -DLOCAL=7: right
// expect -DLOCAL=8: outside "first[n] = a[i]" "writes 4 bytes at [8] of a local array, which has at most 8"
// expect -DLOCAL=-1: outside "first[n] = a[i]" "writes 4 bytes at [-1] of a local array, which has at most 8"
// expect -DLOCAL=7 -DCALLED=8: outside "sum += of[i]" "reads 4 bytes at [8] of a local array"
// expect -DLOCAL=7 -DLEFT: outside "a[i] = *left" "local memory, outside of the thread's variables"
// expect -DLOCAL=7 -DATOMIC: outside "atomicAdd(&first" "changes local memory by an atomic operation"
// expect -DHOST: outside "a[0] = 1" "which is memory of the device" "mend: cudaMemcpy()"
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

#ifdef LOCAL
#ifndef CALLED
#define CALLED 7
#endif
struct mixed {
    int number;
    short parts[3][2];
};

__noinline__ __device__ int sum_of(const int *of, int last)
{
    int sum = 0;
    for (int i = 0; i <= last; i++)
        sum += of[i];
    return sum;
}

__noinline__ __device__ int *left_by(int n)
{
    int own[4] = {n, n, n, n}, *volatile to = own;
    return to;
}

/* A thread's arrays: constant places, places that are known when it runs, parts, and pointers to them. */
__global__ void use_local(int *a, int n, int called)
{
    int i = threadIdx.x, zero[2] = {0, 0}, first[8], second[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    mixed m = {3, {{4, 5}, {6, 7}, {8, 9}}}, copy[2] = {m, m};
    first[n] = a[i];
    first[2] = second[5];
    int *inside = &second[3];
    inside[4] += inside[-3] + zero[a[i] & 1];
    copy[a[i] & 1].parts[2][a[i] & 1] = 1;
#ifdef ATOMIC
    atomicAdd(&first[a[i] & 7], 1);
#endif
    first[a[i] & 7] += m.parts[n & 1][0];
    a[i] = sum_of(second, called) + sum_of(first + 1, 6) + copy[1].parts[1][0];
    int *left = left_by(n);
#ifdef LEFT
    a[i] = *left;
#endif
}
#endif

__global__ void fill(int *a, int n)
{
#ifdef VARIABLE
    __shared__ int fixed[32];
#endif
    int i = threadIdx.x;
    if (i <= n)
#ifdef SHARED
        tile[i] = 1;
#elif defined VARIABLE
        fixed[i] = 1;
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
#ifdef LOCAL
    cudaMemset(a, 0, 32 * sizeof(int));
    use_local<<<1, 32>>>(a, LOCAL, CALLED);
    return cudaDeviceSynchronize();
#endif
#ifdef VARIABLE
    fill<<<1, 64>>>(a, 32);
#else
    fill<<<1, 64, 32 * sizeof(int)>>>(a, 32);
#endif
    cudaDeviceSynchronize();
    return 0;
}
