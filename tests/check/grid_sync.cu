/* A barrier of the grid by cooperative groups. The kernel is passed to cudaLaunchCooperativeKernel as a
 * void pointer. */
// expect: right
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>
namespace cg = cooperative_groups;

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        cudaError_t error = (call);                                                                          \
        if (error != cudaSuccess) {                                                                          \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));                   \
            return 1;                                                                                        \
        }                                                                                                    \
    } while (0)

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
    std::vector<int> host(n);
    for (int i = 0; i < n; i++)
        host[i] = i;
    int *a, *b, rounds = 4, supported = 0;
    CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
    CHECK(cudaMalloc(&a, n * sizeof(int)));
    CHECK(cudaMalloc(&b, n * sizeof(int)));
    CHECK(cudaMemcpy(a, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    void *arguments[] = {&a, &b, &rounds};
    CHECK(
        cudaLaunchCooperativeKernel((void *)rotate<int>, dim3(blocks), dim3(threads), arguments, 0, nullptr));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host.data(), a, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (host[i] != (i + rounds) % n)
            return 1;
    return supported ? 0 : 1;
}
