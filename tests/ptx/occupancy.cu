/* Prints how many blocks of kernels with several numbers of registers a multiprocessor holds: a row for each
 * number of registers and of threads, a column for each number of bytes of shared memory; and the status of a
 * launch of 1,024 threads. tests/data/occupancy.txt has the output on an H200. */
#include <cstdio>

template <int N>
__device__ void work(float *a, int n)
{
    float x[N], s = 0;
    for (int i = 0; i < N; i++)
        x[i] = a[i * n + threadIdx.x];
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < N; i++)
            x[i] = x[i] * x[(i + 1) % N] + s;
        s += x[3];
    }
    for (int i = 0; i < N; i++)
        a[i * n + threadIdx.x] = x[i];
}
template <int N>
__global__ void kernel(float *a, int n)
{
    work<N>(a, n);
}
template <int N>
__global__ void __launch_bounds__(1024) bounded(float *a, int n)
{
    work<N>(a, n);
}

template <class K>
void tell(K k, float *memory)
{
    cudaFuncAttributes a;
    cudaFuncGetAttributes(&a, k);
    cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000);
    for (int threads : {32, 33, 64, 96, 128, 160, 192, 256, 320, 384, 512, 544, 640, 768, 1024}) {
        printf("%d %d:", a.numRegs, threads);
        for (int shared : {0, 1, 1024, 5000, 16384, 33000, 49152, 76000}) {
            int blocks = -1;
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, k, threads, shared);
            printf(" %d", blocks);
        }
        printf("\n");
    }
    k<<<1, 1024>>>(memory, 0);
    printf("%d launch: %d\n", a.numRegs, (int)cudaGetLastError());
}

int main()
{
    float *memory;
    if (cudaMalloc(&memory, 1 << 20) != cudaSuccess)
        return 1;
    tell(kernel<4>, memory);
    tell(kernel<20>, memory);
    tell(kernel<32>, memory);
    tell(kernel<48>, memory);
    tell(kernel<64>, memory);
    tell(kernel<240>, memory);
    tell(bounded<90>, memory);
}
