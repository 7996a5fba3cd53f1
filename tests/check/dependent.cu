/* Three kernels in a row; the second and the third may begin before the previous one has ended. */
// expect: right
// expect -DNO_WAIT_1: race "int own = a[threadIdx.x]" "the kernel before"
// expect -DNO_WAIT_2: race "a[threadIdx.x] + b[threadIdx.x]" "the kernel before" "every kernel of the chain"
// expect -DMIDDLE_OVERWRITES_EARLY: race "b[threadIdx.x] = 0" "the kernel before"
// expect -DPLAIN_LAUNCHES -DNO_WAIT_1: right
#include <cstdio>

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
    cudaGridDependencySynchronize();
    c[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}

int main()
{
    int *a, *b, *c, h[64];
    cudaMalloc(&a, 256);
    cudaMalloc(&b, 512);
    cudaMalloc(&c, 256);
    cudaMemset(a, 0, 256);
    cudaMemset(b, 0, 512);
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = 1;
    config.blockDim = 64;
    config.attrs = &attribute;
#ifndef PLAIN_LAUNCHES
    config.numAttrs = 1;
#endif
    first<<<1, 64>>>(a, b);
    cudaLaunchKernelEx(&config, middle, (const int *)a, b);
    cudaLaunchKernelEx(&config, last, (const int *)a, (const int *)b, c);
    cudaMemcpy(h, c, 256, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++)
        if (h[i] != 3 * i) {
            printf("%d: %d\n", i, h[i]);
            return 1;
        }
    return 0;
}
