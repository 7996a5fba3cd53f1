/* A graph made of nodes executes them in the order of their dependencies; nodes without a dependency overlap.
 * Executable graphs can be changed, and a copied graph can be a node of another one. */
// expect: right
// expect -DNO_DEPENDENCY: race "p[threadIdx.x] *= by;" "p[threadIdx.x] += what;" "of add" "of scale"
#include <cstdio>
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
#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        cudaError_t e_ = (call);                                                                             \
        if (e_ != cudaSuccess)                                                                               \
            return printf("line %d: %s\n", __LINE__, cudaGetErrorString(e_)), 2;                             \
    } while (0)
int main()
{
    int *p, h[32], by = 3, what = 2;
    CHECK(cudaMalloc(&p, 128));
    cudaGraph_t g, clone;
    cudaGraphNode_t set, k, a, out, host;
    cudaGraphExec_t e;
    cudaStream_t s;
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaGraphCreate(&g, 0));
    cudaMemsetParams m = {0};
    m.dst = p;
    m.value = 1;
    m.elementSize = 4;
    m.width = 32;
    m.height = 1;
    m.pitch = 0;
    CHECK(cudaGraphAddMemsetNode(&set, g, nullptr, 0, &m));
    cudaKernelNodeParams kp = {0};
    void *args[] = {(void *)&p, &by};
    kp.func = (void *)scale;
    kp.gridDim = dim3(1, 1, 1);
    kp.blockDim = dim3(32, 1, 1);
    kp.kernelParams = args;
    kp.extra = NULL;
    CHECK(cudaGraphAddKernelNode(&k, g, &set, 1, &kp));
    cudaKernelNodeParams ap = {0};
    void *args2[] = {&p, &what};
    ap.func = (void *)add<int>;
    ap.gridDim = dim3(1);
    ap.blockDim = dim3(32);
    ap.kernelParams = args2;
    CHECK(cudaGraphAddKernelNode(&a, g, nullptr, 0, &ap));
#ifndef NO_DEPENDENCY
#if CUDART_VERSION >= 13000
    CHECK(cudaGraphAddDependencies(g, &k, &a, nullptr, 1));
#else
    CHECK(cudaGraphAddDependencies(g, &k, &a, 1));
#endif
#endif
    cudaMemcpy3DParms c = {0};
    c.srcPtr = make_cudaPitchedPtr(p, 128, 32, 1);
    c.dstPtr = make_cudaPitchedPtr(h, 128, 32, 1);
    c.extent = make_cudaExtent(128, 1, 1);
    c.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaGraphAddMemcpyNode(&out, g, &a, 1, &c));
    cudaHostNodeParams hp = {0};
    hp.fn = sum;
    hp.userData = h;
    CHECK(cudaGraphAddHostNode(&host, g, &out, 1, &hp));
    CHECK(cudaGraphInstantiate(&e, g, NULL, NULL, 0));
    CHECK(cudaGraphClone(&clone, g));
    for (int i = 0; i < 2; i++) {
        CHECK(cudaGraphLaunch(e, s));
        CHECK(cudaStreamSynchronize(s));
        if (h[0] != 32 * 5)
            return printf("%d\n", h[0]), 1;
    }
    by = 4;
    CHECK(cudaGraphExecKernelNodeSetParams(e, k, &kp));
    CHECK(cudaGraphLaunch(e, s));
    CHECK(cudaStreamSynchronize(s));
    if (h[0] != 32 * 6)
        return printf("%d\n", h[0]), 1;
    cudaGraphExecUpdateResultInfo info;
    CHECK(cudaGraphExecUpdate(e, clone, &info));
    CHECK(cudaGraphLaunch(e, s));
    CHECK(cudaStreamSynchronize(s));
    if (h[0] != 32 * 5)
        return printf("%d\n", h[0]), 1;
    cudaGraph_t outer;
    cudaGraphNode_t child;
    cudaGraphExec_t oe;
    CHECK(cudaGraphCreate(&outer, 0));
    CHECK(cudaGraphAddChildGraphNode(&child, outer, NULL, 0, clone));
    CHECK(cudaGraphInstantiate(&oe, outer, 0));
    CHECK(cudaGraphLaunch(oe, s));
    CHECK(cudaGraphLaunch(e, s));
    CHECK(cudaStreamSynchronize(s));
    if (h[0] != 32 * 5)
        return printf("%d\n", h[0]), 1;
    size_t n = 0;
    CHECK(cudaGraphGetNodes(g, NULL, &n));
    if (n != 5)
        return 1;
    return 0;
}
