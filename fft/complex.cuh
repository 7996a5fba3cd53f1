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

/* exp(-2 pi i share), for 0 <= share < 1. */
static __device__ __forceinline__ float2 root(float share)
{
    float2 w;
#ifdef GPUSYNC_MACHINE
    w = make_float2(cosf(-2 * (float)M_PI * share), sinf(-2 * (float)M_PI * share));
#else
    sincospif(-2 * share, &w.y, &w.x);
#endif
    return w;
}

/* Keeps the compiler from making it only where it is needed, behind loads and barriers that it could overlap. */
static __device__ __forceinline__ void make_now(float2 w)
{
#ifndef GPUSYNC_MACHINE
    asm volatile("" ::"f"(w.x), "f"(w.y));
#else
    (void)w;
#endif
}

/* powers[r] = w^r, each a product of two of about half its exponent, so that rounding errors do not add up. */
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
