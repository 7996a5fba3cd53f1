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
#define SIGNED (PTX_BIT(s2) | PTX_BIT(s4) | PTX_BIT(s8) | PTX_BIT(s16) | PTX_BIT(s32) | PTX_BIT(s64))
#define NUMBERS (PTX_BIT(f16) | PTX_BIT(bf16) | PTX_BIT(f32) | PTX_BIT(f64))
#define SMALL_PAIRS (PTX_BIT(e4m3x2) | PTX_BIT(e5m2x2) | PTX_BIT(e2m3x2) | PTX_BIT(e3m2x2) | PTX_BIT(e2m1x2))

/* Returns the nearest value of an integer type. */
static uint64_t saturated(__int128 x, enum ptx_type type)
{
    const unsigned width = ptx_width_of(type);
    const __int128 least = IS(type, SIGNED) ? -((__int128)1 << (width - 1)) : 0;
    const __int128 greatest = ((__int128)1 << (IS(type, SIGNED) ? width - 1 : width)) - 1;
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
        return source != PTX_f64 && width != 64 ? 0 : (IS(type, SIGNED) ? UINT64_MAX : 1) << (width - 1);
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
    if (modifiers & HAS(sat)) /* what is not greater than 0 is NaN, too */
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
        const bool negative = IS(source, SIGNED) && a << shift >> 63;
        const int64_t extended = IS(source, SIGNED) ? (int64_t)(a << shift) >> shift : 0;
        if (IS(type, NUMBERS)) {
            if (modifiers & HAS(sat)) /* an integer is at most 0, or at least 1 */
                return ptx_narrowed(negative || a == 0 ? 0 : 1, type, PTX_ROUND_rn, false);
            return ptx_rounded(negative, negative ? 0 - (uint64_t)extended : a, 0, type, rounding, false);
        }
        if (modifiers & HAS(sat))
            return saturated(negative ? extended : (__int128)a, type);
        a = negative ? (uint64_t)extended : a;
        return IS(type, SIGNED) ? (uint64_t)((int64_t)(a << unused) >> unused) : a << unused >> unused;
    }
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

PTX_HANDLER(pair_of_two)
{
    const struct ptx_name *name = code->more;
    PTX_OPERAND(f32, a)
    PTX_OPERAND(f32, b)
    PTX_RESULT(u32)
    PTX_FOR_LANES(lanes, l, {
        const uint64_t low = narrowed((double)b_of[l], name);
        d[l] = (uint32_t)(narrowed((double)a_of[l], name) << distance(name->type[0]) | low);
    });
    return code + 1;
}
static double member(uint32_t bits, unsigned place, enum ptx_type pair)
{
    const uint32_t x = bits >> place & (uint32_t)((UINT64_C(1) << distance(pair)) - 1);
    if (pair != PTX_ue8m0x2)
        return ptx_widened(x, pair);
    return x == 0xff ? (double)NAN : ldexp(1, (int)x - 127);
}
PTX_HANDLER(pair_of_pair)
{
    const struct ptx_name *name = code->more;
    const enum ptx_type source = name->type[1];
    PTX_OPERAND(u32, a)
    PTX_RESULT(u32)
    PTX_FOR_LANES(lanes, l, {
        const uint64_t low = narrowed(member(a_of[l], 0, source), name);
        const uint64_t high = narrowed(member(a_of[l], distance(source), source), name);
        d[l] = (uint32_t)(high << distance(name->type[0]) | low);
    });
    return code + 1;
}

/* cvt.pack: a and b, saturated, in the lowest bits, and above them the lowest bits of c */
PTX_HANDLER(pack)
{
    const enum ptx_type type = ((const struct ptx_name *)code->more)->type[0],
                        source = ((const struct ptx_name *)code->more)->type[1];
    const unsigned width = ptx_width_of(type);
    const uint64_t ones = (UINT64_C(1) << width) - 1;
    PTX_OPERAND(u32, a)
    PTX_OPERAND(u32, b)
    const uint32_t *const c_of = width < 16 ? PTX_AT(const uint32_t, lanes, code->c) : NULL;
    PTX_RESULT(u32)
    PTX_FOR_LANES(lanes, l, {
        const uint64_t high =
            saturated(source == PTX_s32 ? (__int128)(int32_t)a_of[l] : (__int128)a_of[l], type);
        const uint64_t low =
            saturated(source == PTX_s32 ? (__int128)(int32_t)b_of[l] : (__int128)b_of[l], type);
        d[l] =
            (uint32_t)((c_of ? (uint64_t)c_of[l] << 2 * width : 0) | (high & ones) << width | (low & ones));
    });
    return code + 1;
}

