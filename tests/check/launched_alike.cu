/* The same loop in several kernels, each of which is launched in another way. gpusync-predict must charge the
 * loop's instructions equally. */
// expect: right
#include "tools/bugs/bug.h"

__device__ void work(float *out, int turns)
{
    float x = (float)threadIdx.x;
    for (int i = 0; i < turns; i++)
        x = x * 1.0001f + 0.5f;
    out[threadIdx.x] = x;
}
#define KERNEL(name)                                                                                         \
    __global__ void name(float *out, int turns)                                                              \
    {                                                                                                        \
        work(out, turns);                                                                                    \
    }
KERNEL(plain)
template <int N>
KERNEL(instance)
KERNEL(by_array) KERNEL(by_name) KERNEL(cooperative) KERNEL(by_config) KERNEL(through_pointer)
    KERNEL(in_graph)

        int main()
{
    int turns = 10000;
    float *out = new_array<float>(32);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaStreamCreate(&stream);
    void *arguments[] = {&out, &turns};
    plain<<<1, 32>>>(out, turns);
    instance<1><<<1, 32>>>(out, turns);
    cudaLaunchKernel((void *)by_array, dim3(1), dim3(32), arguments, 0, 0);
    cudaLaunchKernel(by_name, dim3(1), dim3(32), arguments, 0, 0);
    cudaLaunchCooperativeKernel((void *)cooperative, dim3(1), dim3(32), arguments, 0, 0);
    launch_with(by_config, 1, 32, 0, false, out, turns);
    void (*kernel)(float *, int) = through_pointer;
    kernel<<<1, 32>>>(out, turns);
    cudaDeviceSynchronize();
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    in_graph<<<1, 32, 0, stream>>>(out, turns);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, stream);
    return cudaStreamSynchronize(stream) != cudaSuccess;
}
