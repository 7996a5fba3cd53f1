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
 * Returns exp(-2 pi i k / 2^LOG_N) for k up to 2^LOG_N, which is at least 8. It is computed from the nearest
 * quarter turn, at most an eighth away, by a Taylor series, whose first omitted terms are below 2e-9. The
 * library's sincospif takes twice the instructions, because it does not know that k is an integer.
 */
template <int LOG_N>
static __device__ __forceinline__ float2 root(unsigned k)
{
    unsigned quarter = (k + (1u << (LOG_N - 3))) >> (LOG_N - 2);
    float x = (float)(int)(k - (quarter << (LOG_N - 2))) * (2.0f / (float)(1u << LOG_N)), t = x * x;
    float rest =
        -8.7422777e-8f + t * (-5.16771278f + t * (2.55016404f + t * (-0.59926453f + t * 0.08214589f)));
    float s = x * 3.14159274f + x * rest; /* pi is split into two numbers: 3.14159274 and -8.7422777e-8 */
    float c = 1.0f + t * (-4.93480220f +
                          t * (4.05871213f + t * (-1.33526277f + t * (0.23533063f + t * -0.02580689f))));
    float re = quarter & 1 ? s : c, im = quarter & 1 ? c : s;
    return make_float2((quarter + 1) & 2 ? -re : re, quarter & 2 ? im : -im);
}

/*
 * Returns zero, but not before the COUNT values at `w` are computed. To save registers, the compiler would
 * compute roots of unity only where they are used, after loads and barriers; an address to which this zero is
 * added forces it to compute them while the loads are in flight. It works because the compiler does not know
 * that blocks have one dimension.
 */
template <int COUNT>
static __device__ __forceinline__ unsigned zero_after(const float2 *w)
{
    unsigned bits = 0;
    UNROLL(32)
    for (int i = 0; i < COUNT; i++)
        bits ^= __float_as_uint(w[i].x) ^ __float_as_uint(w[i].y);
    return bits & (blockDim.y - 1);
}

/*
 * The powers w^r for r < COUNT, at most 32. Each is a product of two powers with about half its exponent, so
 * that rounding errors do not add up. An error of w is r times as large in w^r: so the powers from w^16 on
 * come from a separate root w^16, and are multiplied where they are used, because not all would fit in
 * registers.
 */
template <int COUNT>
struct powers_of {
    static constexpr int ROOTS = COUNT > 16 ? 2 : 1, KEPT = COUNT > 16 ? 16 : COUNT;
    float2 low[KEPT], w16;

    /* Computes the powers from roots[0], which is w, and, if COUNT is more than 16, from roots[1], which is
     * w^16. */
    __device__ __forceinline__ explicit powers_of(const float2 *roots) : w16(roots[ROOTS - 1])
    {
        low[0] = make_float2(1, 0);
        low[KEPT > 1 ? 1 : 0] = KEPT > 1 ? roots[0] : low[0];
        UNROLL(16)
        for (int r = 2; r < KEPT; r++)
            low[r] = multiply(low[r / 2], low[r - r / 2]);
    }
    __device__ __forceinline__ float2 operator[](int r) const
    {
        return r < KEPT ? low[r] : r == KEPT ? w16 : multiply(w16, low[r % KEPT]);
    }
};

/* Returns o exp(-2 pi i k / COUNT), where the compiler knows k and COUNT. */
template <int COUNT>
static __device__ __forceinline__ float2 turned(float2 o, int k)
{
    const float half = 0.70710678118655f;
    /* c1 to c7: ck is cos(2 pi k / 32) */
    const float c1 = 0.98078528040323f, c2 = 0.92387953251129f, c3 = 0.83146961230255f,
                c5 = 0.55557023301960f, c6 = 0.38268343236509f, c7 = 0.19509032201613f;
    switch (32 / COUNT * k) {
    case 0:
        return o;
    case 1:
        return multiply(o, make_float2(c1, -c7));
    case 2:
        return multiply(o, make_float2(c2, -c6));
    case 3:
        return multiply(o, make_float2(c3, -c5));
    case 4:
        return make_float2(half * (o.x + o.y), half * (o.y - o.x));
    case 5:
        return multiply(o, make_float2(c5, -c3));
    case 6:
        return multiply(o, make_float2(c6, -c2));
    case 7:
        return multiply(o, make_float2(c7, -c1));
    case 8:
        return make_float2(o.y, -o.x);
    case 9:
        return multiply(o, make_float2(-c7, -c1));
    case 10:
        return multiply(o, make_float2(-c6, -c2));
    case 11:
        return multiply(o, make_float2(-c5, -c3));
    case 12:
        return make_float2(half * (o.y - o.x), -half * (o.x + o.y));
    case 13:
        return multiply(o, make_float2(-c3, -c5));
    case 14:
        return multiply(o, make_float2(-c2, -c6));
    default:
        return multiply(o, make_float2(-c1, -c7));
    }
}

/* Transforms COUNT values, 1 to 32, in place and in natural order, by halves (decimation in time). */
template <int COUNT>
static __device__ __forceinline__ void transform(float2 *v)
{
    if constexpr (COUNT > 1) {
        float2 even[COUNT / 2], odd[COUNT / 2];
        UNROLL(16)
        for (int k = 0; k < COUNT / 2; k++) {
            even[k] = v[2 * k];
            odd[k] = v[2 * k + 1];
        }
        transform<COUNT / 2>(even);
        transform<COUNT / 2>(odd);
        UNROLL(16)
        for (int k = 0; k < COUNT / 2; k++) {
            float2 o = turned<COUNT>(odd[k], k);
            v[k] = add(even[k], o);
            v[k + COUNT / 2] = subtract(even[k], o);
        }
    }
}

#endif
