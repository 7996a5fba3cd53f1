/*
 * Conversions between types (cvt). The most frequent conversions have handlers of their own. All others share
 * a general handler, which also supports registers that are wider than the types of the instruction.
 */
#include "machine/ptx/arithmetic.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

#define WIDE_REGISTERS (PTX_INTO_32 | PTX_INTO_64 | PTX_FROM_64)

#define INTEGERS                                                                                             \
    (PTX_BIT(u8) | PTX_BIT(s8) | PTX_BIT(u16) | PTX_BIT(s16) | PTX_BIT(u32) | PTX_BIT(s32) | PTX_BIT(u64) |  \
     PTX_BIT(s64))
#define F16 PTX_BIT(f16)
#define BF16 PTX_BIT(bf16)
#define F32 PTX_BIT(f32)
#define F64 PTX_BIT(f64)
#define NUMBERS (F16 | BF16 | F32 | F64)
#define SMALL_PAIRS (PTX_BIT(e4m3x2) | PTX_BIT(e5m2x2) | PTX_BIT(e2m3x2) | PTX_BIT(e3m2x2) | PTX_BIT(e2m1x2))

/* Returns the nearest value of an integer type. */
static uint64_t saturated(__int128 x, enum ptx_type type)
{
    const unsigned width = ptx_width_of(type);
    const __int128 least = IS(type, PTX_SIGNED) ? -((__int128)1 << (width - 1)) : 0;
    const __int128 greatest = ((__int128)1 << (IS(type, PTX_SIGNED) ? width - 1 : width)) - 1;
    return (uint64_t)(x < least ? least : x > greatest ? greatest : x);
}

static double integral(double x, enum ptx_rounding rounding)
{
    switch (rounding) {
    case PTX_ROUND_rni:
        return rint(x);
    case PTX_ROUND_rzi:
        return trunc(x);
    case PTX_ROUND_rmi:
        return floor(x);
    case PTX_ROUND_rpi:
        return ceil(x);
    default:
        return x;
    }
}

/* A NaN becomes 0 or, if one of the types has 64 bits, the integer whose highest bit is set. */
static uint64_t integer_of(double x, enum ptx_type type, enum ptx_type source)
{
    const unsigned width = ptx_width_of(type);
    if (x != x)
        return source != PTX_f64 && width != 64 ? 0 : (IS(type, PTX_SIGNED) ? UINT64_MAX : 1) << (width - 1);
    return saturated(fabs(x) < 0x1p100 ? (__int128)x
                     : x < 0           ? -((__int128)1 << 100)
                                       : (__int128)1 << 100,
                     type);
}

/* Powers of two without a sign, for which 0xff is NaN */
static uint64_t power_of(double x, enum ptx_rounding rounding, bool is_finite)
{
    int exponent;
    const double fraction = frexp(fabs(x), &exponent);
    if (x != x || (isinf(x) && !is_finite))
        return 0xff;
    if (isinf(x))
        return 0xfe;
    if (x == 0)
        return 0;
    exponent += 126 + (rounding == PTX_ROUND_rp && fraction > 0.5);
    return exponent < 0 ? 0 : exponent > 0xfe ? is_finite ? 0xfe : 0xff : (uint64_t)exponent;
}

static uint64_t narrowed(double x, const struct ptx_name *name)
{
    const enum ptx_type type = name->type[0];
    const uint32_t modifiers = name->modifiers;
    const bool is_finite = modifiers & HAS(satfinite);
    if (modifiers & HAS(sat)) /* !(x > 0) is also true for NaN, which becomes 0 */
        x = !(x > 0) ? 0 : x > 1 ? 1 : x;
    if (modifiers & HAS(relu) && x <= 0)
        x = 0;
    if (modifiers & HAS(ftz) && type == PTX_f32)
        x = ptx_flushed_of(x, PTX_f32);
    return type == PTX_ue8m0x2 ? power_of(x, name->rounding, is_finite)
                               : ptx_narrowed(x, type, name->rounding, is_finite);
}

