/*
 * CUDA's mathematical functions that the C library lacks (CUDA Math API, "Mathematical Functions"), and its
 * integer functions ("Integer Intrinsics") beyond those of gpusync/arithmetic.h. The results are as exact as
 * the C library's, so that the last bits may differ from those of a GPU.
 */
#ifndef GPUSYNC_CHECK_MATHEMATICS_H
#define GPUSYNC_CHECK_MATHEMATICS_H

/* Defines a function of double by the expression, and also the function of float, whose name ends in f. */
#define BOTH(name, parameters, values, expression)                                                           \
    CHECK_DEVICE double name parameters(double)                                                              \
    {                                                                                                        \
        typedef double real;                                                                                 \
        return (real)(expression);                                                                           \
    }                                                                                                        \
    CHECK_DEVICE float name##f parameters(float)                                                             \
    {                                                                                                        \
        return (float)name values;                                                                           \
    }
#define OF_1(type) (type x)
#define OF_2(type) (type x, type y)
#define OF_3(type) (type x, type y, type z)
#define OF_4(type) (type x, type y, type z, type w)

namespace gpusync_check
{
constexpr double PI = 3.141592653589793238463, ROOT_OF_2 = 1.414213562373095048802;

/* Returns x minus the nearest even number. The sine of pi times this number equals the sine of pi times x. */
CHECK_DEVICE double half_turns(double x)
{
    return x - 2 * rint(x / 2);
}
/* The inverse of erfc, from which that of erf follows: Newton's method on the logarithm of erfc, which is
 * concave. `rest` is 1 - y, which the caller knows more exactly if y is near 1. */
CHECK_DEVICE double inverse_erfc(double y, double rest)
{
    if (!(y > 0 && y <= 1))
        return y == 0 ? HUGE_VAL : NAN;
    double x = y < 0.5 ? sqrt(-log(y)) : rest * sqrt(PI) / 2;
    for (int step = 0; step < 12; step++)
        x += y < 0.5 ? (log(erfc(x)) - log(y)) * erfc(x) * sqrt(PI) / 2 * exp(x * x)
                     : (rest - erf(x)) * sqrt(PI) / 2 * exp(x * x);
    return x;
}
/* Returns exp(x * x) * erfc(x). For large x it is computed by a continued fraction (Abramowitz and Stegun,
 * 7.1.14). */
CHECK_DEVICE double scaled_erfc(double x)
{
    if (x < 10)
        return exp(x * x) * erfc(x);
    double below = x;
    for (int k = 40; k > 0; k--)
        below = x + k / 2.0 / below;
    return 1 / sqrt(PI) / below;
}
/* Returns the modified Bessel function of the first kind of order 0 or 1, by its power series (Abramowitz and
 * Stegun, 9.6.10). */
CHECK_DEVICE double bessel_i(int order, double x)
{
    double quarter = x * x / 4, term = order ? x / 2 : 1, sum = term;
    for (int k = 1; k < 1000 && fabs(term) > fabs(sum) * 1e-17; k++) {
        term *= quarter / ((double)k * (k + order));
        sum += term;
    }
    return sum;
}
template <class T>
CHECK_DEVICE T norm_of(int count, const T *values)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += (double)values[i] * values[i];
    return (T)sqrt(sum);
}
} // namespace gpusync_check

BOTH(rcbrt, OF_1, (x), 1 / cbrt(x))
BOTH(sinpi, OF_1, (x), sin(gpusync_check::PI *gpusync_check::half_turns(x)))
BOTH(cospi, OF_1, (x), cos(gpusync_check::PI *gpusync_check::half_turns(x)))
BOTH(rhypot, OF_2, (x, y), 1 / hypot(x, y))
BOTH(norm3d, OF_3, (x, y, z), hypot(hypot(x, y), z))
BOTH(rnorm3d, OF_3, (x, y, z), 1 / hypot(hypot(x, y), z))
BOTH(norm4d, OF_4, (x, y, z, w), hypot(hypot(x, y), hypot(z, w)))
BOTH(rnorm4d, OF_4, (x, y, z, w), 1 / hypot(hypot(x, y), hypot(z, w)))
BOTH(erfinv, OF_1, (x), copysign(gpusync_check::inverse_erfc(1 - fabs(x), fabs(x)), x))
BOTH(erfcinv, OF_1, (x),
     x > 1 ? -gpusync_check::inverse_erfc(2 - x, x - 1) : gpusync_check::inverse_erfc(x, 1 - x))
