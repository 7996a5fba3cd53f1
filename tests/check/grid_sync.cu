/* A barrier of the grid by cooperative groups. The kernel is passed to cudaLaunchCooperativeKernel as a
 * void pointer. */
// expect: right
#include "tools/bugs/bug.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

template <class T>
__global__ void __launch_bounds__(64) rotate(T *a, T *b, int rounds)
{
    cg::grid_group grid = cg::this_grid();
    for (int r = 0; r < rounds; r++) {
        T *from = r % 2 ? b : a, *to = r % 2 ? a : b;
        to[grid.thread_rank()] = from[(grid.thread_rank() + 1) % grid.size()];
        grid.sync();
    }
}

int main()
{
    const int blocks = 4, threads = 64, n = blocks * threads;
    int *a = new_numbers(n), *b = new_array(n), rounds = 4, supported = 0;
    CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
    void *arguments[] = {&a, &b, &rounds};
    CHECK(
        cudaLaunchCooperativeKernel((void *)rotate<int>, dim3(blocks), dim3(threads), arguments, 0, nullptr));
    return !supported || is_wrong(a, n, [=](int i) { return (i + rounds) % n; });
}
