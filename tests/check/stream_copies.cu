/* Asynchronous copies from and to pinned memory, in two streams. Each copy must be ordered with
 * what main() does. tests/machine_calls.cu has copies of all kinds. */
// expect: right
// expect -DHOST_WRITES: race "host[1] = 7;" "cudaMemcpyAsync(words, host," "the host"
// expect -DHOST_READS: race "wrong += result[i] != 2 * i;" "cudaMemcpyAsync(result, words,"
#include "tools/bugs/bug.h"

__global__ void twice(int *p)
{
    p[threadIdx.x] *= 2;
}

int main()
{
    const int n = 32;
    const size_t bytes = n * sizeof(int);
    int *words = new_array(n), *host, *result, wrong = 0;
    cudaStream_t up, down;
    cudaEvent_t copied;
    cudaMallocHost(&host, bytes);
    cudaHostAlloc(&result, bytes, cudaHostAllocDefault);
    cudaStreamCreateWithFlags(&up, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&down, cudaStreamNonBlocking);
    cudaEventCreate(&copied);
    for (int i = 0; i < n; i++)
        host[i] = i;
    cudaMemcpyAsync(words, host, bytes, cudaMemcpyHostToDevice, up);
#ifdef HOST_WRITES
    host[1] = 7;
#endif
    cudaEventRecord(copied, up);
    cudaStreamWaitEvent(down, copied);
    twice<<<1, n, 0, down>>>(words);
    cudaMemcpyAsync(result, words, bytes, cudaMemcpyDeviceToHost, down);
#ifndef HOST_READS
    cudaStreamSynchronize(down);
#endif
    for (int i = 0; i < n; i++)
        wrong += result[i] != 2 * i;
    return wrong != 0;
}
