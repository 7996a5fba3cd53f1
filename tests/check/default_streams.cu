/* The legacy default stream and other streams wait for each other, unless the other stream is non-blocking.
 * The host does not wait for a memset, and for a copy from pageable memory only until it is staged. A
 * thread's own default stream behaves as any other stream. tests/machine_calls.cu has all of them. */
// expect: right
// expect -DNON_BLOCKING: race "p[threadIdx.x] += 1;" "cudaMemset(p, 0, bytes);" "a stream's memset"
// expect --default-stream=per-thread: race "p[threadIdx.x] += 1;" "a stream's memset"
// expect --default-stream=per-thread -DSYNCHRONIZED: right
// expect --default-stream per-thread: race "p[threadIdx.x] += 1;" "a stream's memset"
// expect --default-stream=per-thread -DTWO -DSYNCHRONIZED: race "p[threadIdx.x] *= 3;" "p[threadIdx.x] += 1;"
// expect -DUPLOAD=cudaMemcpyDefault -DNON_BLOCKING: race "p[threadIdx.x] += 1;" "UPLOAD);" "a stream's copy"
#include "tools/bugs/bug.h"

__global__ void add(int *p)
{
    p[threadIdx.x] += 1;
}

__global__ void multiply(int *p)
{
    p[threadIdx.x] *= 3;
}

int main()
{
    const size_t bytes = 32 * sizeof(int);
    int *p = new_array(32), expected = 1;
    cudaStream_t stream, idle;
    cudaStreamCreate(&idle);
#ifdef NON_BLOCKING
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
#else
    cudaStreamCreate(&stream);
#endif
#ifdef UPLOAD
    int zeros[32] = {0};
    cudaMemcpy(p, zeros, bytes, UPLOAD);
#else
    cudaMemset(p, 0, bytes);
#endif
#ifdef SYNCHRONIZED
    cudaDeviceSynchronize();
#endif
    add<<<1, 32, 0, stream>>>(p);
#ifdef TWO
    multiply<<<1, 32>>>(p);
    expected = 3;
#endif
    cudaDeviceSynchronize();
    return is_wrong(p, 32, [=](int) { return expected; });
}
