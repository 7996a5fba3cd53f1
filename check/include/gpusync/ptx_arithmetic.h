/* Functions for PTX's arithmetic where C++ has different rules: for NaN, signed zeros, overflow, shifts by
 * more than the width, and numbers that a type cannot hold (PTX ISA, "Instruction Set"). */
#ifndef GPUSYNC_CHECK_PTX_ARITHMETIC_H
#define GPUSYNC_CHECK_PTX_ARITHMETIC_H

#include <limits>

namespace gpusync_check
{

/* ---- integers ---- */

template <class T>
CHECK_DEVICE T shift_left(T value, uint32_t by)
{
    return by < 8 * sizeof value ? (T)((std::make_unsigned_t<T>)value << by) : 0;
}
template <class T>
CHECK_DEVICE T shift_right(T value, uint32_t by)
{
    return by < 8 * sizeof value ? (T)(value >> by) : value < 0 ? (T)-1 : 0;
}
template <class T>
CHECK_DEVICE T high_product(T a, T b)
{
    using wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    return (T)((wide)a * b >> 8 * sizeof(T));
}
template <class T>
CHECK_DEVICE T sad(T a, T b, T c)
{
    using bits = std::make_unsigned_t<T>;
    return (T)((bits)c + (a < b ? (bits)b - (bits)a : (bits)a - (bits)b));
}
/* Returns the number of type To that is nearest to the value. */
template <class To, class From>
CHECK_DEVICE To nearest_of(From value)
{
    __int128 wide = value, least = std::numeric_limits<To>::min(), most = std::numeric_limits<To>::max();
    return (To)(wide < least ? least : wide > most ? most : wide);
}

/* ---- floating point ---- */

/* Implements PTX's .ftz: a subnormal number becomes 0 with the same sign. */
CHECK_DEVICE float flushed(float value)
{
    return __builtin_fabsf(value) < 0x1p-126f ? __builtin_copysignf(0, value) : value;
}
/* Returns the smaller number if `sign` is 1, or the larger one if it is -1; -0 is smaller than 0. If one of
 * the two is NaN, returns the other number, or NaN if `propagates` is true. */
template <class T>
CHECK_DEVICE T extreme(T a, T b, T sign, bool propagates)
{
    if (a != a || b != b)
        return propagates || (a != a && b != b)
                   ? bits_as<T>(sizeof(T) == 4 ? (uint64_t)0x7fffffff : 0x7fffffffffffffff)
               : a != a ? b
                        : a;
    if (a == b)
        return (sign > 0) == (bool)__builtin_signbit(a) ? a : b;
    return sign * a < sign * b ? a : b;
}
CHECK_DEVICE float fused(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
CHECK_DEVICE double fused(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}
template <class T>
CHECK_DEVICE T whole(T value, int mode)
{
    return mode == FE_TONEAREST  ? (T)rint(value)
           : mode == FE_UPWARD   ? (T)ceil(value)
           : mode == FE_DOWNWARD ? (T)floor(value)
                                 : (T)trunc(value);
}
/* Converts to an integer as cvt does. NaN becomes 0 if neither type has 64 bits, and otherwise the number in
 * which only the highest bit is set. */
template <class To, class From>
CHECK_DEVICE To integer_of(From value, int mode)
{
    if (value != value && (sizeof(From) == 8 || sizeof(To) == 8))
        return (To)((uint64_t)1 << (8 * sizeof(To) - 1));
    return to_integer<To>(value, mode);
}
/* Converts to a floating-point number, with a single rounding. */
template <class To, class From>
CHECK_DEVICE To real_of(From value, int mode)
{
    return rounded(
        mode, [](From x) __attribute__((always_inline)) { return (To)x; }, value);
}
/* Returns the bits of the 16-bit number nearest to the value or, depending on the mode, of the next one
 * towards 0. */
CHECK_DEVICE uint64_t half_of(float value, int mode)
{
    uint16_t bits = bits_as<uint16_t>((_Float16)value);
    return bits - (mode == FE_TOWARDZERO && __builtin_fabsf(f16(bits)) > __builtin_fabsf(value));
}
/* Returns a pair of 16-bit numbers, of which `high` becomes the upper half. */
template <class Half>
CHECK_DEVICE uint64_t pair_of(float high, float low)
{
    return (uint64_t)bits_as<uint16_t>(Half(high)) << 16 | bits_as<uint16_t>(Half(low));
}

} // namespace gpusync_check

#endif
