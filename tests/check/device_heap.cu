/*
 * Kernels that take memory from the device's heap by malloc() and new. A list of objects with virtual
 * functions, which one kernel makes, lives until another kernel deletes it; a third kernel fills the heap
 * until malloc() and new return NULL.
 */
// expect: right
// expect -DRACE: race "node->weight += 1" "new Weighted(left"
// expect -DUNWRITTEN: unwritten "data[i] + 1"
// expect -DNEVER: unwritten "*most += *never"
// expect -DBEYOND: outside "data[taken] = 0" "data = (int *)malloc" "which has 4 of 4 bytes"
// expect -DUSED_LATER: outside "unused = data[0]" "was given back at" "free(data)"
// expect -DTWICE: outside "free(data + 0)" "was given back at" "free(data); //"
// expect -DINSIDE: outside "free(data + 1)" "it is not what malloc() or new returned"
// expect -DBY_HOST: outside "cudaFree(taken)" "data = (int *)malloc"
#include "tools/bugs/bug.h"
#include <new>

#define THREADS 32

struct Node {
    Node *next;
    int weight = 1;
    __device__ explicit Node(Node *left) : next(left) {}
    __device__ virtual ~Node() {}
    __device__ virtual int sum() const { return weight; }
};
struct Weighted : Node {
    int *parts;
    __device__ Weighted(Node *left, int count) : Node(left), parts(new int[4])
    {
        for (int i = 0; i < 4; i++)
            parts[i] = count + i;
    }
    __device__ ~Weighted() { delete[] parts; }
    __device__ int sum() const override { return parts[0] + parts[3]; }
};

__device__ Node *list[THREADS];
__device__ int *kept;

__global__ void make()
{
    Node *left = new Node(nullptr);
    list[threadIdx.x] = new Weighted(left, (int)threadIdx.x);
}

__global__ void add(int *sums)
{
    int sum = 0;
    for (const Node *node = list[threadIdx.x]; node; node = node->next)
        sum += node->sum();
    sums[blockIdx.x * THREADS + threadIdx.x] = sum;
#ifdef RACE
    Node *node = list[0];
    node->weight += 1;
#endif
}

__global__ void remove()
{
    for (Node *node = list[threadIdx.x], *next; node; node = next) {
        next = node->next;
        delete node;
    }
}

#define HEAP ((size_t)1 << 20) /* bytes */

__global__ void fill(int *most, int taken)
{
    __shared__ unsigned char room[sizeof(Node)];
    __shared__ Node *shared;
    if (threadIdx.x == 0)
        shared = new (room) Node(nullptr);
    __syncthreads();
    if (threadIdx.x == 0) {
        char *large = new char[HEAP * 3 / 4], *second = new char[HEAP / 2];
        void *third = malloc(HEAP);
        *most = !large || second || third ? -1 : shared->sum();
        delete[] large;
        char *again = new char[HEAP * 3 / 4];
        *most = again ? *most : -1;
        delete[] again;
    }
    int *data = (int *)malloc(taken * sizeof *data);
#ifndef UNWRITTEN
    for (int i = 0; i < taken; i++)
        data[i] = i;
#endif
    for (int i = 0; i < taken; i++)
        data[i] = data[i] + 1;
#ifdef BEYOND
    data[taken] = 0;
#endif
#ifdef INSIDE
    free(data + 1);
#endif
    if (blockIdx.x == 0 && threadIdx.x == 0)
        kept = data;
    else
        free(data); // frees the memory of most threads
#ifdef USED_LATER
    int unused = data[0];
    *most += unused;
#endif
#ifdef NEVER
    int *never = (int *)malloc(sizeof *never);
    *most += *never;
#endif
#ifdef TWICE
    free(data + 0);
#endif
}

int main()
{
    int *sums = new_array(2 * THREADS), *most = new_array(1), *taken;
    size_t size = 0;
    if (cudaDeviceSetLimit(cudaLimitMallocHeapSize, HEAP) != cudaSuccess ||
        cudaDeviceGetLimit(&size, cudaLimitMallocHeapSize) != cudaSuccess || size != HEAP)
        return 1;
    make<<<1, THREADS>>>();
    add<<<2, THREADS>>>(sums);
    remove<<<1, THREADS>>>();
    fill<<<1, THREADS>>>(most, 4);
    if (is_wrong(sums, 2 * THREADS, [](int i) { return 2 * (i % THREADS) + 4; }))
        return 2;
    cudaMemcpyFromSymbol(&taken, kept, sizeof taken);
#ifdef BY_HOST
    cudaFree(taken);
#endif
    /* setting the heap's size must fail after kernels have taken memory */
    return is_wrong(most, 1, [](int) { return 1; }) ||
           cudaDeviceSetLimit(cudaLimitMallocHeapSize, 2 * HEAP) != cudaErrorInvalidValue;
}
