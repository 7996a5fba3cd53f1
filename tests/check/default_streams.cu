/* The legacy default stream and other streams wait for each other. A thread's own default stream behaves as
 * any other stream, and the host does not wait for a memset. tests/machine_calls.cu has all of them. */
// expect: right
// expect --default-stream=per-thread: race "p[threadIdx.x] += 1;" "a stream's memset"
// expect --default-stream=per-thread -DSYNCHRONIZED: right
// expect --default-stream per-thread: race "p[threadIdx.x] += 1;" "a stream's memset"
// expect -DUPLOAD -DNON_BLOCKING: race "p[threadIdx.x] += 1;" "cudaMemcpyDefault);" "a stream's copy"
#include "tools/bugs/bug.h"

__global__ void add(int *p)
{
    p[threadIdx.x] += 1;
}

int main()
{
    const size_t bytes = 32 * sizeof(int);
    int *p = new_array(32);
    cudaStream_t stream;
#ifdef NON_BLOCKING
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
#else
    cudaStreamCreate(&stream);
#endif
#ifdef UPLOAD
    int zeros[32] = {0};
    cudaMemcpy(p, zeros, bytes, cudaMemcpyDefault);
#else
    cudaMemset(p, 0, bytes);
#endif
#ifdef SYNCHRONIZED
    cudaDeviceSynchronize();
#endif
    add<<<1, 32, 0, stream>>>(p);
    cudaDeviceSynchronize();
    return is_wrong(p, 32, [](int) { return 1; });
}