BOTH(erfcx, OF_1, (x), gpusync_check::scaled_erfc(x))
BOTH(normcdf, OF_1, (x), erfc(-x / gpusync_check::ROOT_OF_2) / 2)
BOTH(normcdfinv, OF_1, (x), -gpusync_check::ROOT_OF_2 *erfcinv(2 * x))
BOTH(cyl_bessel_i0, OF_1, (x), gpusync_check::bessel_i(0, x))
BOTH(cyl_bessel_i1, OF_1, (x), gpusync_check::bessel_i(1, x))
#undef BOTH
#undef OF_1
#undef OF_2
#undef OF_3
#undef OF_4

CHECK_DEVICE double norm(int count, const double *values)
{
    return gpusync_check::norm_of(count, values);
}
CHECK_DEVICE float normf(int count, const float *values)
{
    return gpusync_check::norm_of(count, values);
}
CHECK_DEVICE double rnorm(int count, const double *values)
{
    return 1 / gpusync_check::norm_of(count, values);
}
CHECK_DEVICE float rnormf(int count, const float *values)
{
    return 1 / gpusync_check::norm_of(count, values);
}
CHECK_DEVICE void sincospi(double x, double *sine, double *cosine)
{
    *sine = sinpi(x);
    *cosine = cospi(x);
}
CHECK_DEVICE void sincospif(float x, float *sine, float *cosine)
{
    *sine = sinpif(x);
    *cosine = cospif(x);
}

/* CUDA's fast approximations are replaced by the exact functions of the C library. The replacements are
 * macros, since the C library reserves some of these names. */
#define __expf expf
#define __exp10f exp10f
#define __logf logf
#define __log2f log2f
#define __log10f log10f
#define __sinf sinf
#define __cosf cosf
#define __tanf tanf
#define __tanhf tanhf
#define __powf powf
#define __sincosf sincosf

/* ---- integers ---- */

CHECK_DEVICE long long __mul64hi(long long a, long long b)
{
    return (long long)((__int128)a * b >> 64);
}
CHECK_DEVICE unsigned __umul24(unsigned a, unsigned b)
{
    return (a & 0xffffff) * (b & 0xffffff);
}
CHECK_DEVICE unsigned __sad(int a, int b, unsigned sum)
{
    return sum + (a < b ? (unsigned)b - (unsigned)a : (unsigned)a - (unsigned)b);
}
CHECK_DEVICE unsigned __usad(unsigned a, unsigned b, unsigned sum)
{
    return sum + (a < b ? b - a : a - b);
}
CHECK_DEVICE int __hadd(int a, int b)
{
    return (int)(((long long)a + b) >> 1);
}
CHECK_DEVICE int __rhadd(int a, int b)
{
    return (int)(((long long)a + b + 1) >> 1);
}
CHECK_DEVICE unsigned __uhadd(unsigned a, unsigned b)
{
    return (unsigned)(((unsigned long long)a + b) >> 1);
}
CHECK_DEVICE unsigned __urhadd(unsigned a, unsigned b)
{
    return (unsigned)(((unsigned long long)a + b + 1) >> 1);
}
CHECK_DEVICE unsigned long long __brevll(unsigned long long value)
{
    return (unsigned long long)__brev((unsigned)value) << 32 | __brev((unsigned)(value >> 32));
}
/* Shift by at most 32 bits; larger shifts count as 32. */
CHECK_DEVICE unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((uint64_t)high << 32 | low) << (shift < 32 ? shift : 32) >> 32);
}
CHECK_DEVICE unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((uint64_t)high << 32 | low) >> (shift < 32 ? shift : 32));
}
/* Returns the position of the `offset`-th set bit of `bits`, counted from bit `base` upwards or, if `offset`
 * is negative, downwards. Returns -1 if there is none. */
CHECK_DEVICE unsigned __fns(unsigned bits, unsigned base, int offset)
{
    int step = offset < 0 ? -1 : 1, left = offset < 0 ? -offset : offset;
    if (offset == 0)
        return bits >> base & 1 ? base : (unsigned)-1;
    for (int at = (int)base; at >= 0 && at < 32; at += step)
        if ((bits >> at & 1) && --left == 0)
            return (unsigned)at;
    return (unsigned)-1;
}
/* Returns c plus the sum of the products of the signed bytes of a and b. */
CHECK_DEVICE int __dp4a(int a, int b, int c)
{
    for (int at = 0; at < 32; at += 8)
        c += (signed char)(a >> at) * (signed char)(b >> at);
    return c;
}
CHECK_DEVICE int __dp4a(char4 a, char4 b, int c)
{
    return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
CHECK_DEVICE unsigned __dp4a(uchar4 a, uchar4 b, unsigned c)
{
    return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

#endif
