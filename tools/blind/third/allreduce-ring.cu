// Adds up vectors of all blocks by a ring, a chunk a step, in NCCL's manner.
// a: protocol LL (data and flag in one 64-bit word); b: data, then a flag. ns per step; the number: blocks.
#include "../blind.h"

static const int LANES = 32;

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

/* The inbox of each block has a chunk per step, so that nobody waits for room. */
template <bool LL>
static __device__ void send(unsigned long long *inbox, unsigned *flags, int step, unsigned value,
                            unsigned epoch)
{
    if (LL) {
        ((volatile unsigned long long *)inbox)[step * LANES + threadIdx.x] =
            (unsigned long long)epoch << 32 | value;
    } else {
        ((unsigned *)inbox)[step * LANES + threadIdx.x] = value;
        __syncwarp();
        if (threadIdx.x == 0)
            store_release(flags + step, epoch);
    }
}

template <bool LL>
static __device__ unsigned receive(unsigned long long *inbox, unsigned *flags, int step, unsigned epoch)
{
    if (LL) {
        unsigned long long both;
        do
            both = ((volatile unsigned long long *)inbox)[step * LANES + threadIdx.x];
        while (both >> 32 != epoch);
        return (unsigned)both;
    }
    if (threadIdx.x == 0)
        while (load_acquire(flags + step) != epoch)
            ;
    __syncwarp();
    return ((unsigned *)inbox)[step * LANES + threadIdx.x];
}

template <bool LL>
__global__ void allreduce(const unsigned *input, unsigned *output, unsigned long long *inboxes,
                          unsigned *flags, unsigned epoch)
{
    int n = gridDim.x, b = blockIdx.x, right = (b + 1) % n, steps = 2 * (n - 1);
    unsigned long long *own = inboxes + b * steps * LANES, *other = inboxes + right * steps * LANES;
    unsigned value = input[(b * n + b) * LANES + threadIdx.x];
    for (int s = 0; s < steps; s++) {
        send<LL>(other, flags + right * steps, s, value, epoch);
        int chunk = (b - s - 1 + 2 * n) % n;
        value = receive<LL>(own, flags + b * steps, s, epoch);
        if (s < n - 1)
            value += input[(b * n + chunk) * LANES + threadIdx.x];
        if (s >= n - 2)
            output[(b * n + chunk) * LANES + threadIdx.x] = value;
    }
}

static void verify(const std::vector<unsigned> &input, unsigned *output, int n)
{
    std::vector<unsigned> got(input.size()), sum(n * LANES);
    for (size_t i = 0; i < input.size(); i++)
        sum[i % sum.size()] += input[i];
    CHECK(cudaMemcpy(got.data(), output, got.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < got.size(); i++)
        if (got[i] != sum[i % sum.size()]) {
            fprintf(stderr, "allreduce-ring: word %zu of %d blocks is %u\n", i, n, got[i]);
            exit(1);
        }
    CHECK(cudaMemset(output, 0, got.size() * sizeof(unsigned)));
}

int main()
{
    for (int n : {2, 8, 32, 64}) {
        int steps = 2 * (n - 1);
        std::vector<unsigned> host(n * n * LANES);
        for (size_t i = 0; i < host.size(); i++)
            host[i] = (unsigned)i * 2654435761u;
        unsigned *input = words(host.size()), *output = words(host.size()), *flags = words(n * steps);
        unsigned *inboxes = words((size_t)2 * n * steps * LANES), epoch = 0;
        CHECK(cudaMemcpy(input, host.data(), host.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
        measure("allreduce-ring-a", n, steps, [&] {
            allreduce<true><<<n, LANES>>>(input, output, (unsigned long long *)inboxes, flags, ++epoch);
        });
        verify(host, output, n);
        measure("allreduce-ring-b", n, steps, [&] {
            allreduce<false><<<n, LANES>>>(input, output, (unsigned long long *)inboxes, flags, ++epoch);
        });
        verify(host, output, n);
        for (unsigned *p : {input, output, flags, inboxes})
            CHECK(cudaFree(p));
    }
    return 0;
}
