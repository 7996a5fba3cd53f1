/* arborx/ArborX#574: bottom-up bounding boxes; the second thread at a node reads the box of the
 * sibling's subtree without a fence. */
// expect: right
// expect -DBROKEN: race "atomicAdd(&visits[parent], 1)"
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

struct Box {
    float3 lo, hi;
};
__host__ __device__ inline Box merge(const Box &a, const Box &b)
{
    return {make_float3(fminf(a.lo.x, b.lo.x), fminf(a.lo.y, b.lo.y), fminf(a.lo.z, b.lo.z)),
            make_float3(fmaxf(a.hi.x, b.hi.x), fmaxf(a.hi.y, b.hi.y), fmaxf(a.hi.z, b.hi.z))};
}

/* Nodes as in a heap: the root is 0, the leaves are leaves - 1 to 2 * leaves - 2. */
__global__ void fit_boxes(Box *__restrict__ boxes, const float3 *__restrict__ points,
                          int *__restrict__ visits, int leaves)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= leaves)
        return;
    int node = leaves - 1 + i;
    boxes[node] = {points[i], points[i]};
    while (node > 0) {
        const int parent = (node - 1) / 2;
#ifndef BROKEN
        __threadfence();
#endif
        if (atomicAdd(&visits[parent], 1) == 0)
            return; // the other child's thread goes on
#ifndef BROKEN
        __threadfence();
#endif
        boxes[parent] = merge(boxes[2 * parent + 1], boxes[2 * parent + 2]);
        node = parent;
    }
}

int main()
{
    const int leaves = 64;
    std::vector<float3> host(leaves);
    for (int i = 0; i < leaves; ++i)
        host[i] = make_float3(float(i * 37 % 64), float(i * 11 % 64), float(i));
    Box *boxes, root;
    float3 *points;
    int *visits;
    cudaMalloc(&boxes, (2 * leaves - 1) * sizeof(Box));
    cudaMalloc(&points, leaves * sizeof(float3));
    cudaMalloc(&visits, (leaves - 1) * sizeof(int));
    cudaMemset(boxes, 0, (2 * leaves - 1) * sizeof(Box));
    cudaMemset(visits, 0, (leaves - 1) * sizeof(int));
    cudaMemcpy(points, host.data(), leaves * sizeof(float3), cudaMemcpyHostToDevice);
    fit_boxes<<<4, leaves / 4>>>(boxes, points, visits, leaves);
    cudaMemcpy(&root, boxes, sizeof(Box), cudaMemcpyDeviceToHost);
    Box want{host[0], host[0]};
    for (const float3 &p : host)
        want = merge(want, {p, p});
    return root.lo.x == want.lo.x && root.lo.y == want.lo.y && root.lo.z == want.lo.z &&
                   root.hi.x == want.hi.x && root.hi.y == want.hi.y && root.hi.z == want.hi.z
               ? 0
               : 1;
}
