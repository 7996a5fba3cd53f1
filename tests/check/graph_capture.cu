/* What a stream captures is done at each launch of the graph, and not before: kernels, copies, memsets and
 * functions of the host. Streams that wait for a captured event are captured, too, and their branches
 * overlap. */
// expect: right
// expect -DNO_JOIN: wrong "capturing stream has unjoined work"
// expect -DNO_FORK: race "*n += 1;" "cudaMemsetAsync(n, 0, sizeof *n, main_stream)"
#include "tools/bugs/bug.h"

__global__ void increase(int *n)
{
    *n += 1;
}

static void count(void *calls)
{
    ++*(int *)calls;
}

int main()
{
    int *n, *other, *scratch, got = 0, calls = 0, from = 20;
    cudaStream_t main_stream, branch;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t graph_exec;
    CHECK(cudaMalloc(&n, sizeof *n));
    CHECK(cudaMalloc(&other, sizeof *other));
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
    CHECK(cudaMemcpyAsync(other, &from, sizeof from, cudaMemcpyHostToDevice, main_stream));
#ifdef NO_JOIN
    CHECK(cudaStreamWaitEvent(main_stream, fork));
#else
    CHECK(cudaStreamWaitEvent(main_stream, join));
#endif
    increase<<<1, 1, 0, main_stream>>>(other);
    increase<<<1, 1, 0, main_stream>>>(n);
    CHECK(cudaMallocAsync(&scratch, sizeof *scratch, main_stream));
    CHECK(cudaMemsetAsync(scratch, 0, sizeof *scratch, main_stream));
    increase<<<1, 1, 0, main_stream>>>(scratch);
    CHECK(cudaFreeAsync(scratch, main_stream));
    CHECK(cudaLaunchHostFunc(main_stream, count, &calls));
    CHECK(cudaStreamEndCapture(main_stream, &graph));
    CHECK(cudaGraphInstantiate(&graph_exec, graph, NULL, NULL, 0));
    CHECK(cudaGraphDestroy(graph));
    if (calls)
        return printf("a function was called while it was captured\n"), 1;

    for (int i = 0; i < 3; i++) {
        from = 10 * i;
        CHECK(cudaGraphLaunch(graph_exec, i == 1 ? branch : main_stream));
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(&got, n, sizeof got, cudaMemcpyDeviceToHost));
        if (got != 2)
            return printf("launch %d: n is %d\n", i, got), 1;
        CHECK(cudaMemcpy(&got, other, sizeof got, cudaMemcpyDeviceToHost));
        if (got != 10 * i + 1 || calls != i + 1)
            return printf("launch %d: other is %d, %d calls\n", i, got, calls), 1;
    }
    return 0;
}
