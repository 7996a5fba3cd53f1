/* A finding names lines of the user's own functions, and no lines of wrappers of one statement, of the
 * machine or of the compiler's headers. */
// expect: right
// expect -DWRAPPED --runs 4: hang "while (ld_acquire(flag) != 2)" ", in ld_acquire() at :"
// expect -DLOCKED --runs 9: hang "lock(word); // of both" ", in lock() at :" ", in locked_update(), called"
// expect -DCALLED: race "data[0] = 2; // first" "data[0] = value + 1;" ", in write_slowly(), called at :"
// expect -DPAIR: race "p->swap(mine);"
// expect -DBRANCHES: race "data[1] = 1; // even" "data[1] = 2; // odd"
// expect -DABSENT: rule "best(5); // called by only some lanes" ", in best() at :"
// expect -DUNWRITTEN: unwritten "*first_of(data + 8)"
// expect -DOUTSIDE: outside "put(data + 100, 1);" ", in put() at :"
#include "tools/bugs/bug.h"
#ifdef PAIR
#include <cuda/std/utility>
typedef cuda::std::pair<int, int> pair_of_ints;
#else
struct pair_of_ints;
#endif

__device__ __forceinline__ unsigned ld_acquire(const unsigned *p)
{
    unsigned v;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
__device__ void lock(unsigned *word)
{
    while (atomicCAS(word, 0, 1) != 0) {
    }
}
__device__ void put(int *to, int value)
{
    *to = value;
}
__device__ __noinline__ int *first_of(int *data)
{
    return data;
}
__device__ int best(int value)
{
    return __shfl_sync(0xffff, value, 20);
}

__device__ __noinline__ void locked_update(unsigned *word, int *data)
{
    lock(word); // of both
    data[0]++;  /* the lock is never released */
}

__device__ __noinline__ void write_slowly(int *data)
{
    int value = data[2];
    data[0] = value + 1;
}

__global__ void kernel(unsigned *flag, int *data, pair_of_ints *p)
{
    if (threadIdx.x >= 16)
        return;
#ifdef WRAPPED
    while (ld_acquire(flag) != 0) {
    }
    while (ld_acquire(flag) != 2) {
    }
#elif defined LOCKED
    locked_update(flag, data);
#elif defined CALLED
    if (threadIdx.x)
        return;
    if (blockIdx.x)
        data[0] = 2; // first
    else
        write_slowly(data);
#elif defined PAIR
    pair_of_ints mine(1, 2);
    p->swap(mine);
#elif defined BRANCHES
    if (threadIdx.x)
        return;
    if (blockIdx.x % 2)
        data[1] = 2; // odd
    else
        data[1] = 1; // even
#elif defined ABSENT
    data[threadIdx.x] = best(5); // called by only some lanes
#elif defined UNWRITTEN
    data[threadIdx.x] = *first_of(data + 8);
#elif defined OUTSIDE
    put(data + 100, 1);
#else
    put(data + 16 * blockIdx.x + threadIdx.x, 1);
#endif
}

int main()
{
    unsigned *flag = new_zeros<unsigned>(16);
#ifdef UNWRITTEN
    int *data = new_array(32);
#else
    int *data = new_zeros(32);
#endif
    kernel<<<2, 32>>>(flag, data, (pair_of_ints *)data);
    return ended();
}
