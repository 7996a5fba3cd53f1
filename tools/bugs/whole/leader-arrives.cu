/* triton-lang/triton#10035: one warp of a consumer group arrives at the "empty" mbarrier while another
 * still waits for the "full" phase, which then flips twice. */
// expect: right
// expect -DBROKEN: hang "reads slot, which"
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

__device__ __forceinline__ uint32_t smem(const void *p)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
__device__ __forceinline__ void mbar_init(uint64_t *bar, uint32_t count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(smem(bar)), "r"(count) : "memory");
}
__device__ __forceinline__ void mbar_arrive(uint64_t *bar)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(smem(bar)) : "memory");
}
__device__ __forceinline__ void mbar_wait(uint64_t *bar, uint32_t parity)
{
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "SPIN:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@done bra.uni OUT;\n"
                 "bra.uni SPIN;\n"
                 "OUT:\n"
                 "}" ::"r"(smem(bar)),
                 "r"(parity)
                 : "memory");
}

__global__ void __launch_bounds__(96) stream(const int *__restrict__ in, int *__restrict__ out, int n)
{
    __shared__ alignas(8) uint64_t full, empty;
    __shared__ int slot;
    if (threadIdx.x == 0) {
        mbar_init(&full, 1);
        mbar_init(&empty, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x < 32) { // producer
        if (threadIdx.x == 0)
            for (int k = 0; k < n; ++k) {
                mbar_wait(&empty, (k & 1) ^ 1);
                slot = in[k];
                mbar_arrive(&full);
            }
    } else { // the two consumer warps
        int acc = 0;
        for (int k = 0; k < n; ++k) {
            mbar_wait(&full, k & 1);
            acc += slot;
#ifndef BROKEN
            asm volatile("bar.sync 1, 64;" ::: "memory");
#endif
            if (threadIdx.x == 32)
                mbar_arrive(&empty);
        }
        out[threadIdx.x - 32] = acc;
    }
}

int main()
{
    constexpr int n = 8;
    int host[n], got[64], sum = 0, *in, *out;
    for (int i = 0; i < n; ++i)
        sum += host[i] = i + 1;
    cudaMalloc(&in, sizeof(host));
    cudaMalloc(&out, sizeof(got));
    cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
    stream<<<1, 96>>>(in, out, n);
    if (cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost) != cudaSuccess)
        return 2;
    for (int g : got)
        if (g != sum)
            return printf("%d, expected %d\n", g, sum), 1;
    return 0;
}
