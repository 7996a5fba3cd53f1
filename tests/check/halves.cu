/* Numbers of 16 and 8 bits, by the CUDA Toolkit's own headers: arithmetic, conversions, shuffles, atomics. */
// expect: right
// expect -DWITHOUT_ATOMICS: race "sum[0] = sum[0] + one"
// expect -DTENSOR: right
#include "tools/bugs/bug.h"
#ifdef TENSOR
#include <mma.h>
#endif
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

template <class Half>
__global__ void add_up(Half *sum, Half one)
{
#ifdef WITHOUT_ATOMICS
    sum[0] = sum[0] + one;
#else
    atomicAdd(sum, one);
#endif
}

__device__ bool near(float value, float wanted)
{
    return fabsf(value - wanted) <= 0.01f * fabsf(wanted) + 1e-6f;
}

__global__ void compute(int *wrong)
{
    int lane = threadIdx.x;
    __half h = __int2half_rn(lane + 1);
    __half2 h2 = __halves2half2(h, __float2half(2.0f));
    __nv_bfloat16 b = __float2bfloat16(lane + 1.0f);
    bool good = near(__half2float(h * h + h), (lane + 1.0f) * (lane + 2)) &&
                near(__half2float(hsqrt(h)), sqrtf(lane + 1)) &&
                near(__half2float(hexp(__hneg(h))), expf(-(lane + 1))) && __hgt(h, __float2half(0.5f)) &&
                near(__half2float(hrcp(h)), 1.0f / (lane + 1)) &&
                near(__high2float(__hfma2(h2, h2, h2)), 6) &&
                near(__low2float(__hadd2(h2, h2)), 2.0f * (lane + 1)) &&
                near(__half2float(__hmax(h, __float2half(7.0f))), fmaxf(lane + 1, 7)) &&
                near(__bfloat162float(__hfma(b, b, b)), (lane + 1.0f) * (lane + 2)) &&
                near(__half2float(__shfl_xor_sync(0xffffffff, h, 1)), (lane ^ 1) + 1) &&
                near(__low2float(__shfl_sync(0xffffffff, h2, 3)), 4) &&
                near(float(__nv_fp8_e4m3(0.25f * (lane % 8 + 8))), 0.25f * (lane % 8 + 8));
    if (!good)
        atomicAdd(wrong, 1);
}

int main()
{
    __half *h = new_zeros<__half>(1);
    __half2 *h2 = new_zeros<__half2>(1);
    __nv_bfloat16 *b = new_zeros<__nv_bfloat16>(1);
    int *wrong = new_zeros(1);
    add_up<<<2, 32>>>(h, __float2half(0.5f));
    add_up<<<2, 32>>>(h2, __floats2half2_rn(0.5f, 1.0f));
    add_up<<<2, 32>>>(b, __float2bfloat16(0.5f));
    compute<<<1, 32>>>(wrong);
    return is_wrong(h, 1, [](int) { return 32; }) || is_wrong(&h2->y, 1, [](int) { return 64; }) ||
           is_wrong(b, 1, [](int) { return 32; }) || is_wrong(wrong, 1, [](int) { return 0; });
}
