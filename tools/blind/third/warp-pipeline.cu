// A producer warp hands tiles to three consumer warps through slots, as in FlashAttention-3 and CUTLASS.
// a: by named barriers; b: by mbarriers. ns per tile; the number is the number of slots.
#include "../blind.h"

static const int BLOCKS = 16, TILES = 64, CONSUMERS = 96, THREADS = 128;

static __device__ void bar_sync(int barrier, int threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

static __device__ void bar_arrive(int barrier, int threads)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

static __device__ void mbar_init(unsigned long long *barrier, unsigned arrivals)
{
    unsigned address = (unsigned)__cvta_generic_to_shared(barrier);
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address), "r"(arrivals) : "memory");
}

static __device__ void mbar_arrive(unsigned long long *barrier)
{
    unsigned address = (unsigned)__cvta_generic_to_shared(barrier);
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(address) : "memory");
}

static __device__ void mbar_wait(unsigned long long *barrier, unsigned parity)
{
    unsigned address = (unsigned)__cvta_generic_to_shared(barrier), done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2;"
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(address), "r"(parity)
                     : "memory");
}

template <int SLOTS, bool NAMED>
__global__ void pipeline(const unsigned *input, unsigned *output)
{
    __shared__ unsigned slots[SLOTS][CONSUMERS];
    __shared__ unsigned long long full[SLOTS], empty[SLOTS];
    if (!NAMED && threadIdx.x < SLOTS) {
        mbar_init(&full[threadIdx.x], 1);
        mbar_init(&empty[threadIdx.x], CONSUMERS / 32);
    }
    __syncthreads();
    int lane = threadIdx.x % 32;
    if (threadIdx.x >= CONSUMERS) {
        for (int t = 0; t < TILES; t++) {
            int s = t % SLOTS;
            const unsigned *tile = input + (blockIdx.x * TILES + t) * CONSUMERS;
            unsigned x = tile[lane], y = tile[lane + 32], z = tile[lane + 64];
            if (t >= SLOTS) {
                if (NAMED)
                    bar_sync(1 + SLOTS + s, THREADS);
                else
                    mbar_wait(&empty[s], (t / SLOTS - 1) & 1);
            }
            slots[s][lane] = x;
            slots[s][lane + 32] = y;
            slots[s][lane + 64] = z;
            __syncwarp();
            if (NAMED)
                bar_arrive(1 + s, THREADS);
            else if (lane == 0)
                mbar_arrive(&full[s]);
        }
        return;
    }
    unsigned sum = 0;
    for (int t = 0; t < TILES; t++) {
        int s = t % SLOTS;
        if (NAMED)
            bar_sync(1 + s, THREADS);
        else
            mbar_wait(&full[s], (t / SLOTS) & 1);
        for (int k = 0; k < 4; k++)
            sum = sum * 3 + slots[s][(threadIdx.x + k * 17) % CONSUMERS];
        __syncwarp();
        if (t + SLOTS < TILES) {
            if (NAMED)
                bar_arrive(1 + SLOTS + s, THREADS);
            else if (lane == 0)
                mbar_arrive(&empty[s]);
        }
    }
    output[blockIdx.x * CONSUMERS + threadIdx.x] = sum;
}

static void verify(const std::vector<unsigned> &input, unsigned *output)
{
    std::vector<unsigned> got(BLOCKS * CONSUMERS);
    CHECK(cudaMemcpy(got.data(), output, got.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (int i = 0; i < BLOCKS * CONSUMERS; i++) {
        unsigned sum = 0;
        for (int t = 0; t < TILES; t++)
            for (int k = 0; k < 4; k++)
                sum = sum * 3 + input[(i / CONSUMERS * TILES + t) * CONSUMERS + (i + k * 17) % CONSUMERS];
        if (got[i] != sum) {
            fprintf(stderr, "warp-pipeline: sum %d is %u\n", i, got[i]);
            exit(1);
        }
    }
    CHECK(cudaMemset(output, 0, got.size() * sizeof(unsigned)));
}

template <int SLOTS>
static void run(const std::vector<unsigned> &host, unsigned *input, unsigned *output)
{
    measure("warp-pipeline-a", SLOTS, TILES,
            [&] { pipeline<SLOTS, true><<<BLOCKS, THREADS>>>(input, output); });
    verify(host, output);
    measure("warp-pipeline-b", SLOTS, TILES,
            [&] { pipeline<SLOTS, false><<<BLOCKS, THREADS>>>(input, output); });
    verify(host, output);
}

int main()
{
    std::vector<unsigned> host(BLOCKS * TILES * CONSUMERS);
    for (size_t i = 0; i < host.size(); i++)
        host[i] = (unsigned)i * 2654435761u >> 7;
    unsigned *input = words(host.size()), *output = words(BLOCKS * CONSUMERS);
    CHECK(cudaMemcpy(input, host.data(), host.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
    run<1>(host, input, output);
    run<2>(host, input, output);
    run<4>(host, input, output);
    return 0;
}