/* The usual conversions */
#define CONVERSION(td, ta, expression) CONVERSION_AS(td##_of_##ta, td, ta, expression)
#define CONVERSION_AS(handler, td, ta, expression)                                                           \
    PTX_HANDLER(handler)                                                                                     \
    {                                                                                                        \
        if (code->number & WIDE_REGISTERS)                                                                   \
            return general(code, lanes);                                                                     \
        PTX_OPERAND(ta, a)                                                                                   \
        PTX_RESULT(td)                                                                                       \
        PTX_FOR_LANES(lanes, l, {                                                                            \
            const ptx_c_##ta a = (ptx_c_##ta)a_of[l];                                                        \
            d[l] = (PTX_SLOT_##td)(PTX_MODULO_##td)(expression);                                             \
        });                                                                                                  \
        return code + 1;                                                                                     \
    }
#define EACH_INTEGER(X, td)                                                                                  \
    X(td, u8) X(td, s8) X(td, u16) X(td, s16) X(td, u32) X(td, s32) X(td, u64) X(td, s64)
#define SAME(td, ta) CONVERSION(td, ta, a)
/* Results of the same width are the same with and without a sign. */
EACH_INTEGER(SAME, u8)
EACH_INTEGER(SAME, u16)
EACH_INTEGER(SAME, u32)
EACH_INTEGER(SAME, u64)
EACH_INTEGER(SAME, f32)
EACH_INTEGER(SAME, f64)
CONVERSION(f64, f32, (double)a)
CONVERSION(f32, f64, ptx_canonical((float)a))
/* C does not define the conversion of a number that the integer type cannot hold. The first numbers beyond
 * its range are exact in f32 and f64, so they can be compared with. */
#define TRUNCATED(td, ta, nan)                                                                               \
    CONVERSION(td, ta,                                                                                       \
               a >= td##_beyond             ? (PTX_MODULO_##td)td##_largest                                  \
               : a > (ptx_c_##ta)td##_least ? (PTX_MODULO_##td)(ptx_c_##td)a                                 \
               : a != a                     ? (PTX_MODULO_##td)(nan)                                         \
                                            : (PTX_MODULO_##td)td##_least)
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
TRUNCATED(s32, f32, 0)
TRUNCATED(s32, f64, INT32_MIN)
TRUNCATED(u32, f32, 0)
TRUNCATED(u32, f64, UINT32_C(1) << 31)
TRUNCATED(s64, f32, HIGHEST)
TRUNCATED(s64, f64, HIGHEST)
TRUNCATED(u64, f32, HIGHEST)
TRUNCATED(u64, f64, HIGHEST)

CONVERSION_AS(f32_of_f16, u32, u32, ptx_bits_32(ptx_canonical(ptx_half(a))))
CONVERSION_AS(f16_of_f32, u32, u32, ptx_half_of(ptx_float(a)))
CONVERSION_AS(f32_of_bf16, u32, u32, ptx_bits_32(ptx_canonical(ptx_float(a << 16))))

CONVERSION_AS(bf16_of_f32, u32, u32, ptx_brain_of(ptx_float(a)))
PTX_COMPUTES(f16x2_of_f32, u32, u32, u32, u32, ptx_half_of(ptx_float(a)) << 16 | ptx_half_of(ptx_float(b)))
PTX_COMPUTES(bf16x2_of_f32, u32, u32, u32, u32, ptx_brain_of(ptx_float(a)) << 16 | ptx_brain_of(ptx_float(b)))

static const struct {
    enum ptx_type type, source;
    enum ptx_rounding rounding;
    ptx_handler *run;
} usual[] = {
#define OF(type, source, rounding, handler)                                                                  \
    {                                                                                                        \
        PTX_##type, PTX_##source, rounding, handler                                                          \
    }
#define FROM_EACH(type, td, rounding)                                                                        \
    OF(type, u8, rounding, td##_of_u8), OF(type, s8, rounding, td##_of_s8),                                  \
        OF(type, u16, rounding, td##_of_u16), OF(type, s16, rounding, td##_of_s16),                          \
        OF(type, u32, rounding, td##_of_u32), OF(type, s32, rounding, td##_of_s32),                          \
        OF(type, u64, rounding, td##_of_u64), OF(type, s64, rounding, td##_of_s64)
    FROM_EACH(u8, u8, PTX_NOT_ROUNDED),
    FROM_EACH(s8, u8, PTX_NOT_ROUNDED),
    FROM_EACH(u16, u16, PTX_NOT_ROUNDED),
    FROM_EACH(s16, u16, PTX_NOT_ROUNDED),
    FROM_EACH(u32, u32, PTX_NOT_ROUNDED),
    FROM_EACH(s32, u32, PTX_NOT_ROUNDED),
    FROM_EACH(u64, u64, PTX_NOT_ROUNDED),
    FROM_EACH(s64, u64, PTX_NOT_ROUNDED),
    FROM_EACH(f32, f32, PTX_ROUND_rn),
    FROM_EACH(f64, f64, PTX_ROUND_rn),
    OF(f64, f32, PTX_NOT_ROUNDED, f64_of_f32),
    OF(f32, f64, PTX_ROUND_rn, f32_of_f64),
    OF(f32, f16, PTX_NOT_ROUNDED, f32_of_f16),
    OF(f16, f32, PTX_ROUND_rn, f16_of_f32),
    OF(f32, bf16, PTX_NOT_ROUNDED, f32_of_bf16),
    OF(bf16, f32, PTX_ROUND_rn, bf16_of_f32),
#define TO_INTEGER(type)                                                                                     \
    OF(type, f32, PTX_ROUND_rzi, type##_of_f32), OF(type, f64, PTX_ROUND_rzi, type##_of_f64)
    TO_INTEGER(s32),
    TO_INTEGER(u32),
    TO_INTEGER(s64),
    TO_INTEGER(u64),
};

static char slot_of(unsigned width)
{
    return width == 64 ? '8' : width == 32 ? '4' : width == 16 ? '2' : '1';
}

/* Is the rounding one that a conversion of a single number may have? */
static bool may_round(const struct ptx_name *name, enum ptx_type type, enum ptx_type source)
{
    const enum ptx_rounding rounding = name->rounding;
    const bool to_integral = rounding >= PTX_ROUND_rni;
    if (IS(type, INTEGERS))
        return IS(source, INTEGERS) ? rounding == PTX_NOT_ROUNDED : to_integral;
    if (type == PTX_tf32)
        return source == PTX_f32 &&
               (rounding == PTX_ROUND_rn || rounding == PTX_ROUND_rz || rounding == PTX_ROUND_rna);
    if (rounding == PTX_ROUND_rna)
        return false;
    if (IS(source, INTEGERS))
        return rounding != PTX_NOT_ROUNDED && !to_integral;
    if (type == source)
        return rounding == PTX_NOT_ROUNDED || to_integral;
    /* A conversion to a type that holds all numbers of the source type does not round. f16 and bf16 do not
     * hold each other's numbers. */
    if (ptx_width_of(type) > ptx_width_of(source))
        return rounding == PTX_NOT_ROUNDED || (type != PTX_f64 && !to_integral);
    return rounding != PTX_NOT_ROUNDED && !to_integral;
}

/* Fills in the form of a conversion to or from a pair. */
static bool of_pairs(const struct ptx_name *name, struct ptx_form *form)
{
    const enum ptx_type type = name->type[0], source = name->type[1];
    const bool nearest = name->rounding == PTX_ROUND_rn, zero = name->rounding == PTX_ROUND_rz;
    const bool is_finite = name->modifiers & HAS(satfinite);
    bool is_allowed = false;
    if (IS(type, PAIRS)) /* cvt.rn.relu.satfinite.f16x2.f32 and the like, or back from a smaller format */
        is_allowed = source == PTX_f32
                         ? nearest || zero
                         : nearest && (type == PTX_f16x2 ? IS(source, SMALL_PAIRS)
                                                         : source == PTX_ue8m0x2 && !name->modifiers);
    else if (type == PTX_ue8m0x2)
        is_allowed = (source == PTX_f32 || source == PTX_bf16x2) &&
                     (zero || name->rounding == PTX_ROUND_rp) && !(name->modifiers & HAS(relu));
    else
        is_allowed = (source == PTX_f32 || (IS(source, PAIRS))) && nearest && is_finite;
    if (!is_allowed || (name->modifiers & ~(uint32_t)(HAS(relu) | HAS(satfinite))))
        return false;
    form->run = source != PTX_f32             ? pair_of_pair
                : !nearest || name->modifiers ? pair_of_two
                : type == PTX_f16x2           ? f16x2_of_f32
                : type == PTX_bf16x2          ? bf16x2_of_f32
                                              : pair_of_two;
    char operands[] = "4:44";
    operands[0] = slot_of(ptx_width_of(type));
    if (source != PTX_f32) {
        operands[2] = slot_of(ptx_width_of(source));
        operands[3] = '\0';
    }
    form->operands = copy_text(operands);
    return true;
}

static bool packing(const struct ptx_name *name, struct ptx_form *form)
{
    const enum ptx_type type = name->type[0];
    const bool has_c = name->types == 3;
    form->run = pack;
    form->operands = has_c ? "4:444" : "4:44";
    return name->modifiers == (HAS(pack) | HAS(sat)) && !name->rounding && name->types >= 2 &&
           (name->type[1] == PTX_s32 || name->type[1] == PTX_u32) &&
           (has_c ? name->type[2] == PTX_b32 && IS(type, PTX_BIT(u8) | PTX_BIT(s8) | PTX_BIT(u4) |
                                                             PTX_BIT(s4) | PTX_BIT(u2) | PTX_BIT(s2))
                  : type == PTX_u16 || type == PTX_s16);
}

bool ptx_conversion(const struct ptx_name *name, struct ptx_form *form)
{
    if (strcmp(name->opcode, "cvt") || name->choice || name->types < 2)
        return false;
    const enum ptx_type type = name->type[0], source = name->type[1];
    if (name->modifiers & HAS(pack))
        return packing(name, form);
    if (name->types != 2)
        return false;
    if (IS(type, PAIRS | SMALL_PAIRS | PTX_BIT(ue8m0x2)))
        return of_pairs(name, form);
    /* sat clamps an integer to its type, and other numbers to the range from 0 to 1. */
    uint32_t may = HAS(sat);
    if (type == PTX_f32 || source == PTX_f32)
        may |= HAS(ftz);
    if (type == PTX_tf32 || ((type == PTX_f16 || type == PTX_bf16) && source == PTX_f32))
        may |= HAS(relu) | HAS(satfinite);
    if (!IS(type, INTEGERS | NUMBERS | PTX_BIT(tf32)) || !IS(source, INTEGERS | NUMBERS) ||
        !may_round(name, type, source) || (name->modifiers & ~may))
        return false;
    form->run = general;
    /* A truncation makes no difference between a subnormal number and 0. */
    const uint32_t matters =
        name->modifiers & ~(uint32_t)(IS(type, INTEGERS) && name->rounding == PTX_ROUND_rzi ? HAS(ftz) : 0);
    for (unsigned i = 0; i < LENGTH(usual) && !matters; i++)
        if (usual[i].type == type && usual[i].source == source && usual[i].rounding == name->rounding)
            form->run = usual[i].run;
    const char operands[] = {slot_of(ptx_width_of(type)), ':', slot_of(ptx_width_of(source)), '\0'};
    form->operands = copy_text(operands);
    return true;
}
