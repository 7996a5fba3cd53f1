/* deepseek-ai/DeepEP#657: a TMA copy through shared memory loads the next tile into a stage whose bulk
 * store is still reading it (wait_group STAGES - 1 in place of 0). Also #660. */
// expect: right
// expect -DBROKEN: race "at bulk-store-in-flight.cu:" "a copy of block 0"
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

namespace ptx
{
__device__ __forceinline__ uint32_t addr(const void *p)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
__device__ __forceinline__ void load_1d(void *dst, const void *src, uint64_t *bar, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(addr(bar)), "r"(bytes)
                 : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            addr(dst)),
        "l"(src), "r"(bytes), "r"(addr(bar))
        : "memory");
}
__device__ __forceinline__ void store_1d(void *dst, const void *src, uint32_t bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(dst), "r"(addr(src)),
                 "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
template <int N>
__device__ __forceinline__ void store_wait_read()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
}
__device__ __forceinline__ bool try_wait(uint64_t *bar, uint32_t parity)
{
    uint32_t done;
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(addr(bar)), "r"(parity)
        : "memory");
    return done;
}
} // namespace ptx

template <int STAGES, int TILE>
__global__ void tma_copy(const int *__restrict__ in, int *__restrict__ out, int tiles)
{
    __shared__ alignas(128) int stage[STAGES][TILE];
    __shared__ alignas(8) uint64_t full[STAGES];
    if (threadIdx.x != 0)
        return;
    for (int s = 0; s < STAGES; ++s)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(ptx::addr(&full[s])) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    for (int s = 0; s < STAGES && s < tiles; ++s)
        ptx::load_1d(stage[s], in + s * TILE, &full[s], TILE * sizeof(int));
    for (int t = 0; t < tiles; ++t) {
        const int s = t % STAGES;
        while (!ptx::try_wait(&full[s], t / STAGES & 1)) {
        }
        ptx::store_1d(out + t * TILE, stage[s], TILE * sizeof(int));
        if (t + STAGES < tiles) {
#ifndef BROKEN
            ptx::store_wait_read<0>();
#else
            ptx::store_wait_read<STAGES - 1>();
#endif
            ptx::load_1d(stage[s], in + (t + STAGES) * TILE, &full[s], TILE * sizeof(int));
        }
    }
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

int main()
{
    constexpr int TILE = 64, tiles = 6, n = TILE * tiles;
    int host[n], got[n], *in, *out;
    for (int i = 0; i < n; ++i)
        host[i] = 3 * i + 1;
    cudaMalloc(&in, sizeof(host));
    cudaMalloc(&out, sizeof(got));
    cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
    tma_copy<2, TILE><<<1, 32>>>(in, out, tiles);
    if (cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost) != cudaSuccess)
        return 2;
    for (int i = 0; i < n; ++i)
        if (got[i] != host[i])
            return printf("[%d] %d, expected %d\n", i, got[i], host[i]), 1;
    return 0;
}
