/* CUDA's arithmetic functions: operations on bits, conversions that keep a number's bits, minima and
 * maxima. */
#ifndef GPUSYNC_CHECK_ARITHMETIC_H
#define GPUSYNC_CHECK_ARITHMETIC_H

#define LEAST_AND_MOST(type)                                                                                 \
    CHECK_DEVICE type min(type a, type b)                                                                    \
    {                                                                                                        \
        return b < a ? b : a;                                                                                \
    }                                                                                                        \
    CHECK_DEVICE type max(type a, type b)                                                                    \
    {                                                                                                        \
        return a < b ? b : a;                                                                                \
    }
LEAST_AND_MOST(int)
LEAST_AND_MOST(unsigned)
LEAST_AND_MOST(long)
LEAST_AND_MOST(unsigned long)
LEAST_AND_MOST(long long)
LEAST_AND_MOST(unsigned long long)
LEAST_AND_MOST(float)
LEAST_AND_MOST(double)
#undef LEAST_AND_MOST
/* As in CUDA, min() compares a signed with an unsigned number as two unsigned numbers. */
CHECK_DEVICE unsigned min(int a, unsigned b)
{
    return min((unsigned)a, b);
}
CHECK_DEVICE unsigned min(unsigned a, int b)
{
    return min(a, (unsigned)b);
}
CHECK_DEVICE unsigned max(int a, unsigned b)
{
    return max((unsigned)a, b);
}
CHECK_DEVICE unsigned max(unsigned a, int b)
{
    return max(a, (unsigned)b);
}
/* Defines functions for types that the names contain. They are templates, so that a program may define
 * functions of the same names. */
#define NAMED(name, type)                                                                                    \
    template <class A, class B>                                                                              \
    CHECK_DEVICE type name##min(A a, B b)                                                                    \
    {                                                                                                        \
        return min((type)a, (type)b);                                                                        \
    }                                                                                                        \
    template <class A, class B>                                                                              \
    CHECK_DEVICE type name##max(A a, B b)                                                                    \
    {                                                                                                        \
        return max((type)a, (type)b);                                                                        \
    }
NAMED(u, unsigned)
NAMED(ll, long long)
NAMED(ull, unsigned long long)
#undef NAMED

namespace gpusync_check
{
/* Returns the bits of `from` as a value of type To. If To has more bytes, the additional ones are 0. */
template <class To, class From>
CHECK_DEVICE To bits_as(const From &from)
{
    To to{};
    __builtin_memcpy((void *)&to, &from, sizeof to < sizeof from ? sizeof to : sizeof from);
    return to;
}
} // namespace gpusync_check

CHECK_DEVICE int __float_as_int(float value)
{
    return gpusync_check::bits_as<int>(value);
}
CHECK_DEVICE unsigned __float_as_uint(float value)
{
    return gpusync_check::bits_as<unsigned>(value);
}
CHECK_DEVICE float __int_as_float(int value)
{
    return gpusync_check::bits_as<float>(value);
}
CHECK_DEVICE float __uint_as_float(unsigned value)
{
    return gpusync_check::bits_as<float>(value);
}
CHECK_DEVICE long long __double_as_longlong(double value)
{
    return gpusync_check::bits_as<long long>(value);
}
CHECK_DEVICE double __longlong_as_double(long long value)
{
    return gpusync_check::bits_as<double>(value);
}
CHECK_DEVICE int __popcll(unsigned long long value)
{
    return __builtin_popcountll(value);
}
CHECK_DEVICE int __clz(int value)
{
    return value ? __builtin_clz((unsigned)value) : 32;
}
CHECK_DEVICE int __clzll(long long value)
{
    return value ? __builtin_clzll((unsigned long long)value) : 64;
}
CHECK_DEVICE int __ffsll(long long value)
{
    return __builtin_ffsll(value);
}
CHECK_DEVICE unsigned __brev(unsigned value)
{
    unsigned reversed = 0;
    for (int bit = 0; bit < 32; bit++)
        reversed |= (value >> bit & 1u) << (31 - bit);
    return reversed;
}
CHECK_DEVICE int __mulhi(int a, int b)
{
    return (int)((long long)a * b >> 32);
}
CHECK_DEVICE unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)((unsigned long long)a * b >> 32);
}
CHECK_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
CHECK_DEVICE int __mul24(int a, int b)
{
    return (a << 8 >> 8) * (b << 8 >> 8);
}
CHECK_DEVICE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((uint64_t)high << 32 | low) << (shift & 31) >> 32);
}
CHECK_DEVICE float rsqrtf(float value)
{
    return 1 / sqrtf(value);
}
CHECK_DEVICE double rsqrt(double value)
{
    return 1 / sqrt(value);
}
CHECK_DEVICE float __saturatef(float value)
{
    return value < 0 ? 0 : value > 1 ? 1 : value;
}
#endif
