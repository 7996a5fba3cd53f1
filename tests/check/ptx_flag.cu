/* A flag is set and polled by inline PTX, and the loop that waits for an mbarrier has labels. The program is
 * right with the release, and has a race without it. */
// expect: right
// expect -DNO_RELEASE: race "out[threadIdx.x] = data[threadIdx.x]"
#include <cstdint>
#include <cstdio>

__device__ unsigned flag;

__device__ __forceinline__ void publish(unsigned *p)
{
#ifdef NO_RELEASE
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(1) : "memory");
#else
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(1) : "memory");
#endif
}
__device__ __forceinline__ unsigned look(const unsigned *p)
{
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
}

__global__ void pass(int *data, int *out)
{
    __shared__ alignas(8) uint64_t bar;
    unsigned bar_at = (unsigned)__cvta_generic_to_shared(&bar);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar_at), "r"(blockDim.x));
    __syncthreads();
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x * 3;
    } else if (threadIdx.x == 0) {
        while (!look(&flag)) {
        }
    }
    asm volatile("{\n\t"
                 ".reg .b64 state;\n\t"
                 "mbarrier.arrive.shared::cta.b64 state, [%0];\n\t"
                 "}" ::"r"(bar_at));
    asm volatile("{\n\t"
                 ".reg .pred done;\n\t"
                 "again:\n\t"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1; // at most a while\n\t"
                 "@done bra.uni over;\n\t"
                 "bra.uni again;\n\t"
                 "over:\n\t"
                 "}" ::"r"(bar_at),
                 "r"(0));
    if (blockIdx.x == 0 && threadIdx.x == 0)
        publish(&flag);
    if (blockIdx.x == 1)
        out[threadIdx.x] = data[threadIdx.x];
}

int main()
{
    int *data, *out, host[32];
    cudaMalloc((void **)&data, sizeof host);
    cudaMalloc((void **)&out, sizeof host);
    pass<<<2, 32>>>(data, out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++)
        if (host[i] != 3 * i)
            return 1;
    return 0;
}
