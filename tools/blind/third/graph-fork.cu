// A CUDA graph with independent branches of four kernels between a first and a last one, as task graphs have.
// a: branches on streams of their own (fork, join); b: all in a chain. ns per replay; the number: branches.
#include "../blind.h"

static const int WORDS = 4096, DEPTH = 4, MOST = 8;

__global__ void step(const unsigned *from, unsigned *to, unsigned factor)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < WORDS; i += gridDim.x * blockDim.x)
        to[i] = from[i] * factor + (from[(i + 1) % WORDS] >> 3);
}

__global__ void join(const unsigned *parts, unsigned *to, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
    for (int p = 0; p < count; p++)
        sum = sum * 3 + parts[p * WORDS + i];
    to[i] = sum;
}

/* Each branch has two buffers, so that no kernel reads what it writes. */
static void branch(const unsigned *root, unsigned *spare, unsigned *part, int number, cudaStream_t stream)
{
    int blocks = 2 << (number % 3);
    for (int d = 0; d < DEPTH; d++) {
        const unsigned *from = d == 0 ? root : d % 2 == 1 ? spare : part;
        step<<<blocks, 128, 0, stream>>>(from, d % 2 == 0 ? spare : part, number + 3);
    }
}

static void verify(const std::vector<unsigned> &input, unsigned *output, int branches)
{
    std::vector<unsigned> got(WORDS), root(WORDS), result(WORDS);
    for (int i = 0; i < WORDS; i++)
        root[i] = input[i] * 7 + (input[(i + 1) % WORDS] >> 3);
    for (int b = 0; b < branches; b++) {
        std::vector<unsigned> value = root, next(WORDS);
        for (int d = 0; d < DEPTH; d++, value = next)
            for (int i = 0; i < WORDS; i++)
                next[i] = value[i] * (b + 3) + (value[(i + 1) % WORDS] >> 3);
        for (int i = 0; i < WORDS; i++)
            result[i] = result[i] * 3 + value[i];
    }
    CHECK(cudaMemcpy(got.data(), output, WORDS * sizeof(unsigned), cudaMemcpyDeviceToHost));
    if (got != result) {
        fprintf(stderr, "graph-fork: wrong result of %d branches\n", branches);
        exit(1);
    }
    CHECK(cudaMemset(output, 0, WORDS * sizeof(unsigned)));
}

int main()
{
    std::vector<unsigned> host(WORDS);
    for (int i = 0; i < WORDS; i++)
        host[i] = i * 2654435761u >> 3;
    unsigned *input = words(WORDS), *root = words(WORDS), *output = words(WORDS);
    unsigned *spares = words(MOST * WORDS), *parts = words(MOST * WORDS);
    CHECK(cudaMemcpy(input, host.data(), WORDS * sizeof(unsigned), cudaMemcpyHostToDevice));
    cudaStream_t stream, others[MOST];
    cudaEvent_t forked, joined[MOST];
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&forked));
    for (int b = 0; b < MOST; b++) {
        CHECK(cudaStreamCreate(&others[b]));
        CHECK(cudaEventCreate(&joined[b]));
    }
    for (int branches : {2, 4, 8})
        for (bool fork : {true, false}) {
            cudaGraph_t graph;
            cudaGraphExec_t executable;
            CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
            step<<<8, 256, 0, stream>>>(input, root, 7);
            CHECK(cudaEventRecord(forked, stream));
            for (int b = 0; b < branches; b++) {
                cudaStream_t other = fork ? others[b] : stream;
                if (fork)
                    CHECK(cudaStreamWaitEvent(other, forked, 0));
                branch(root, spares + b * WORDS, parts + b * WORDS, b, other);
                if (fork) {
                    CHECK(cudaEventRecord(joined[b], other));
                    CHECK(cudaStreamWaitEvent(stream, joined[b], 0));
                }
            }
            join<<<WORDS / 256, 256, 0, stream>>>(parts, output, branches);
            CHECK(cudaStreamEndCapture(stream, &graph));
            CHECK(cudaGraphInstantiate(&executable, graph, 0));
            const char *name = fork ? "graph-fork-a" : "graph-fork-b";
            measure(name, branches, 1, [&] { CHECK(cudaGraphLaunch(executable, 0)); });
            verify(host, output, branches);
            CHECK(cudaGraphExecDestroy(executable));
            CHECK(cudaGraphDestroy(graph));
        }
    return 0;
}
