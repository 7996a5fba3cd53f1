// A window of one step, far from the step that must fall into it: drawn schedules miss it, and the sweep of
// all schedules with one delay has it.
#include <cuda_runtime.h>

__global__ void kernel(int *first, int *second, volatile int *own, int *out)
{
    if (blockIdx.x == 0) {
        atomicExch(first, 1);
        atomicExch(second, 1);
        return;
    }
    for (int i = 0; i < 3000; i++)
        own[0] = i;
    if (atomicAdd(first, 0) && !atomicAdd(second, 0))
        *out = 1;
}

int main()
{
    int *at, *out, got;
    cudaMalloc(&at, 256 * sizeof *at);
    cudaMalloc(&out, sizeof *out);
    cudaMemset(at, 0, 256 * sizeof *at);
    cudaMemset(out, 0, sizeof *out);
    kernel<<<2, 1>>>(at, at + 64, at + 128, out);
    cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost);
    return got;
}
