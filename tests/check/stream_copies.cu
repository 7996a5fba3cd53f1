/* Asynchronous copies from and to pinned memory, in two streams. Each copy must be ordered with the kernel,
 * the other copy and what main() does. tests/machine_calls.cu has copies of all kinds. */
// expect: right
// expect -DHOST_WRITES: race "host[1] = 7;" "cudaMemcpyAsync(words, host," "the host"
// expect -DNO_WAIT: race "p[threadIdx.x] *= 2;" "cudaMemcpyAsync(words, host,"
// expect -DOVERWRITES: race "cudaMemcpyAsync(words, host," "cudaMemcpyAsync(words, more,"
// expect -DHOST_READS: race "wrong += result[i] != 2 * i;" "cudaMemcpyAsync(result, words,"
// expect -DONE_STREAM -DKERNEL_LATER: right
// expect -DONE_STREAM -DKERNEL_LATER -DHOST_READS: race "wrong += result[i]" "cudaMemcpyAsync(result, words,"
#include "tools/bugs/bug.h"

__global__ void twice(int *p)
{
    p[threadIdx.x] *= 2;
}

int main()
{
    const int n = 32;
    const size_t bytes = n * sizeof(int);
    int *words = new_array(n), *more = new_array(n), *host, *result, wrong = 0;
    cudaStream_t up, down;
    cudaEvent_t copied;
    cudaMallocHost(&host, bytes);
    cudaHostAlloc(&result, bytes, cudaHostAllocDefault);
#ifdef ONE_STREAM
    up = down = nullptr;
#else
    cudaStreamCreateWithFlags(&up, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&down, cudaStreamNonBlocking);
#endif
    cudaEventCreate(&copied);
    for (int i = 0; i < n; i++)
        host[i] = i;
#ifdef OVERWRITES
    cudaMemcpyAsync(words, more, bytes, cudaMemcpyDeviceToDevice, down);
#endif
    cudaMemcpyAsync(words, host, bytes, cudaMemcpyHostToDevice, up);
#ifdef HOST_WRITES
    host[1] = 7;
#endif
    cudaEventRecord(copied, up);
#ifndef NO_WAIT
    cudaStreamWaitEvent(down, copied);
#endif
    twice<<<1, n, 0, down>>>(words);
    cudaMemcpyAsync(result, words, bytes, cudaMemcpyDeviceToHost, down);
#ifdef KERNEL_LATER
    twice<<<1, n, 0, down>>>(words);
#endif
#ifndef HOST_READS
    cudaStreamSynchronize(down);
#endif
    for (int i = 0; i < n; i++)
        wrong += result[i] != 2 * i;
    return wrong != 0;
}
