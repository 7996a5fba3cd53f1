// A chain of kernels of three sizes in turn, as in a decoding step of vLLM with and without CUDA graphs.
// a: launched one by one; b: captured and replayed as a graph. ns per kernel; the number: kernels.
#include "../blind.h"

static const int WORDS = 8192;

__global__ void step(const unsigned *from, unsigned *to, int shift)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < WORDS; i += gridDim.x * blockDim.x)
        to[i] = from[i] * 5 + from[(i + shift) % WORDS];
}

static void enqueue(unsigned *input, unsigned *const *buffers, int kernels, cudaStream_t stream)
{
    const int sizes[3][2] = {{4, 256}, {32, 256}, {16, 512}};
    for (int k = 0; k < kernels; k++) {
        int blocks = sizes[k % 3][0], threads = sizes[k % 3][1];
        const unsigned *from = k == 0 ? input : buffers[(k + 1) % 2];
        step<<<blocks, threads, 0, stream>>>(from, buffers[k % 2], k + 1);
    }
}

static void verify(const std::vector<unsigned> &input, unsigned *result, int kernels)
{
    std::vector<unsigned> got(WORDS), value = input, next(WORDS);
    for (int k = 0; k < kernels; k++) {
        for (int i = 0; i < WORDS; i++)
            next[i] = value[i] * 5 + value[(i + k + 1) % WORDS];
        value = next;
    }
    CHECK(cudaMemcpy(got.data(), result, WORDS * sizeof(unsigned), cudaMemcpyDeviceToHost));
    if (got != value) {
        fprintf(stderr, "graph-replay: wrong result of %d kernels\n", kernels);
        exit(1);
    }
    CHECK(cudaMemset(result, 0, WORDS * sizeof(unsigned)));
}

int main()
{
    std::vector<unsigned> host(WORDS);
    for (int i = 0; i < WORDS; i++)
        host[i] = i * 2654435761u >> 3;
    unsigned *input = words(WORDS), *buffers[2] = {words(WORDS), words(WORDS)};
    CHECK(cudaMemcpy(input, host.data(), WORDS * sizeof(unsigned), cudaMemcpyHostToDevice));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    for (int kernels : {3, 12, 48}) {
        unsigned *result = buffers[(kernels - 1) % 2];
        measure("graph-replay-a", kernels, kernels, [&] { enqueue(input, buffers, kernels, 0); });
        verify(host, result, kernels);
        cudaGraph_t graph;
        cudaGraphExec_t executable;
        CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        enqueue(input, buffers, kernels, stream);
        CHECK(cudaStreamEndCapture(stream, &graph));
        CHECK(cudaGraphInstantiate(&executable, graph, 0));
        measure("graph-replay-b", kernels, kernels, [&] { CHECK(cudaGraphLaunch(executable, 0)); });
        verify(host, result, kernels);
        CHECK(cudaGraphExecDestroy(executable));
        CHECK(cudaGraphDestroy(graph));
    }
    return 0;
}
