/* Three kernels in a row; the second and the third may begin before the previous one has ended. */
// expect: right
// expect -DNO_WAIT_1: race "int own = a[threadIdx.x]" "the kernel before"
// expect -DNO_WAIT_2: race "a[threadIdx.x] + b[threadIdx.x]" "the kernel before" "every kernel of the chain"
// expect -DMIDDLE_OVERWRITES_EARLY: race "b[threadIdx.x] = 0" "the kernel before"
// expect -DPLAIN_LAUNCHES -DNO_WAIT_1: right
// expect -DONE_WAITS: race "a[threadIdx.x] + b[threadIdx.x]" "the kernel before"
// expect -DONE_WAITS -DBARRIER: right
#include "tools/bugs/bug.h"
#ifdef PLAIN_LAUNCHES
#define DEPENDENT false
#else
#define DEPENDENT true
#endif

__global__ void first(int *a, int *b)
{
    cudaTriggerProgrammaticLaunchCompletion();
    a[threadIdx.x] = threadIdx.x + b[threadIdx.x];
}
__global__ void middle(const int *a, int *b)
{
#ifdef MIDDLE_OVERWRITES_EARLY
    b[threadIdx.x] = 0; // a race: the first kernel may still read b
#endif
#if defined(NO_WAIT_2)
    b[threadIdx.x + 64] = 1;
#else
#ifndef NO_WAIT_1
    cudaGridDependencySynchronize();
#endif
    int own = a[threadIdx.x];
    b[threadIdx.x] = 2 * own;
#endif
}
__global__ void last(const int *a, const int *b, int *c)
{
#ifdef ONE_WAITS
    if (threadIdx.x == 0)
#endif
        cudaGridDependencySynchronize();
#ifdef BARRIER
    __syncthreads();
#endif
    c[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}

int main()
{
    int *a = new_zeros(64), *b = new_zeros(128), *c = new_array(64);
    first<<<1, 64>>>(a, b);
    launch_with(middle, 1, 64, 0, DEPENDENT, (const int *)a, b);
    launch_with(last, 1, 64, 0, DEPENDENT, (const int *)a, (const int *)b, c);
    return is_wrong(c, 64, [](int i) { return 3 * i; });
}
