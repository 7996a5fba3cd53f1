// Breadth-first search in one persistent kernel: two queues and a grid barrier a level, as in Gunrock.
// a: a global atomic per new node; b: one per block, by a shared queue. ns per search; the number: nodes.
#include "../blind.h"
#include <cooperative_groups.h>

static const int THREADS = 128, DEGREE = 4, ROOM = THREADS * DEGREE;
static const unsigned NONE = 0xffffffff;

static __host__ __device__ unsigned neighbour(unsigned node, int edge, unsigned count)
{
    return (node * (2 * edge + 3) + 7919 * edge + (node >> 3)) % count;
}

/* sizes[l % 3] is the size of the queue of level l; the third one is zeroed meanwhile. */
template <bool GATHER>
__global__ void search(const unsigned *edges, unsigned *levels, unsigned *queues, unsigned *sizes,
                       unsigned count)
{
    __shared__ unsigned fresh[ROOM], fresh_count, start;
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    unsigned me = blockIdx.x * THREADS + threadIdx.x, all = gridDim.x * THREADS;
    for (unsigned i = me; i < count; i += all)
        levels[i] = i == 0 ? 0 : NONE;
    if (me < 3)
        sizes[me] = me == 0;
    if (me == 0)
        queues[0] = 0;
    grid.sync();
    for (unsigned level = 0;; level++) {
        unsigned size = sizes[level % 3];
        const unsigned *from = queues + level % 2 * count;
        unsigned *to = queues + (level + 1) % 2 * count, *to_size = &sizes[(level + 1) % 3];
        if (size == 0)
            break;
        if (me == 0)
            sizes[(level + 2) % 3] = 0;
        for (unsigned base = blockIdx.x * THREADS; base < size; base += all) {
            if (GATHER) {
                __syncthreads();
                if (threadIdx.x == 0)
                    fresh_count = 0;
                __syncthreads();
            }
            for (int e = 0; e < DEGREE && base + threadIdx.x < size; e++) {
                unsigned other = edges[from[base + threadIdx.x] * DEGREE + e];
                if (((volatile unsigned *)levels)[other] != NONE)
                    continue;
                if (atomicCAS(&levels[other], NONE, level + 1) != NONE)
                    continue;
                if (GATHER)
                    fresh[atomicAdd(&fresh_count, 1u)] = other;
                else
                    to[atomicAdd(to_size, 1u)] = other;
            }
            if (GATHER) {
                __syncthreads();
                if (threadIdx.x == 0 && fresh_count > 0)
                    start = atomicAdd(to_size, fresh_count);
                __syncthreads();
                for (unsigned i = threadIdx.x; i < fresh_count; i += THREADS)
                    to[start + i] = fresh[i];
            }
        }
        grid.sync();
    }
}

static void verify(const std::vector<unsigned> &edges, unsigned *levels)
{
    std::vector<unsigned> got(edges.size() / DEGREE), expected(got.size(), NONE), queue = {0};
    expected[0] = 0;
    for (size_t q = 0; q < queue.size(); q++)
        for (int e = 0; e < DEGREE; e++) {
            unsigned other = edges[queue[q] * DEGREE + e];
            if (expected[other] == NONE) {
                expected[other] = expected[queue[q]] + 1;
                queue.push_back(other);
            }
        }
    CHECK(cudaMemcpy(got.data(), levels, got.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
    if (got != expected || queue.size() < got.size() / 2) {
        fprintf(stderr, "bfs-persist: wrong levels of %zu nodes\n", got.size());
        exit(1);
    }
    CHECK(cudaMemset(levels, 0, got.size() * sizeof(unsigned)));
}

int main()
{
    for (int count : {256, 2048, 16384}) {
        int blocks = std::min(64, count / THREADS);
        std::vector<unsigned> host(count * DEGREE);
        for (int i = 0; i < count * DEGREE; i++)
            host[i] = neighbour(i / DEGREE, i % DEGREE, count);
        unsigned *edges = words(host.size()), *levels = words(count), *queues = words(2 * count);
        unsigned *sizes = words(32);
        CHECK(cudaMemcpy(edges, host.data(), host.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
        void *arguments[] = {&edges, &levels, &queues, &sizes, &count};
        measure("bfs-persist-a", count, 1, [&] {
            CHECK(cudaLaunchCooperativeKernel((void *)search<false>, blocks, THREADS, arguments, 0, 0));
        });
        verify(host, levels);
        measure("bfs-persist-b", count, 1, [&] {
            CHECK(cudaLaunchCooperativeKernel((void *)search<true>, blocks, THREADS, arguments, 0, 0));
        });
        verify(host, levels);
        for (unsigned *p : {edges, levels, queues, sizes})
            CHECK(cudaFree(p));
    }
    return 0;
}
