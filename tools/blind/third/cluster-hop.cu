// The blocks of a cluster pass words around a ring, as in ring attention in clusters.
// a: through distributed shared memory; b: through global memory. ns per hop; the number: cluster's blocks.
#include "../blind.h"
#include <cooperative_groups.h>

static const int CLUSTERS = 8, THREADS = 128, HOPS = 40;

template <bool SHARED>
__global__ void hops(unsigned *global, unsigned *output)
{
    __shared__ unsigned inboxes[2][THREADS];
    cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    unsigned rank = cluster.block_rank(), size = cluster.num_blocks(), me = threadIdx.x;
    unsigned right = (rank + 1) % size, first = blockIdx.x - rank, value = blockIdx.x * 1000 + me;
    cluster.sync();
    for (int h = 0; h < HOPS; h++) {
        if (SHARED)
            cluster.map_shared_rank(inboxes[h % 2], right)[me] = value;
        else
            global[((first + right) * 2 + h % 2) * THREADS + me] = value;
        cluster.sync();
        const unsigned *inbox = SHARED ? inboxes[h % 2] : global + (blockIdx.x * 2 + h % 2) * THREADS;
        value = inbox[me ^ 1] * 3 + rank;
    }
    output[blockIdx.x * THREADS + me] = value;
}

static void verify(unsigned *output, int size)
{
    int count = CLUSTERS * size * THREADS;
    std::vector<unsigned> got(count), value(count), next(count);
    for (int i = 0; i < count; i++)
        value[i] = i / THREADS * 1000 + i % THREADS;
    for (int h = 0; h < HOPS; h++, value = next)
        for (int i = 0; i < count; i++) {
            int block = i / THREADS, rank = block % size, left = block - rank + (rank + size - 1) % size;
            next[i] = value[left * THREADS + (i % THREADS ^ 1)] * 3 + rank;
        }
    CHECK(cudaMemcpy(got.data(), output, count * sizeof(unsigned), cudaMemcpyDeviceToHost));
    if (got != value) {
        fprintf(stderr, "cluster-hop: wrong result for clusters of %d\n", size);
        exit(1);
    }
    CHECK(cudaMemset(output, 0, count * sizeof(unsigned)));
}

template <bool SHARED>
static void launch(int size, unsigned *global, unsigned *output)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = size;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(CLUSTERS * size);
    config.blockDim = dim3(THREADS);
    config.attrs = &attribute;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, hops<SHARED>, global, output));
}

int main()
{
    unsigned *global = words(CLUSTERS * 8 * 2 * THREADS), *output = words(CLUSTERS * 8 * THREADS);
    for (int size : {2, 4, 8}) {
        measure("cluster-hop-a", size, HOPS, [&] { launch<true>(size, global, output); });
        verify(output, size);
        measure("cluster-hop-b", size, HOPS, [&] { launch<false>(size, global, output); });
        verify(output, size);
    }
    return 0;
}
