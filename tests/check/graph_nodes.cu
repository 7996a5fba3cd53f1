/* A graph made of nodes executes them in the order of their dependencies; nodes without a dependency overlap.
 * Executable graphs can be changed, and a copied graph can be a node of another one. */
// expect: right
// expect -DNO_DEPENDENCY: race "p[threadIdx.x] *= by;" "p[threadIdx.x] += what;" "of add" "of scale"
#include "tools/bugs/bug.h"

__global__ void scale(int *p, int by)
{
    p[threadIdx.x] *= by;
}
template <class T>
__global__ void add(T *p, T what)
{
    p[threadIdx.x] += what;
}
static void sum(void *data)
{
    int *h = (int *)data;
    for (int i = 1; i < 32; i++)
        h[0] += h[i];
}

/* Launches the graph, and returns whether it makes this sum. */
static bool gives(cudaGraphExec_t graph, cudaStream_t stream, const int *sum, int wanted)
{
    CHECK(cudaGraphLaunch(graph, stream));
    CHECK(cudaStreamSynchronize(stream));
    if (*sum != wanted)
        printf("%d in place of %d\n", *sum, wanted);
    return *sum == wanted;
}

int main()
{
    int *p = new_array(32), h[32], by = 3, what = 2;
    void *of_scale[] = {&p, &by}, *of_add[] = {&p, &what};
    cudaGraph_t g, clone, outer;
    cudaGraphNode_t set, k, a, out, host, child;
    cudaGraphExec_t e, oe;
    cudaStream_t s;
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaGraphCreate(&g, 0));
    cudaMemsetParams m = {};
    m.dst = p;
    m.value = 1;
    m.elementSize = 4;
    m.width = 32;
    m.height = 1;
    CHECK(cudaGraphAddMemsetNode(&set, g, nullptr, 0, &m));
    cudaKernelNodeParams kp = {(void *)scale, dim3(1, 1, 1), dim3(32, 1, 1), 0, of_scale, NULL};
    CHECK(cudaGraphAddKernelNode(&k, g, &set, 1, &kp));
    cudaKernelNodeParams ap = {(void *)add<int>, dim3(1), dim3(32), 0, of_add, NULL};
    CHECK(cudaGraphAddKernelNode(&a, g, nullptr, 0, &ap));
#ifndef NO_DEPENDENCY
#if CUDART_VERSION >= 13000
    CHECK(cudaGraphAddDependencies(g, &k, &a, nullptr, 1));
#else
    CHECK(cudaGraphAddDependencies(g, &k, &a, 1));
#endif
#endif
    cudaMemcpy3DParms c = {};
    c.srcPtr = make_cudaPitchedPtr(p, 128, 32, 1);
    c.dstPtr = make_cudaPitchedPtr(h, 128, 32, 1);
    c.extent = make_cudaExtent(128, 1, 1);
    c.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaGraphAddMemcpyNode(&out, g, &a, 1, &c));
    cudaHostNodeParams hp = {sum, h};
    CHECK(cudaGraphAddHostNode(&host, g, &out, 1, &hp));
    CHECK(cudaGraphInstantiate(&e, g, NULL, NULL, 0));
    CHECK(cudaGraphClone(&clone, g));
    if (!gives(e, s, h, 32 * 5) || !gives(e, s, h, 32 * 5))
        return 1;
    by = 4;
    CHECK(cudaGraphExecKernelNodeSetParams(e, k, &kp));
    if (!gives(e, s, h, 32 * 6))
        return 1;
    cudaGraphExecUpdateResultInfo info;
    CHECK(cudaGraphExecUpdate(e, clone, &info));
    if (!gives(e, s, h, 32 * 5))
        return 1;
    CHECK(cudaGraphCreate(&outer, 0));
    CHECK(cudaGraphAddChildGraphNode(&child, outer, NULL, 0, clone));
    CHECK(cudaGraphInstantiate(&oe, outer, 0));
    CHECK(cudaGraphLaunch(oe, s));
    size_t n = 0;
    CHECK(cudaGraphGetNodes(g, NULL, &n));
    return !gives(e, s, h, 32 * 5) || n != 5;
}
