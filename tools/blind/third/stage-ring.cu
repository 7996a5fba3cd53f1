// A chain of blocks hands tiles on, each through a ring of slots, as pipeline-parallel megakernels do.
// a: 1 slot in each ring; b: 4 slots. ns per tile; the number is the number of blocks.
#include "../blind.h"

static const int THREADS = 64, TILES = 48, LINE = 32, MOST_SLOTS = 4;

static __device__ unsigned load_acquire(const unsigned *address)
{
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    return value;
}

static __device__ void store_release(unsigned *address, unsigned value)
{
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}

/* Waits until a counter is at least `target`, also where it has wrapped around. */
static __device__ void await(const unsigned *counter, unsigned target)
{
    while ((int)(load_acquire(counter) - target) < 0)
        ;
}

/* Ring b lies between blocks b and b + 1. Of each, `filled` and `emptied` count the tiles since the program's
 * begin; `base` of them are from earlier launches. */
template <int SLOTS>
__global__ void stages(unsigned *slots, unsigned *filled, unsigned *emptied, unsigned *output, unsigned base)
{
    int b = blockIdx.x, me = threadIdx.x;
    bool first = b == 0, last = b + 1 == gridDim.x;
    for (int t = 0; t < TILES; t++) {
        unsigned slot = t % SLOTS, value = t * 1000 + me;
        if (me == 0 && !first)
            await(filled + (b - 1) * LINE, base + t + 1);
        if (me == 32 && !last)
            await(emptied + b * LINE, base + t + 1 - SLOTS);
        __syncthreads();
        if (!first)
            value = slots[((b - 1) * MOST_SLOTS + slot) * THREADS + me];
        value = value * 3 + b;
        unsigned *target = last ? output + t * THREADS : slots + (b * MOST_SLOTS + slot) * THREADS;
        target[me] = value;
        __syncthreads();
        if (me == 0 && !first)
            store_release(emptied + (b - 1) * LINE, base + t + 1);
        if (me == 32 && !last)
            store_release(filled + b * LINE, base + t + 1);
    }
}

static void verify(unsigned *output, int blocks)
{
    std::vector<unsigned> got(TILES * THREADS);
    CHECK(cudaMemcpy(got.data(), output, got.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (int i = 0; i < TILES * THREADS; i++) {
        unsigned value = i / THREADS * 1000 + i % THREADS;
        for (int b = 0; b < blocks; b++)
            value = value * 3 + b;
        if (got[i] != value) {
            fprintf(stderr, "stage-ring: word %d is %u\n", i, got[i]);
            exit(1);
        }
    }
    CHECK(cudaMemset(output, 0, got.size() * sizeof(unsigned)));
}

template <int SLOTS>
static void run(const char *name, int blocks)
{
    unsigned *slots = words(blocks * MOST_SLOTS * THREADS), *output = words(TILES * THREADS), base = 0;
    unsigned *filled = words(blocks * LINE), *emptied = words(blocks * LINE);
    measure(name, blocks, TILES, [&] {
        stages<SLOTS><<<blocks, THREADS>>>(slots, filled, emptied, output, base);
        base += TILES;
    });
    verify(output, blocks);
    for (unsigned *p : {slots, filled, emptied, output})
        CHECK(cudaFree(p));
}

int main()
{
    for (int blocks : {2, 8, 32, 128}) {
        run<1>("stage-ring-a", blocks);
        run<MOST_SLOTS>("stage-ring-b", blocks);
    }
    return 0;
}
