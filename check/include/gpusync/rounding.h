/*
 * CUDA's arithmetic and conversions whose names say how they round: _rn to nearest, _rz towards zero, _ru up,
 * _rd down (CUDA Math API, "Type Casting Intrinsics", "Single Precision Intrinsics", "Double Precision
 * Intrinsics"). The CPU's rounding mode is changed for the one operation.
 */
#ifndef GPUSYNC_CHECK_ROUNDING_H
#define GPUSYNC_CHECK_ROUNDING_H

#include <fenv.h>

namespace gpusync_check
{
/* Returns compute(values...), rounded by `mode`. The asm statements contain no instructions; they keep the
 * compiler from moving the computation to before the mode is set or after it is restored. */
template <class Compute, class... Values>
CHECK_DEVICE auto rounded(int mode, Compute compute, Values... values)
{
    if (mode == FE_TONEAREST)
        return compute(values...);
    int before = fegetround();
    fesetround(mode);
    (([](auto &value) __attribute__((always_inline)) { asm volatile("" : "+m"(value)); })(values), ...);
    auto result = compute(values...);
    asm volatile("" : "+m"(result));
    fesetround(before);
    return result;
}

/* Converts to an integer as PTX's cvt does: a number that is too large or too small becomes the largest or
 * smallest integer, and NaN becomes 0. */
template <class To, class From>
CHECK_DEVICE To to_integer(From value, int mode)
{
    From whole = mode == FE_TONEAREST  ? rint(value)
                 : mode == FE_UPWARD   ? ceil(value)
                 : mode == FE_DOWNWARD ? floor(value)
                                       : trunc(value);
    constexpr To least = std::is_signed_v<To> ? (To)((unsigned long long)1 << (8 * sizeof(To) - 1)) : 0;
    constexpr To most = (To) ~(unsigned long long)least;
    return whole != whole ? 0 : whole <= (From)least ? least : whole >= (From)most ? most : (To)whole;
}
} // namespace gpusync_check

#define OF_MODES(ONE, ...)                                                                                   \
    ONE(_rn, FE_TONEAREST, __VA_ARGS__)                                                                      \
    ONE(_rz, FE_TOWARDZERO, __VA_ARGS__)                                                                     \
    ONE(_ru, FE_UPWARD, __VA_ARGS__)                                                                         \
    ONE(_rd, FE_DOWNWARD, __VA_ARGS__)

#define OF_ONE(suffix, mode, name, type, from, expression)                                                   \
    CHECK_DEVICE type name##suffix(from a)                                                                   \
    {                                                                                                        \
        return gpusync_check::rounded(                                                                       \
            mode, [](from x) __attribute__((always_inline))->type { return expression; }, a);                \
    }
#define OF_TWO(suffix, mode, name, type, sign)                                                               \
    CHECK_DEVICE type name##suffix(type a, type b)                                                           \
    {                                                                                                        \
        return gpusync_check::rounded(                                                                       \
            mode, [](type x, type y) __attribute__((always_inline))->type { return x sign y; }, a, b);       \
    }
#define OF_THREE(suffix, mode, name, type, fused)                                                            \
    CHECK_DEVICE type name##suffix(type a, type b, type c)                                                   \
    {                                                                                                        \
        return gpusync_check::rounded(                                                                       \
            mode,                                                                                            \
            [](type x, type y, type z) __attribute__((always_inline))->type { return fused(x, y, z); }, a,   \
            b, c);                                                                                           \
    }
#define TO_INTEGER(suffix, mode, name, type, from)                                                           \
    CHECK_DEVICE type name##suffix(from value)                                                               \
    {                                                                                                        \
        return gpusync_check::to_integer<type>(value, mode);                                                 \
    }
OF_MODES(OF_TWO, __fadd, float, +)
OF_MODES(OF_TWO, __fsub, float, -)
OF_MODES(OF_TWO, __fmul, float, *)
OF_MODES(OF_TWO, __fdiv, float, /)
OF_MODES(OF_TWO, __dadd, double, +)
OF_MODES(OF_TWO, __dsub, double, -)
OF_MODES(OF_TWO, __dmul, double, *)
OF_MODES(OF_TWO, __ddiv, double, /)
OF_MODES(OF_THREE, __fmaf, float, __builtin_fmaf)
OF_MODES(OF_THREE, __fmaf_ieee, float, __builtin_fmaf)
OF_MODES(OF_THREE, __fma, double, __builtin_fma)
OF_MODES(OF_ONE, __frcp, float, float, 1.0f / x)
OF_MODES(OF_ONE, __drcp, double, double, 1.0 / x)
OF_MODES(OF_ONE, __fsqrt, float, float, __builtin_sqrtf(x))
OF_MODES(OF_ONE, __dsqrt, double, double, __builtin_sqrt(x))
OF_MODES(OF_ONE, __double2float, float, double, (float)x)
OF_MODES(OF_ONE, __int2float, float, int, (float)x)
OF_MODES(OF_ONE, __uint2float, float, unsigned, (float)x)
OF_MODES(OF_ONE, __ll2float, float, long long, (float)x)
OF_MODES(OF_ONE, __ull2float, float, unsigned long long, (float)x)
OF_MODES(OF_ONE, __ll2double, double, long long, (double)x)
OF_MODES(OF_ONE, __ull2double, double, unsigned long long, (double)x)
OF_MODES(TO_INTEGER, __float2int, int, float)
OF_MODES(TO_INTEGER, __float2uint, unsigned, float)
OF_MODES(TO_INTEGER, __float2ll, long long, float)
OF_MODES(TO_INTEGER, __float2ull, unsigned long long, float)
OF_MODES(TO_INTEGER, __double2int, int, double)
OF_MODES(TO_INTEGER, __double2uint, unsigned, double)
OF_MODES(TO_INTEGER, __double2ll, long long, double)
OF_MODES(TO_INTEGER, __double2ull, unsigned long long, double)
#undef OF_MODES
#undef OF_ONE
#undef OF_TWO
#undef OF_THREE
#undef TO_INTEGER

CHECK_DEVICE float __frsqrt_rn(float value)
{
    return (float)(1 / sqrt((double)value));
}
/* exact in every rounding mode, because a double can hold every 32-bit integer */
CHECK_DEVICE double __int2double_rn(int value)
{
    return value;
}
CHECK_DEVICE double __uint2double_rn(unsigned value)
{
    return value;
}

/* Functions for the upper and the lower half of a double's bits. */
CHECK_DEVICE int __double2hiint(double value)
{
    return (int)(gpusync_check::bits_as<unsigned long long>(value) >> 32);
}
CHECK_DEVICE int __double2loint(double value)
{
    return (int)gpusync_check::bits_as<unsigned long long>(value);
}
CHECK_DEVICE double __hiloint2double(int high, int low)
{
    return gpusync_check::bits_as<double>((unsigned long long)(unsigned)high << 32 | (unsigned)low);
}

#endif
