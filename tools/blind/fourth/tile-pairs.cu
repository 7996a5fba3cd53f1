// Pairs of blocks: one makes tiles of 4 KB in a ring of four in global memory, the other one folds them.
// a: one thread of a block signals for the whole tile; b: each warp hands over its own eighth of the tile.
// ns per tile; the number is the number of pairs.
#include "../blind.h"
#include <cuda/atomic>

static const int SLOTS = 4, TILES = 24, THREADS = 256, WARPS = THREADS / 32;
using Counter = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

static __host__ __device__ unsigned mix(unsigned x)
{
    for (int i = 0; i < 4; i++)
        x = (x ^ x >> 15) * 2246822519u + 1;
    return x;
}

template <bool WHOLE>
static __device__ void gather()
{
    if (WHOLE)
        __syncthreads();
    else
        __syncwarp();
}

/* `made` and `folded` of a pair count tiles; each warp has its own counters in a line, of which a uses the
 * first ones. `base` is the number of tiles of earlier calls. */
template <bool WHOLE>
__global__ void pairs(const uint4 *source, uint4 *rings, unsigned *counters, unsigned *results, unsigned base)
{
    int pair = blockIdx.x / 2, part = WHOLE ? 0 : threadIdx.x / 32;
    bool leads = threadIdx.x % (WHOLE ? THREADS : 32) == 0;
    uint4 *ring = rings + pair * SLOTS * THREADS + threadIdx.x;
    Counter made(counters[(pair * WARPS + part) * 64]), folded(counters[(pair * WARPS + part) * 64 + 32]);
    if (blockIdx.x % 2 == 0) {
        for (unsigned i = 0; i < TILES; i++) {
            uint4 tile = source[i * THREADS + threadIdx.x];
            tile = make_uint4(mix(tile.x + pair), mix(tile.y + pair), mix(tile.z + pair), mix(tile.w + pair));
            if (leads)
                while ((int)(base + i - folded.load(cuda::memory_order_acquire)) >= SLOTS)
                    ;
            gather<WHOLE>();
            ring[(base + i) % SLOTS * THREADS] = tile;
            gather<WHOLE>();
            if (leads)
                made.store(base + i + 1, cuda::memory_order_release);
        }
    } else {
        unsigned fold = 0;
        for (unsigned i = 0; i < TILES; i++) {
            if (leads)
                while ((int)(made.load(cuda::memory_order_acquire) - (base + i)) <= 0)
                    ;
            gather<WHOLE>();
            uint4 tile = ring[(base + i) % SLOTS * THREADS];
            fold = mix(fold + tile.x) ^ mix(tile.y) ^ mix(tile.z) ^ mix(tile.w);
            gather<WHOLE>();
            if (leads)
                folded.store(base + i + 1, cuda::memory_order_release);
        }
        results[pair * THREADS + threadIdx.x] = fold;
    }
}

static void verify(const std::vector<unsigned> &source, unsigned *results, int pair_count)
{
    std::vector<unsigned> got(pair_count * THREADS);
    CHECK(cudaMemcpy(got.data(), results, got.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (int i = 0; i < pair_count * THREADS; i++) {
        unsigned fold = 0, pair = i / THREADS;
        for (int t = 0; t < TILES; t++) {
            const unsigned *v = &source[(t * THREADS + i % THREADS) * 4];
            fold = mix(fold + mix(v[0] + pair)) ^ mix(mix(v[1] + pair)) ^ mix(mix(v[2] + pair)) ^
                   mix(mix(v[3] + pair));
        }
        if (got[i] != fold) {
            fprintf(stderr, "tile-pairs: thread %d of pair %u has %u, not %u\n", i % THREADS, pair, got[i],
                    fold);
            exit(1);
        }
    }
    CHECK(cudaMemset(results, 0, got.size() * sizeof(unsigned)));
}

template <bool WHOLE>
static void run(const char *name, const std::vector<unsigned> &host, int pair_count)
{
    unsigned *source = words(host.size()), *rings = words(pair_count * SLOTS * THREADS * 4), base = 0;
    unsigned *counters = words(pair_count * WARPS * 64), *results = words(pair_count * THREADS);
    CHECK(cudaMemcpy(source, host.data(), host.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
    measure(name, pair_count, TILES, [&] {
        pairs<WHOLE><<<2 * pair_count, THREADS>>>((uint4 *)source, (uint4 *)rings, counters, results, base);
        base += TILES;
    });
    verify(host, results, pair_count);
    for (unsigned *p : {source, rings, counters, results})
        CHECK(cudaFree(p));
}

int main()
{
    std::vector<unsigned> host(TILES * THREADS * 4);
    for (size_t i = 0; i < host.size(); i++)
        host[i] = i * 2654435761u;
    for (int pair_count : {1, 8, 66}) {
        run<true>("tile-pairs-a", host, pair_count);
        run<false>("tile-pairs-b", host, pair_count);
    }
    return 0;
}
