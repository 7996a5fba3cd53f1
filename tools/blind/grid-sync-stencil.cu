/* A stencil of one dimension, in one cooperative launch or with one launch for each step. Prints ns per
 * step; the number in each printed name is the number of points. */
#include "blind.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void steps_inside(float *a, float *b, int n, int steps)
{
    for (int s = 0; s < steps; s++) {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
            if (i > 0 && i < n - 1)
                b[i] = 0.25f * a[i - 1] + 0.5f * a[i] + 0.25f * a[i + 1];
        cg::this_grid().sync();
        float *c = a;
        a = b;
        b = c;
    }
}
__global__ void one_step(const float *a, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        b[i] = 0.25f * a[i - 1] + 0.5f * a[i] + 0.25f * a[i + 1];
}
int main()
{
    float *a = (float *)words(1 << 18), *b = (float *)words(1 << 18);
    int steps = 20;
    for (int n : {4096, 32768, 131072}) {
        int blocks = n / 256 < 132 ? n / 256 : 132;
        measure("stencil-inside", n, steps, [&] {
            void *arguments[] = {&a, &b, &n, &steps};
            CHECK(cudaLaunchCooperativeKernel(steps_inside, dim3(blocks), dim3(256), arguments));
        });
        measure("stencil-launches", n, steps, [&] {
            for (int s = 0; s < steps; s += 2) {
                one_step<<<n / 256, 256>>>(a, b, n);
                one_step<<<n / 256, 256>>>(b, a, n);
            }
        });
    }
}
