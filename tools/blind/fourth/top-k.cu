// The 64 greatest logits of each row by radix passes from the highest digit, a block for each row.
// a: four passes with digits of 8 bits; b: three passes with digits of 11 bits. ns per call; the number is
// the length of a row.
#include "../blind.h"

static const int ROWS = 32, THREADS = 256, WARPS = THREADS / 32, CHOSEN = 64;

/* Greater numbers have greater keys. */
static __device__ unsigned key_of(float number)
{
    unsigned bits = __float_as_uint(number);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

static __device__ unsigned block_scan(unsigned value, unsigned *warp_sums)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int d = 1; d < 32; d *= 2) {
        unsigned other = __shfl_up_sync(0xffffffffu, value, d);
        if (lane >= d)
            value += other;
    }
    if (lane == 31)
        warp_sums[warp] = value;
    __syncthreads();
    for (int w = 0; w < warp; w++)
        value += warp_sums[w];
    return value;
}

template <int BITS>
__global__ void choose(const float *logits, unsigned *indices, int size)
{
    const int BINS = 1 << BITS, EACH = BINS / THREADS;
    __shared__ unsigned bins[BINS], warp_sums[WARPS], digit, rest, slots, equals;
    const float *row = logits + blockIdx.x * size;
    unsigned prefix = 0, wanted = CHOSEN;
    for (int high = 32; high > 0; high -= BITS) {
        int shift = high > BITS ? high - BITS : 0;
        unsigned mask = (1u << (high - shift)) - 1;
        for (int i = threadIdx.x; i < BINS; i += THREADS)
            bins[i] = 0;
        __syncthreads();
        for (int i = threadIdx.x; i < size; i += THREADS) {
            unsigned key = key_of(row[i]);
            if (high == 32 || key >> high == prefix)
                atomicAdd(&bins[key >> shift & mask], 1u);
        }
        __syncthreads();
        /* The first thread has the highest bins. */
        unsigned mine = 0, first = BINS - 1 - threadIdx.x * EACH;
        for (int b = 0; b < EACH; b++)
            mine += bins[first - b];
        unsigned above = block_scan(mine, warp_sums) - mine;
        for (int b = 0; b < EACH; b++) {
            unsigned count = bins[first - b];
            if (above < wanted && above + count >= wanted) {
                digit = first - b;
                rest = wanted - above;
            }
            above += count;
        }
        __syncthreads();
        prefix = prefix << (high - shift) | digit;
        wanted = rest;
    }
    if (threadIdx.x == 0)
        slots = equals = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < size; i += THREADS) {
        unsigned key = key_of(row[i]);
        if (key > prefix || (key == prefix && atomicAdd(&equals, 1u) < wanted))
            indices[blockIdx.x * CHOSEN + atomicAdd(&slots, 1u)] = i;
    }
}

static void verify(const std::vector<float> &logits, unsigned *indices, int size)
{
    std::vector<unsigned> got(ROWS * CHOSEN);
    CHECK(cudaMemcpy(got.data(), indices, got.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (int r = 0; r < ROWS; r++) {
        std::vector<float> chosen, sorted(logits.begin() + r * size, logits.begin() + (r + 1) * size);
        std::sort(got.begin() + r * CHOSEN, got.begin() + (r + 1) * CHOSEN);
        for (int i = r * CHOSEN; i < (r + 1) * CHOSEN; i++) {
            if (got[i] < (unsigned)size && (i == r * CHOSEN || got[i] != got[i - 1]))
                chosen.push_back(logits[r * size + got[i]]);
        }
        std::sort(sorted.rbegin(), sorted.rend());
        std::sort(chosen.rbegin(), chosen.rend());
        sorted.resize(CHOSEN);
        if (chosen != sorted) {
            fprintf(stderr, "top-k: wrong choice from row %d of length %d\n", r, size);
            exit(1);
        }
    }
    CHECK(cudaMemset(indices, 0xff, got.size() * sizeof(unsigned)));
}

int main()
{
    for (int size : {1024, 8192}) {
        std::vector<float> host(ROWS * size);
        unsigned random = 1;
        for (float &logit : host) {
            logit = -16;
            for (int i = 0; i < 8; i++)
                logit += ((random = random * 1664525u + 1013904223u) >> 20) / 1024.0f;
        }
        float *logits = (float *)words(host.size());
        unsigned *indices = words(ROWS * CHOSEN);
        CHECK(cudaMemcpy(logits, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice));
        measure("top-k-a", size, 1, [&] { choose<8><<<ROWS, THREADS>>>(logits, indices, size); });
        verify(host, indices, size);
        measure("top-k-b", size, 1, [&] { choose<11><<<ROWS, THREADS>>>(logits, indices, size); });
        verify(host, indices, size);
        CHECK(cudaFree(logits));
        CHECK(cudaFree(indices));
    }
    return 0;
}