/* Converts a number. An integer with a sign is extended with it to 64 bits. */
static uint64_t converted(const struct ptx_name *name, uint64_t a)
{
    const enum ptx_type type = name->type[0], source = name->type[1];
    const enum ptx_rounding rounding = name->rounding;
    const uint32_t modifiers = name->modifiers;
    const unsigned shift = 64 - ptx_width_of(source), unused = 64 - ptx_width_of(type);
    a = a << shift >> shift;
    if (IS(source, INTEGERS)) {
        const bool negative = IS(source, PTX_SIGNED) && a << shift >> 63;
        const int64_t extended = IS(source, PTX_SIGNED) ? (int64_t)(a << shift) >> shift : 0;
        if (IS(type, NUMBERS)) {
            if (modifiers & HAS(sat)) /* an integer is at most 0, or at least 1 */
                return ptx_narrowed(negative || a == 0 ? 0 : 1, type, PTX_ROUND_rn, false);
            return ptx_rounded(negative, negative ? 0 - (uint64_t)extended : a, 0, type, rounding, false);
        }
        if (modifiers & HAS(sat))
            return saturated(negative ? extended : (__int128)a, type);
        a = negative ? (uint64_t)extended : a;
        return IS(type, PTX_SIGNED) ? (uint64_t)((int64_t)(a << unused) >> unused) : a << unused >> unused;
    }
    /* ptxas makes integer instructions of this conversion, which cut off bits of a NaN, or all that it has */
    if (type == PTX_tf32 && rounding == PTX_ROUND_rna && (a & INT32_MAX) > 0x7f800000)
        return (a & 0xffffe000) - (modifiers & HAS(satfinite) ? 0x2000 : 0);
    double x = ptx_widened(a, source);
    if (modifiers & HAS(ftz) && source == PTX_f32)
        x = ptx_flushed_of(x, PTX_f32);
    x = integral(x, rounding);
    return IS(type, INTEGERS) ? integer_of(x, type, source) : narrowed(x, name);
}

PTX_HANDLER(general)
{
    const uint64_t number = code->number;
    const struct ptx_name *name = code->more;
    const enum ptx_type type = name->type[0];
    const bool from_64 = (number & PTX_FROM_64) || ptx_width_of(name->type[1]) == 64;
    const uint64_t bits = number & PTX_INTO_32 ? UINT32_MAX : UINT64_MAX >> (64 - ptx_width_of(type));
    const uint32_t *const narrow = PTX_AT(const uint32_t, lanes, code->a);
    const uint64_t *const wide = PTX_AT(const uint64_t, lanes, code->a);
    PTX_FOR_LANES(lanes, l, {
        const uint64_t result = converted(name, from_64 ? wide[l] : narrow[l]);
        if ((number & PTX_INTO_64) || ptx_width_of(type) == 64)
            PTX_AT(uint64_t, lanes, code->d)[l] = result;
        else
            PTX_AT(uint32_t, lanes, code->d)[l] = (uint32_t)(result & bits);
    });
    return code + 1;
}

/* Conversions to and from pairs: how many bits are between the two numbers */
static unsigned distance(enum ptx_type pair)
{
    return ptx_width_of(pair) / 2;
}

static uint64_t paired(const struct ptx_name *name, double high, double low)
{
    return narrowed(high, name) << distance(name->type[0]) | narrowed(low, name);
}
static double member(uint32_t bits, unsigned place, enum ptx_type pair)
{
    const uint32_t x = bits >> place & (uint32_t)((UINT64_C(1) << distance(pair)) - 1);
    if (pair != PTX_ue8m0x2)
        return ptx_widened(x, pair);
    return x == 0xff ? (double)NAN : ldexp(1, (int)x - 127);
}
static uint64_t of_pair(const struct ptx_name *name, uint32_t bits)
{
    const enum ptx_type source = name->type[1];
    return paired(name, member(bits, distance(source), source), member(bits, 0, source));
}
PTX_COMPUTES(pair_of_two, u32, f32, f32, f32, paired(code->more, (double)a, (double)b))
PTX_COMPUTES(pair_of_pair, u32, u32, u32, u32, of_pair(code->more, a))

/* cvt.pack: a and b, saturated, in the lowest bits, and above them the lowest bits of c */
static uint64_t packed(const struct ptx_name *name, uint32_t a, uint32_t b, uint32_t c)
{
    const unsigned width = ptx_width_of(name->type[0]);
    const uint64_t ones = (UINT64_C(1) << width) - 1;
    const bool is_signed = name->type[1] == PTX_s32;
    const uint64_t high = saturated(is_signed ? (__int128)(int32_t)a : (__int128)a, name->type[0]);
    const uint64_t low = saturated(is_signed ? (__int128)(int32_t)b : (__int128)b, name->type[0]);
    return (name->types > 2 ? (uint64_t)c << 2 * width : 0) | (high & ones) << width | (low & ones);
}
PTX_COMPUTES(pack, u32, u32, u32, u32, packed(code->more, a, b, c))

/* The usual conversions */
#define CONVERSION(handler, td, ta, expression)                                                              \
    PTX_HANDLER(handler)                                                                                     \
    {                                                                                                        \
        if (code->number & WIDE_REGISTERS)                                                                   \
            return general(code, lanes);                                                                     \
        PTX_COMPUTE(td, ta, ta, ta, expression)                                                              \
    }
/* C does not define the conversion of a number that the integer type cannot hold. The first numbers beyond
 * its range are exact in f32 and f64, so they can be compared with. */
