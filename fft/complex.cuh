/* Complex numbers, and transforms that fit in a thread's registers. */
#ifndef FFT_COMPLEX_CUH
#define FFT_COMPLEX_CUH

#include "harness/kernel.cuh"

#include <math.h>

static __device__ __forceinline__ float2 add(float2 a, float2 b)
{
    return make_float2(a.x + b.x, a.y + b.y);
}
static __device__ __forceinline__ float2 subtract(float2 a, float2 b)
{
    return make_float2(a.x - b.x, a.y - b.y);
}
static __device__ __forceinline__ float2 multiply(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/*
 * exp(-2 pi i k / 2^LOG_N), for k up to 2^LOG_N, which is at least 8: from the nearest quarter turn, at most
 * an eighth away, by Taylor's series, whose first omitted terms are below 2e-9. The library's sincospif takes
 * twice the instructions, as it does not know that k is an integer.
 */
template <int LOG_N>
static __device__ __forceinline__ float2 root(unsigned k)
{
    unsigned quarter = (k + (1u << (LOG_N - 3))) >> (LOG_N - 2);
    float x = (float)(int)(k - (quarter << (LOG_N - 2))) * (2.0f / (float)(1u << LOG_N)), t = x * x;
    float rest =
        -8.7422777e-8f + t * (-5.16771278f + t * (2.55016404f + t * (-0.59926453f + t * 0.08214589f)));
    float s = x * 3.14159274f + x * rest; /* pi is the sum of two numbers */
    float c = 1.0f + t * (-4.93480220f +
                          t * (4.05871213f + t * (-1.33526277f + t * (0.23533063f + t * -0.02580689f))));
    float re = quarter & 1 ? s : c, im = quarter & 1 ? c : s;
    return make_float2((quarter + 1) & 2 ? -re : re, quarter & 2 ? im : -im);
}

/*
 * Zero, but not before these values are computed. To save registers, the compiler would compute roots where
 * they are used, after loads and barriers; an address to which this zero is added forces it to compute them
 * while the loads are in flight. The compiler does not know that blocks have one dimension.
 */
template <int COUNT>
static __device__ __forceinline__ unsigned zero_after(const float2 *w)
{
    unsigned bits = 0;
#ifndef GPUSYNC_MACHINE
    UNROLL(32)
    for (int i = 0; i < COUNT; i++)
        bits ^= __float_as_uint(w[i].x) ^ __float_as_uint(w[i].y);
#else
    (void)w;
#endif
    return bits & (blockDim.y - 1);
}

/* powers[r] = w^r, each a product of two powers of about half its exponent, so that rounding errors do not
 * add up. */
template <int COUNT>
static __device__ __forceinline__ void powers_of(float2 w, float2 *powers)
{
    powers[0] = make_float2(1, 0);
    powers[COUNT > 1 ? 1 : 0] = COUNT > 1 ? w : powers[0];
    UNROLL(16)
    for (int r = 2; r < COUNT; r++)
        powers[r] = multiply(powers[r / 2], powers[r - r / 2]);
}

/* o times exp(-2 pi i k / COUNT), k and COUNT known to the compiler. */
template <int COUNT>
static __device__ __forceinline__ float2 turned(float2 o, int k)
{
    const float half = 0.70710678118655f, c16 = 0.92387953251129f, s16 = 0.38268343236509f;
    switch (16 / COUNT * k) {
    case 0:
        return o;
    case 1:
        return multiply(o, make_float2(c16, -s16));
    case 2:
        return make_float2(half * (o.x + o.y), half * (o.y - o.x));
    case 3:
        return multiply(o, make_float2(s16, -c16));
    case 4:
        return make_float2(o.y, -o.x);
    case 5:
        return multiply(o, make_float2(-s16, -c16));
    case 6:
        return make_float2(half * (o.y - o.x), -half * (o.x + o.y));
    default:
        return multiply(o, make_float2(-c16, -s16));
    }
}

/* The transform of 1, 2, 4, 8 or 16 values in place, in natural order, by halves (decimation in time). */
template <int COUNT>
static __device__ __forceinline__ void transform(float2 *v)
{
    if constexpr (COUNT > 1) {
        float2 even[COUNT / 2], odd[COUNT / 2];
        UNROLL(8)
        for (int k = 0; k < COUNT / 2; k++) {
            even[k] = v[2 * k];
            odd[k] = v[2 * k + 1];
        }
        transform<COUNT / 2>(even);
        transform<COUNT / 2>(odd);
        UNROLL(8)
        for (int k = 0; k < COUNT / 2; k++) {
            float2 o = turned<COUNT>(odd[k], k);
            v[k] = add(even[k], o);
            v[k + COUNT / 2] = subtract(even[k], o);
        }
    }
}

#endif
