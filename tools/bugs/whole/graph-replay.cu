/* ROCm/aiter#4494: the split-K semaphore is zeroed once before the CUDA graph is captured; each replay
 * begins with what the last one left. Also #4916. */
// expect: right
// expect -DBROKEN: hang "polling"
#include <cstdio>
#include <cuda_runtime.h>

#define CUDA_CHECK(call)                                                                                     \
    do {                                                                                                     \
        cudaError_t err = (call);                                                                            \
        if (err != cudaSuccess) {                                                                            \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(err));                      \
            return 2;                                                                                        \
        }                                                                                                    \
    } while (0)

/* Split s of gridDim.x adds up its part; split 0 waits for the others and writes the sum. */
__global__ void split_k(const float *__restrict__ in, float *__restrict__ partial, unsigned *sem,
                        float *__restrict__ out, int per_split)
{
    const int split = blockIdx.x, splits = gridDim.x, x = threadIdx.x;
    float acc = 0.f;
    for (int k = 0; k < per_split; ++k)
        acc += in[(split * per_split + k) * blockDim.x + x];
    if (split != 0) {
        partial[split * blockDim.x + x] = acc;
        __threadfence();
        __syncthreads();
        if (x == 0)
            atomicAdd(sem, 1u);
    } else {
        if (x == 0)
            while (*(volatile unsigned *)sem != splits - 1) {
            }
        __syncthreads();
        __threadfence();
        for (int s = 1; s < splits; ++s)
            acc += partial[s * blockDim.x + x];
        out[x] = acc;
    }
}

int main()
{
    constexpr int splits = 4, per_split = 2, width = 32, n = splits * per_split * width;
    float host[n], got[width], *in, *partial, *out;
    unsigned *sem;
    CUDA_CHECK(cudaMalloc(&in, sizeof(host)));
    CUDA_CHECK(cudaMalloc(&partial, splits * width * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&out, sizeof(got)));
    CUDA_CHECK(cudaMalloc(&sem, sizeof(unsigned)));
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA_CHECK(cudaStreamCreate(&stream));
#ifdef BROKEN
    CUDA_CHECK(cudaMemset(sem, 0, sizeof(unsigned)));
#endif
    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
#ifndef BROKEN
    CUDA_CHECK(cudaMemsetAsync(sem, 0, sizeof(unsigned), stream));
#endif
    split_k<<<splits, width, 0, stream>>>(in, partial, sem, out, per_split);
    CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int step = 1; step <= 3; ++step) {
        for (float &h : host)
            h = float(step);
        CUDA_CHECK(cudaMemcpyAsync(in, host, sizeof(host), cudaMemcpyHostToDevice, stream));
        CUDA_CHECK(cudaGraphLaunch(exec, stream));
        CUDA_CHECK(cudaMemcpyAsync(got, out, sizeof(got), cudaMemcpyDeviceToHost, stream));
        CUDA_CHECK(cudaStreamSynchronize(stream));
        for (float g : got)
            if (g != float(step * splits * per_split))
                return printf("step %d: %g\n", step, g), 1;
    }
    return 0;
}
