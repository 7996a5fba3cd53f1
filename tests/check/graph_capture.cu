/* What a stream captures is done at each launch of the graph. Streams that wait for a captured event are
 * captured, too, and their branches overlap. tests/machine_calls.cu captures tasks of all kinds. */
// expect: right
// expect -DNO_JOIN: wrong "capturing stream has unjoined work"
// expect -DNO_FORK: race "*n += 1;" "cudaMemsetAsync(n, 0, sizeof *n, main_stream)"
#include "tools/bugs/bug.h"

__global__ void increase(int *n)
{
    *n += 1;
}

/* Calls in a capture that CUDA refuses, and with which error. `event` is recorded outside of the capture. */
static const struct {
    cudaError_t error;
    cudaError_t (*call)(cudaStream_t captured, cudaStream_t other, cudaEvent_t event);
} refused[] = {
    {cudaErrorStreamCaptureIsolation,
     [](auto captured, auto, auto event) { return cudaStreamWaitEvent(captured, event); }},
    {cudaErrorStreamCaptureIsolation,
     [](auto captured, auto other, auto event) {
         cudaStreamBeginCapture(other, cudaStreamCaptureModeGlobal);
         cudaEventRecord(event, other);
         return cudaStreamWaitEvent(captured, event);
     }},
    {cudaErrorIllegalState,
     [](auto captured, auto, auto) { return cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal); }},
    {cudaErrorIllegalState,
     [](auto, auto other, auto) {
         cudaGraph_t graph;
         return cudaStreamEndCapture(other, &graph);
     }},
    {cudaErrorStreamCaptureUnsupported,
     [](auto captured, auto, auto) { return cudaStreamSynchronize(captured); }},
    {cudaErrorStreamCaptureUnsupported,
     [](auto, auto, auto) { return cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal); }},
    {cudaErrorCapturedEvent,
     [](auto captured, auto other, auto event) {
         cudaGraph_t graph;
         cudaEventRecord(event, captured);
         cudaStreamEndCapture(captured, &graph);
         return cudaStreamWaitEvent(other, event);
     }},
};

static int wrong_refusals()
{
    int wrong = 0;
    for (auto &row : refused) {
        cudaStream_t captured, other;
        cudaEvent_t event;
        CHECK(cudaStreamCreate(&captured));
        CHECK(cudaStreamCreate(&other));
        CHECK(cudaEventCreate(&event));
        CHECK(cudaEventRecord(event, other));
        CHECK(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal));
        cudaError_t error = row.call(captured, other, event);
        if (error != row.error)
            printf("call %d is refused by %s\n", (int)(&row - refused), cudaGetErrorName(error));
        wrong += error != row.error;
    }
    return wrong;
}

int main()
{
    if (wrong_refusals())
        return 2;
    int *n, *scratch, got = 0;
    cudaStream_t main_stream, branch;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t graph_exec;
    CHECK(cudaMalloc(&n, sizeof *n));
    CHECK(cudaStreamCreate(&main_stream));
    CHECK(cudaStreamCreate(&branch));
    CHECK(cudaEventCreate(&fork));
    CHECK(cudaEventCreate(&join));

    CHECK(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeGlobal));
#ifdef NO_FORK
    CHECK(cudaEventRecord(fork, main_stream));
#endif
    CHECK(cudaMemsetAsync(n, 0, sizeof *n, main_stream));
#ifndef NO_FORK
    CHECK(cudaEventRecord(fork, main_stream));
#endif
    CHECK(cudaStreamWaitEvent(branch, fork));
    increase<<<1, 1, 0, branch>>>(n);
    CHECK(cudaEventRecord(join, branch));
#ifdef NO_JOIN
    CHECK(cudaStreamWaitEvent(main_stream, fork));
#else
    CHECK(cudaStreamWaitEvent(main_stream, join));
#endif
    increase<<<1, 1, 0, main_stream>>>(n);
    CHECK(cudaMallocAsync(&scratch, sizeof *scratch, main_stream));
    CHECK(cudaMemsetAsync(scratch, 0, sizeof *scratch, main_stream));
    increase<<<1, 1, 0, main_stream>>>(scratch);
    CHECK(cudaFreeAsync(scratch, main_stream));
    CHECK(cudaStreamEndCapture(main_stream, &graph));
    CHECK(cudaGraphInstantiate(&graph_exec, graph, NULL, NULL, 0));
    CHECK(cudaGraphDestroy(graph));

    for (int i = 0; i < 3; i++) {
        CHECK(cudaGraphLaunch(graph_exec, i == 1 ? branch : main_stream));
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(&got, n, sizeof got, cudaMemcpyDeviceToHost));
        if (got != 2)
            return printf("launch %d: n is %d\n", i, got), 1;
    }
    return 0;
}
