/* cudaStreamDestroy() does not wait for the stream's kernels. */
// expect: race "int seen = *p;" "*p = 5;"
// expect -DWAIT: right
#include <cuda_runtime.h>

__global__ void write(int *p)
{
    *p = 5;
}

int main()
{
    int *p;
    cudaStream_t stream;
    cudaMallocManaged(&p, sizeof *p);
    cudaStreamCreate(&stream);
    write<<<1, 1, 0, stream>>>(p);
    cudaStreamDestroy(stream);
#ifdef WAIT
    cudaDeviceSynchronize();
#endif
    int seen = *p;
    return seen != 5;
}
