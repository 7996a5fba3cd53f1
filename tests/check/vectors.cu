/* The items of a strong access of eight aligned bytes stay together, as CUB's scans rely on: a new status
 * comes with its value. Items that were accessed alone before are accesses of their own, as PTX says. */
// expect: right
// expect -DPARTED: wrong "the program ended with status 1"
#include <cstdio>

__device__ uint2 cell;

__global__ void hand_over(unsigned *out)
{
    unsigned status, value, again;
    if (blockIdx.x == 0) {
#ifdef PARTED
        asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(&cell.y), "r"(42u) : "memory");
        asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(&cell.x), "r"(1u) : "memory");
#else
        asm volatile("st.relaxed.gpu.global.v2.u32 [%0], {%1, %2};" ::"l"(&cell), "r"(1u), "r"(42u)
                     : "memory");
#endif
        return;
    }
    do
        asm volatile("ld.relaxed.gpu.global.v2.u32 {%0, %1}, [%2];"
                     : "=r"(status), "=r"(value)
                     : "l"(&cell)
                     : "memory");
    while (status == 0);
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(again) : "l"(&cell.x) : "memory");
    *out = value + again;
}

int main()
{
    unsigned *out, got;
    const uint2 none = {0, 0};
    cudaMalloc(&out, sizeof *out);
    cudaMemcpyToSymbol(cell, &none, sizeof none);
    hand_over<<<2, 1>>>(out);
    cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost);
    return got != 43;
}
