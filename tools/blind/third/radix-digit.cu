// A pass of radix sort by a digit of 4 bits (count, scan, stable scatter: 3 launches), as in CUB.
// a: ranks within warps by __match_any_sync; b: by a ballot per bit. ns per pass; the number: tiles.
#include "../blind.h"

static const int TILE = 256, DIGITS = 16, SCANNERS = 1024;

__global__ void count(const unsigned *keys, unsigned *counts)
{
    __shared__ unsigned bins[DIGITS];
    if (threadIdx.x < DIGITS)
        bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[keys[blockIdx.x * TILE + threadIdx.x] % DIGITS], 1u);
    __syncthreads();
    if (threadIdx.x < DIGITS)
        counts[threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];
}

/* Replaces the counts by their exclusive prefix sums; one block. */
__global__ void scan(unsigned *counts, int size)
{
    __shared__ unsigned sums[SCANNERS / 32];
    int share = (size + SCANNERS - 1) / SCANNERS, lane = threadIdx.x % 32;
    int begin = min(size, (int)threadIdx.x * share), end = min(size, begin + share);
    unsigned own = 0;
    for (int i = begin; i < end; i++)
        own += counts[i];
    unsigned prefix = own;
    for (int d = 1; d < 32; d *= 2) {
        unsigned other = __shfl_up_sync(0xffffffffu, prefix, d);
        if (lane >= d)
            prefix += other;
    }
    if (lane == 31)
        sums[threadIdx.x / 32] = prefix;
    __syncthreads();
    prefix -= own;
    for (int w = 0; w < threadIdx.x / 32; w++)
        prefix += sums[w];
    for (int i = begin; i < end; i++) {
        unsigned next = prefix + counts[i];
        counts[i] = prefix;
        prefix = next;
    }
}

template <bool BALLOTS>
__global__ void scatter(const unsigned *keys, const unsigned *starts, unsigned *sorted)
{
    __shared__ unsigned counts[TILE / 32][DIGITS];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int i = threadIdx.x; i < TILE / 32 * DIGITS; i += TILE)
        counts[i / DIGITS][i % DIGITS] = 0;
    unsigned key = keys[blockIdx.x * TILE + threadIdx.x], digit = key % DIGITS, equals = 0xffffffffu;
    __syncthreads();
    if (BALLOTS) {
        for (int bit = 0; bit < 4; bit++) {
            unsigned ones = __ballot_sync(0xffffffffu, digit >> bit & 1);
            equals &= digit >> bit & 1 ? ones : ~ones;
        }
    } else {
        equals = __match_any_sync(0xffffffffu, digit);
    }
    unsigned rank = __popc(equals & ((1u << lane) - 1));
    if (rank == 0)
        counts[warp][digit] = __popc(equals);
    __syncthreads();
    for (int w = 0; w < warp; w++)
        rank += counts[w][digit];
    sorted[starts[digit * gridDim.x + blockIdx.x] + rank] = key;
}

static void verify(std::vector<unsigned> keys, unsigned *sorted)
{
    std::vector<unsigned> got(keys.size());
    CHECK(cudaMemcpy(got.data(), sorted, got.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
    std::stable_sort(keys.begin(), keys.end(),
                     [](unsigned x, unsigned y) { return x % DIGITS < y % DIGITS; });
    if (got != keys) {
        fprintf(stderr, "radix-digit: wrong order of %zu keys\n", got.size());
        exit(1);
    }
    CHECK(cudaMemset(sorted, 0, got.size() * sizeof(unsigned)));
}

int main()
{
    for (int tiles : {8, 64, 256}) {
        std::vector<unsigned> host(tiles * TILE);
        for (size_t i = 0; i < host.size(); i++)
            host[i] = (unsigned)i * 2654435761u >> 11;
        unsigned *keys = words(host.size()), *sorted = words(host.size()), *counts = words(tiles * DIGITS);
        CHECK(cudaMemcpy(keys, host.data(), host.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
        measure("radix-digit-a", tiles, 1, [&] {
            count<<<tiles, TILE>>>(keys, counts);
            scan<<<1, SCANNERS>>>(counts, tiles * DIGITS);
            scatter<false><<<tiles, TILE>>>(keys, counts, sorted);
        });
        verify(host, sorted);
        measure("radix-digit-b", tiles, 1, [&] {
            count<<<tiles, TILE>>>(keys, counts);
            scan<<<1, SCANNERS>>>(counts, tiles * DIGITS);
            scatter<true><<<tiles, TILE>>>(keys, counts, sorted);
        });
        verify(host, sorted);
        for (unsigned *p : {keys, sorted, counts})
            CHECK(cudaFree(p));
    }
    return 0;
}
