/* The same loop in several kernels, each of which is launched in another way. gpusync-predict must charge the
 * loop's instructions equally. */
// expect: right
#include <cuda_runtime.h>

__device__ void work(float *out, int turns)
{
    float x = (float)threadIdx.x;
    for (int i = 0; i < turns; i++)
        x = x * 1.0001f + 0.5f;
    out[threadIdx.x] = x;
}
__global__ void plain(float *out, int turns)
{
    work(out, turns);
}
template <int N>
__global__ void instance(float *out, int turns)
{
    work(out, turns);
}
__global__ void by_array(float *out, int turns)
{
    work(out, turns);
}
__global__ void by_name(float *out, int turns)
{
    work(out, turns);
}
__global__ void cooperative(float *out, int turns)
{
    work(out, turns);
}
__global__ void by_config(float *out, int turns)
{
    work(out, turns);
}
__global__ void through_pointer(float *out, int turns)
{
    work(out, turns);
}
__global__ void in_graph(float *out, int turns)
{
    work(out, turns);
}

int main()
{
    int turns = 10000;
    float *out;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaMalloc(&out, 32 * sizeof *out);
    cudaStreamCreate(&stream);
    void *arguments[] = {&out, &turns};
    plain<<<1, 32>>>(out, turns);
    instance<1><<<1, 32>>>(out, turns);
    cudaLaunchKernel((void *)by_array, dim3(1), dim3(32), arguments, 0, 0);
    cudaLaunchKernel(by_name, dim3(1), dim3(32), arguments, 0, 0);
    cudaLaunchCooperativeKernel((void *)cooperative, dim3(1), dim3(32), arguments, 0, 0);
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 32;
    cudaLaunchKernelEx(&config, by_config, out, turns);
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