#define TRUNCATED(td, ta, nan)                                                                               \
    (a >= td##_beyond             ? (ptx_modulo_##td)td##_largest                                            \
     : a > (ptx_c_##ta)td##_least ? (ptx_modulo_##td)(ptx_c_##td)a                                           \
     : a != a                     ? (ptx_modulo_##td)(nan)                                                   \
                                  : (ptx_modulo_##td)td##_least)
#define s32_least INT32_MIN
#define s32_largest INT32_MAX
#define s32_beyond 0x1p31f
#define u32_least 0
#define u32_largest UINT32_MAX
#define u32_beyond 0x1p32f
#define s64_least INT64_MIN
#define s64_largest INT64_MAX
#define s64_beyond 0x1p63f
#define u64_least 0
#define u64_largest UINT64_MAX
#define u64_beyond 0x1p64f
#define HIGHEST (UINT64_C(1) << 63)

/* Each with the types, the rounding, the types of C of the slots, and what it computes */
/* clang-format off */
#define OF_INTEGERS(X, type, rounding)                                                                       \
    X(type, u8, rounding, type, u8, a) X(type, s8, rounding, type, s8, a)                                    \
    X(type, u16, rounding, type, u16, a) X(type, s16, rounding, type, s16, a)                                \
    X(type, u32, rounding, type, u32, a) X(type, s32, rounding, type, s32, a)                                \
    X(type, u64, rounding, type, u64, a) X(type, s64, rounding, type, s64, a)
#define TRUNCATION(X, type, nan_of_f32, nan_of_f64)                                                          \
    X(type, f32, PTX_ROUNDED(rzi), type, f32, TRUNCATED(type, f32, nan_of_f32))                              \
    X(type, f64, PTX_ROUNDED(rzi), type, f64, TRUNCATED(type, f64, nan_of_f64))
#define USUAL_CONVERSIONS(X)                                                                                 \
    OF_INTEGERS(X, u8, NOT_ROUNDED) OF_INTEGERS(X, s8, NOT_ROUNDED) OF_INTEGERS(X, u16, NOT_ROUNDED)         \
    OF_INTEGERS(X, s16, NOT_ROUNDED) OF_INTEGERS(X, u32, NOT_ROUNDED) OF_INTEGERS(X, s32, NOT_ROUNDED)       \
    OF_INTEGERS(X, u64, NOT_ROUNDED) OF_INTEGERS(X, s64, NOT_ROUNDED)                                        \
    OF_INTEGERS(X, f32, PTX_ROUNDED(rn)) OF_INTEGERS(X, f64, PTX_ROUNDED(rn))                                \
    TRUNCATION(X, s32, 0, INT32_MIN) TRUNCATION(X, u32, 0, UINT32_C(1) << 31)                                \
    TRUNCATION(X, s64, HIGHEST, HIGHEST) TRUNCATION(X, u64, HIGHEST, HIGHEST)                                \
    X(f64, f32, NOT_ROUNDED, f64, f32, (double)a)                                                            \
    X(f32, f64, PTX_ROUNDED(rn), f32, f64, ptx_canonical((float)a))                                          \
    X(f32, f16, NOT_ROUNDED, u32, u32, ptx_bits_32(ptx_canonical(ptx_half(a))))                              \
    X(f16, f32, PTX_ROUNDED(rn), u32, u32, ptx_half_of(ptx_float(a)))                                        \
    X(f32, bf16, NOT_ROUNDED, u32, u32, ptx_bits_32(ptx_canonical(ptx_float(a << 16))))                      \
    X(bf16, f32, PTX_ROUNDED(rn), u32, u32, ptx_brain_of(ptx_float(a)))
#define DEFINED(type, source, rounding, td, ta, expression)                                                  \
    CONVERSION(type##_of_##source, td, ta, expression)
USUAL_CONVERSIONS(DEFINED)
PTX_COMPUTES(f16x2_of_f32, u32, u32, u32, u32, ptx_half_of(ptx_float(a)) << 16 | ptx_half_of(ptx_float(b)))
PTX_COMPUTES(bf16x2_of_f32, u32, u32, u32, u32, ptx_brain_of(ptx_float(a)) << 16 | ptx_brain_of(ptx_float(b)))

#define TO_INTEGRAL (PTX_ROUNDED(rni) | PTX_ROUNDED(rzi) | PTX_ROUNDED(rmi) | PTX_ROUNDED(rpi))
/* sat clamps an integer to its type, and other numbers to the range from 0 to 1. */
static const struct ptx_row rows[] = {
#define ROW(type, source, rounding, must, maybe, operands, handler, ...)                                     \
    {"cvt", type, must, operands, {handler}, .second = source, .may = maybe, .roundings = rounding,\
     ##__VA_ARGS__},
/* A truncation makes no difference between a subnormal number and 0. */
#define USUAL(type, source, rounding, td, ta, expression)                                                    \
    ROW(PTX_BIT(type), PTX_BIT(source), rounding, 0,                                                         \
        (rounding) == PTX_ROUNDED(rzi) && PTX_##source == PTX_f32 ? HAS(ftz) : 0, "t:s", type##_of_##source)
    USUAL_CONVERSIONS(USUAL)
#define GENERAL(type, source, rounding, maybe)                                                               \
    ROW(type, source, rounding, 0, HAS(sat) | maybe, "t:s", general)
    GENERAL(INTEGERS, INTEGERS, NOT_ROUNDED, 0)
    GENERAL(INTEGERS, F32, TO_INTEGRAL, HAS(ftz))
    GENERAL(INTEGERS, F16 | BF16 | F64, TO_INTEGRAL, 0)
    GENERAL(F32, INTEGERS, ROUNDS, HAS(ftz))
    GENERAL(F16 | BF16 | F64, INTEGERS, ROUNDS, 0)
    GENERAL(F32, F32, NOT_ROUNDED | TO_INTEGRAL, HAS(ftz))
    GENERAL(F16, F16, NOT_ROUNDED | TO_INTEGRAL, 0)
    GENERAL(BF16, BF16, NOT_ROUNDED | TO_INTEGRAL, 0)
    GENERAL(F64, F64, NOT_ROUNDED | TO_INTEGRAL, 0)
    /* A conversion to a type that holds all numbers of the source type does not round. */
    GENERAL(F32, F16 | BF16, MAY_ROUND, HAS(ftz))
    GENERAL(F64, F16 | BF16, NOT_ROUNDED, 0)
    GENERAL(F64, F32, NOT_ROUNDED, HAS(ftz))
    GENERAL(F32, F64, ROUNDS, HAS(ftz))
    GENERAL(F16 | BF16, F64, ROUNDS, 0)
    GENERAL(F16, BF16, ROUNDS, 0)
    GENERAL(BF16, F16, ROUNDS, 0)
    GENERAL(F16 | BF16, F32, ROUNDS, HAS(ftz) | HAS(relu) | HAS(satfinite))
    GENERAL(PTX_BIT(tf32), F32, PTX_ROUNDED(rn) | PTX_ROUNDED(rz) | PTX_ROUNDED(rna),
            HAS(ftz) | HAS(relu) | HAS(satfinite))
    /* pairs */
    ROW(PTX_BIT(f16x2), F32, PTX_ROUNDED(rn), 0, 0, "t:44", f16x2_of_f32)
    ROW(PTX_BIT(bf16x2), F32, PTX_ROUNDED(rn), 0, 0, "t:44", bf16x2_of_f32)
    ROW(PAIRS, F32, PTX_ROUNDED(rn) | PTX_ROUNDED(rz), 0, HAS(relu) | HAS(satfinite), "t:44", pair_of_two)
    ROW(PTX_BIT(f16x2), SMALL_PAIRS, PTX_ROUNDED(rn), 0, HAS(relu) | HAS(satfinite), "t:s", pair_of_pair)
    ROW(PTX_BIT(bf16x2), PTX_BIT(ue8m0x2), PTX_ROUNDED(rn), 0, 0, "t:s", pair_of_pair)
    ROW(PTX_BIT(ue8m0x2), F32, PTX_ROUNDED(rz) | PTX_ROUNDED(rp), 0, HAS(satfinite), "t:44", pair_of_two)
    ROW(PTX_BIT(ue8m0x2), PTX_BIT(bf16x2), PTX_ROUNDED(rz) | PTX_ROUNDED(rp), 0, HAS(satfinite), "t:s",
        pair_of_pair)
    ROW(SMALL_PAIRS, F32, PTX_ROUNDED(rn), HAS(satfinite), HAS(relu), "t:44", pair_of_two)
    ROW(SMALL_PAIRS, PAIRS, PTX_ROUNDED(rn), HAS(satfinite), HAS(relu), "t:s", pair_of_pair)
    ROW(PTX_BIT(u16) | PTX_BIT(s16), PTX_BIT(s32) | PTX_BIT(u32), NOT_ROUNDED, HAS(pack) | HAS(sat), 0,
        "4:44", pack)
    ROW(PTX_BIT(u8) | PTX_BIT(s8) | PTX_BIT(u4) | PTX_BIT(s4) | PTX_BIT(u2) | PTX_BIT(s2),
        PTX_BIT(s32) | PTX_BIT(u32), NOT_ROUNDED, HAS(pack) | HAS(sat), 0, "4:444", pack,
        .third = PTX_BIT(b32))
};
/* clang-format on */

bool ptx_conversion(const struct ptx_name *name, struct ptx_form *form)
{
    return ptx_find_row(rows, LENGTH(rows), name, form);
}
