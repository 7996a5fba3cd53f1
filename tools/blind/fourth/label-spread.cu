// Connected components of a random graph in a persistent kernel: a vertex gets its component's least one.
// a: labels spread to neighbours, round by round, with grid barriers; b: trees are hooked together with
// compare-and-swap, then flattened (ECL-CC), with two barriers. ns per call; the number: vertices.
#include "../blind.h"

static const int THREADS = 256, ROUNDS = 64;

static __device__ unsigned load_relaxed(const unsigned *address)
{
    unsigned value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    return value;
}

/* The counter is a multiple of the number of blocks whenever no block is in the barrier. */
static __device__ void grid_barrier(unsigned *counter)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        unsigned ticket = atomicAdd(counter, 1u), target = ticket - ticket % gridDim.x + gridDim.x;
        while ((int)(load_relaxed(counter) - target) < 0)
            ;
        __threadfence();
    }
    __syncthreads();
}

/* A thread for each vertex. `changed` has the number of the last call whose round changed a label. */
__global__ void spread(const unsigned *starts, const unsigned *neighbours, unsigned *labels,
                       unsigned *buffers, unsigned *changed, unsigned *counter, unsigned call)
{
    unsigned v = blockIdx.x * THREADS + threadIdx.x, size = gridDim.x * THREADS;
    unsigned begin = starts[v], end = starts[v + 1], label = v;
    for (unsigned e = begin; e < end; e++)
        label = min(label, neighbours[e]);
    buffers[v] = label;
    grid_barrier(counter);
    for (int r = 0; r < ROUNDS; r++) {
        const unsigned *from = buffers + r % 2 * size;
        unsigned least = min(label, from[label]);
        for (unsigned e = begin; e < end; e++)
            least = min(least, from[neighbours[e]]);
        buffers[(r + 1) % 2 * size + v] = least;
        if (__syncthreads_or(least != label) && threadIdx.x == 0)
            atomicMax(&changed[r], call);
        label = least;
        grid_barrier(counter);
        if (load_relaxed(&changed[r]) != call)
            break;
    }
    labels[v] = label;
}

static __device__ unsigned root(const unsigned *parents, unsigned v)
{
    for (unsigned parent; (parent = load_relaxed(&parents[v])) != v;)
        v = parent;
    return v;
}

/* A parent is never greater than its child, so the root of a tree is its least vertex. */
__global__ void hook(const unsigned *starts, const unsigned *neighbours, unsigned *labels, unsigned *parents,
                     unsigned *counter)
{
    unsigned v = blockIdx.x * THREADS + threadIdx.x, begin = starts[v], end = starts[v + 1];
    parents[v] = v;
    grid_barrier(counter);
    for (unsigned e = begin; e < end; e++) {
        unsigned other = neighbours[e];
        if (other > v)
            continue;
        unsigned a = root(parents, v), b = root(parents, other);
        while (a != b) {
            unsigned high = max(a, b), low = min(a, b), old = atomicCAS(&parents[high], high, low);
            if (old == high)
                break;
            a = root(parents, old);
            b = root(parents, low);
        }
    }
    grid_barrier(counter);
    labels[v] = root(parents, v);
}

static void verify(const std::vector<unsigned> &expected, unsigned *labels)
{
    std::vector<unsigned> got(expected.size());
    CHECK(cudaMemcpy(got.data(), labels, got.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
    if (got != expected) {
        fprintf(stderr, "label-spread: wrong labels for %d vertices\n", (int)got.size());
        exit(1);
    }
    CHECK(cudaMemset(labels, 0xff, got.size() * sizeof(unsigned)));
}

int main()
{
    for (int size : {1024, 16384}) {
        std::vector<std::vector<unsigned>> lists(size);
        unsigned random = 1, call = 0;
        for (int e = 0; e < size * 5 / 4; e++) {
            unsigned v = (random = random * 1664525u + 1013904223u) >> 12, w;
            w = (random = random * 1664525u + 1013904223u) >> 12;
            lists[v % size].push_back(w % size);
            lists[w % size].push_back(v % size);
        }
        std::vector<unsigned> starts, neighbours, expected(size, size), stack;
        for (const std::vector<unsigned> &list : lists) {
            starts.push_back(neighbours.size());
            neighbours.insert(neighbours.end(), list.begin(), list.end());
        }
        starts.push_back(neighbours.size());
        for (int v = 0; v < size; v++)
            for (stack.push_back(v); !stack.empty();) {
                unsigned w = stack.back();
                stack.pop_back();
                if (expected[w] != (unsigned)size)
                    continue;
                expected[w] = v;
                stack.insert(stack.end(), lists[w].begin(), lists[w].end());
            }
        unsigned *from = words(starts.size()), *to = words(neighbours.size()), *labels = words(size);
        unsigned *buffers = words(2 * size), *changed = words(ROUNDS), *counter = words(32);
        CHECK(cudaMemcpy(from, starts.data(), starts.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
        CHECK(
            cudaMemcpy(to, neighbours.data(), neighbours.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
        measure("label-spread-a", size, 1, [&] {
            spread<<<size / THREADS, THREADS>>>(from, to, labels, buffers, changed, counter, ++call);
        });
        verify(expected, labels);
        measure("label-spread-b", size, 1,
                [&] { hook<<<size / THREADS, THREADS>>>(from, to, labels, buffers, counter); });
        verify(expected, labels);
        for (unsigned *p : {from, to, labels, buffers, changed, counter})
            CHECK(cudaFree(p));
    }
    return 0;
}
