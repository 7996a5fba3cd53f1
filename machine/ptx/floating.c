/*
 * Arithmetic of numbers with a fraction: f32, f64, f16, bf16, and pairs of the latter two.
 *
 * The usual forms on f32 and f64 have a handler of their own. All other forms share one which computes a
 * result in double and rounds it once. Where a double cannot hold the exact result, it is rounded to odd
 * first: a double that is not exact gets an odd significand, so that rounding it again to at most 51 bits, in
 * any direction, gives the same as rounding the exact result. The approximations of a GPU (sin.approx,
 * ex2.approx and so on) are results of the host's functions rounded to nearest, which are within the error
 * that PTX allows. One file because the usual forms and the general one share their parts.
 */
#include "machine/ptx/arithmetic.h"

#include <math.h>
#include <string.h>
#include <xmmintrin.h>

/* The parts of a format: bits of the significand with the hidden one, the exponent of the least normal
 * number, the largest finite number, and what infinity and NaN are. */
static const struct format {
    int digits, least;
    uint64_t sign, largest, infinity, nan;
} formats[PTX_TYPES] = {
    [PTX_f16] = {11, -14, 0x8000, 0x7bff, 0x7c00, 0x7fff},
    [PTX_bf16] = {8, -126, 0x8000, 0x7f7f, 0x7f80, 0x7fff},
    [PTX_f32] = {24, -126, 0x80000000, 0x7f7fffff, 0x7f800000, PTX_NAN_32},
    [PTX_f64] = {53, -1022, UINT64_C(1) << 63, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff8000000000000},
    [PTX_tf32] = {11, -126, 0x40000, 0x3fbff, 0x3fc00, 0x3ffff},
    [PTX_e4m3x2] = {4, -6, 0x80, 0x7e, 0x7e, 0x7f},
    [PTX_e5m2x2] = {3, -14, 0x80, 0x7b, 0x7c, 0x7f},
    [PTX_e2m3x2] = {4, 0, 0x20, 0x1f, 0x1f, 0x1f},
    [PTX_e3m2x2] = {3, -2, 0x20, 0x1f, 0x1f, 0x1f},
    [PTX_e2m1x2] = {2, 0, 0x8, 0x7, 0x7, 0x7},
};

static const struct format *format_of(enum ptx_type type)
{
    return &formats[type == PTX_f16x2 ? PTX_f16 : type == PTX_bf16x2 ? PTX_bf16 : type];
}

uint64_t ptx_rounded(bool negative, uint64_t significand, int exponent, enum ptx_type type,
                     enum ptx_rounding rounding, bool is_finite)
{
    const struct format *f = format_of(type);
    const uint64_t sign = negative ? f->sign : 0;
    if (significand == 0)
        return sign;
    const int shift = __builtin_clzll(significand);
    const int highest = exponent + 63 - shift; /* the exponent of the number */
    significand <<= shift;
    /* How many of the 64 bits are kept depends on the exponent, because subnormal numbers have the same last
     * place as the least normal number. */
    const int kept = f->digits - (highest < f->least ? f->least - highest : 0);
    uint64_t bits = kept > 0 ? significand >> (64 - kept) : 0;
    const uint64_t rest = kept > 0 ? significand << kept : kept == 0 ? significand : 1;
    const uint64_t half = UINT64_C(1) << 63;
    bool up = false;
    switch (rounding) {
    case PTX_ROUND_rz:
        break;
    case PTX_ROUND_rm:
        up = negative && rest;
        break;
    case PTX_ROUND_rp:
        up = !negative && rest;
        break;
    case PTX_ROUND_rna:
        up = rest >= half;
        break;
    default:
        up = rest > half || (rest == half && (bits & 1));
    }
    bits += up;
    /* The hidden bit adds one to the exponent of a normal number, and so does a carry. */
    if (highest >= f->least) {
        if (highest - f->least >= 4096)
            bits = UINT64_MAX >> 1;
        else
            bits += (uint64_t)(highest - f->least) << (f->digits - 1);
    }
    if (bits > f->largest) {
        bool to_largest =
            is_finite || rounding == PTX_ROUND_rz || rounding == (negative ? PTX_ROUND_rp : PTX_ROUND_rm);
        bits = to_largest ? f->largest : f->infinity;
    }
    return sign | bits;
}

uint64_t ptx_narrowed(double x, enum ptx_type type, enum ptx_rounding rounding, bool is_finite)
{
    const struct format *f = format_of(type);
    if (type == PTX_f32 && rounding <= PTX_ROUND_rn && !is_finite)
        return ptx_bits_32(ptx_canonical((float)x));
    const uint64_t bits = ptx_bits_64(x), fraction = bits & 0xfffffffffffff;
    const int exponent = (int)(bits >> 52 & 0x7ff);
    const bool negative = bits >> 63;
    uint64_t result;
    if (x != x)
        result = type == PTX_f64 ? bits : f->nan;
    else if (exponent == 0x7ff)
        result = (negative ? f->sign : 0) | (is_finite ? f->largest : f->infinity);
    else
        result = ptx_rounded(negative, exponent ? fraction | UINT64_C(1) << 52 : fraction,
                             (exponent ? exponent : 1) - 1075, type, rounding, is_finite);
    return type == PTX_tf32 ? result << 13 : result; /* a register with f32 whose lowest bits are zero */
}

double ptx_widened(uint64_t bits, enum ptx_type type)
{
    if (type == PTX_f64)
        return ptx_double(bits);
    if (type == PTX_f32)
        return (double)ptx_float((uint32_t)bits);
    if (type == PTX_f16 || type == PTX_f16x2)
        return (double)ptx_half((uint32_t)bits);
    if (type == PTX_bf16 || type == PTX_bf16x2)
        return (double)ptx_float((uint32_t)bits << 16);
    const struct format *f = format_of(type);
    const uint64_t magnitude = bits & (f->sign - 1), ones = (UINT64_C(1) << (f->digits - 1)) - 1;
    const int exponent = (int)(magnitude >> (f->digits - 1));
    double x;
    if (f->infinity > f->largest && magnitude >= f->infinity)
        x = magnitude == f->infinity ? HUGE_VAL : (double)NAN;
    else if (magnitude == f->nan && f->nan > f->largest)
        x = (double)NAN;
    else
        x = ldexp((double)((magnitude & ones) + (exponent ? ones + 1 : 0)),
                  (exponent ? exponent - 1 : 0) + f->least - f->digits + 1);
    return bits & f->sign ? -x : x;
}

double ptx_flushed_of(double x, enum ptx_type type)
{
    const int least = format_of(type)->least;
    return fabs(x) < ldexp(1, least) ? copysign(0, x) : x;
}

/* Rounds the exact value near + rest to odd, where `near` is the value rounded to nearest: if the rest is not
 * 0, the result's last bit is 1. */
static double odd(double near, double rest)
{
    uint64_t bits = ptx_bits_64(near);
    if (rest == 0 || !isfinite(near) || bits & 1)
        return near;
    /* `near` is not exact. If it is even, both neighbours are odd, and the one on the side of the exact value
     * is taken. A step towards zero subtracts 1 from the bits. */
    return ptx_double((rest > 0) == (near > 0) ? bits + 1 : bits - 1);
}

static double odd_sum(double x, double y)
{
    const double sum = x + y, of_y = sum - x;
    /* the error of the sum, which is exact (Knuth) */
    return odd(sum, isfinite(sum) ? (x - (sum - of_y)) + (y - of_y) : 0);
}
static double odd_quotient(double x, double y)
{
    const double quotient = x / y;
    if (!isfinite(quotient) || !isfinite(y) || quotient == 0)
        return quotient;
    const double rest = fma(-quotient, y, x);
    return odd(quotient, y < 0 ? -rest : rest);
}
static double odd_root(double x)
{
    const double root = sqrt(x);
    return isfinite(root) && root > 0 ? odd(root, fma(-root, root, x)) : root;
}

enum operation {
    /* those that a double's rounding in a direction applies to come first */
    OPERATION_add,
    OPERATION_sub,
    OPERATION_mul,
    OPERATION_fma,
    OPERATION_div,
    OPERATION_rcp,
    OPERATION_sqrt,
    OPERATION_rsqrt,
    OPERATION_sin,
    OPERATION_cos,
    OPERATION_lg2,
    OPERATION_ex2,
    OPERATION_tanh,
    OPERATION_neg,
    OPERATION_abs,
    OPERATION_min,
    OPERATION_max,
    OPERATION_copysign
};

/* Computes with doubles whose result is a double, which the processor rounds in this direction. Other
 * handlers need it to round to nearest. The volatile variables keep the compiler from computing before or
 * after. fesetround() would also change the x87 unit, which takes longer and which nothing here uses. */
static double directed(enum operation operation, double x, double y, double z, enum ptx_rounding rounding)
{
    const unsigned direction = rounding == PTX_ROUND_rz   ? _MM_ROUND_TOWARD_ZERO
                               : rounding == PTX_ROUND_rm ? _MM_ROUND_DOWN
                               : rounding == PTX_ROUND_rp ? _MM_ROUND_UP
                                                          : _MM_ROUND_NEAREST;
    if (direction != _MM_ROUND_NEAREST)
        _MM_SET_ROUNDING_MODE(direction);
    volatile double a = x, b = y, c = z, d;
    switch (operation) {
    case OPERATION_add:
        d = a + b;
        break;
    case OPERATION_sub:
        d = a - b;
        break;
    case OPERATION_mul:
        d = a * b;
        break;
    case OPERATION_div:
        d = a / b;
        break;
    case OPERATION_rcp:
        d = 1 / a;
        break;
    case OPERATION_sqrt:
        d = sqrt(a);
        break;
    default:
        d = fma(a, b, c);
    }
    if (direction != _MM_ROUND_NEAREST)
        _MM_SET_ROUNDING_MODE(_MM_ROUND_NEAREST);
    return d;
}

/* Computes what is exact in double, or rounds it to odd. */
static double computed(enum operation operation, double x, double y, double z)
{
    switch (operation) {
    case OPERATION_add:
        return odd_sum(x, y);
    case OPERATION_sub:
        return odd_sum(x, -y);
    case OPERATION_mul:
        return x * y;
    case OPERATION_div:
        return odd_quotient(x, y);
    case OPERATION_rcp:
        return odd_quotient(1, x);
    case OPERATION_sqrt:
        return odd_root(x);
    case OPERATION_rsqrt:
        return 1 / sqrt(x);
    case OPERATION_sin:
        return sin(x);
    case OPERATION_cos:
        return cos(x);
    case OPERATION_lg2:
        return log2(x);
    case OPERATION_ex2:
        return exp2(x);
    case OPERATION_tanh:
        return tanh(x);
    default:
        return odd_sum(x * y, z);
    }
}

/* min and max give the operand that is a number, and -0 is less than 0. */
static double chosen(bool is_max, double x, double y, uint32_t modifiers)
{
    double result;
    const bool negative = signbit(x) != signbit(y);
    if (modifiers & HAS(abs))
        x = fabs(x), y = fabs(y);
    if (x != x || y != y)
        result = modifiers & HAS(NaN) || (x != x && y != y) ? (double)NAN : x != x ? y : x;
    else if (x == y)
        result = !signbit(x) == is_max ? x : y;
    else
        result = (x < y) == is_max ? y : x;
    return modifiers & HAS(xorsign) && result == result ? copysign(result, negative ? -1 : 1) : result;
}

/* Executes an operation on numbers of one type, given as bits. */
static uint64_t executed(enum operation operation, const struct ptx_name *name, uint64_t a, uint64_t b,
                         uint64_t c)
{
    const enum ptx_type type = name->type[0];
    const enum ptx_rounding rounding = name->rounding;
    const uint32_t modifiers = name->modifiers;
    const uint64_t sign = format_of(type)->sign, high = UINT64_C(0xffffffff00000000);
    double x = ptx_widened(a, type), y = ptx_widened(b, type), z = ptx_widened(c, type), result;
    if (modifiers & HAS(ftz)) {
        x = ptx_flushed_of(x, type), y = ptx_flushed_of(y, type), z = ptx_flushed_of(z, type);
        if (type == PTX_f64 && (operation == OPERATION_rcp || operation == OPERATION_rsqrt))
            x = ptx_double(ptx_bits_64(x) & high); /* rcp and rsqrt use only the high half of a register */
    }
    switch (operation) {
    case OPERATION_neg:
        return (modifiers & HAS(ftz) ? ptx_narrowed(x, type, PTX_ROUND_rn, false) : a) ^ sign;
    case OPERATION_abs:
        return (modifiers & HAS(ftz) ? ptx_narrowed(x, type, PTX_ROUND_rn, false) : a) & (sign - 1);
    case OPERATION_copysign: /* the sign of a, and the magnitude of b */
        return (a & sign) | (b & (sign - 1));
    case OPERATION_min:
    case OPERATION_max:
        result = chosen(operation == OPERATION_max, x, y, modifiers);
        break;
    default:
        result = type == PTX_f64 && operation <= OPERATION_sqrt ? directed(operation, x, y, z, rounding)
                                                                : computed(operation, x, y, z);
    }
    /* Terms that cancel out give -0 if the sum is rounded down. */
    if (rounding == PTX_ROUND_rm && result == 0 && type != PTX_f64 &&
        (operation == OPERATION_fma   ? signbit(x * y) || signbit(z)
         : operation == OPERATION_add ? signbit(x) || signbit(y)
         : operation == OPERATION_sub ? signbit(x) || !signbit(y)
                                      : false))
        result = -0.0;
    if (modifiers & HAS(sat)) /* NaN becomes 0, too */
        result = !(result > 0) ? 0 : result > 1 ? 1 : result;
    if (modifiers & HAS(relu) && result <= 0)
        result = 0;
    if (type == PTX_f64 && !(modifiers & HAS(ftz)))
        return ptx_bits_64(result);
    if (modifiers & HAS(ftz) && type == PTX_f64)
        return ptx_bits_64(ptx_flushed_of(result, type)) & high;
    uint64_t bits = ptx_narrowed(result, type, rounding, false);
    /* A result that is normal only after rounding is not flushed. */
    const uint64_t magnitude = bits & (sign - 1);
    return modifiers & HAS(ftz) && magnitude >> (format_of(type)->digits - 1) == 0 ? bits & sign : bits;
}

/* The general handlers, of numbers in a slot of 32 or of 64 bits. An operand that the instruction does not
 * have counts as a. */
#define GENERAL(handler, t, expression)                                                                      \
    PTX_HANDLER(handler)                                                                                     \
    {                                                                                                        \
        const struct ptx_name *const name = code->more;                                                      \
        const enum operation operation = (enum operation)code->number;                                       \
        const bool is_pair = IS(name->type[0], PAIRS);                                                       \
        (void)is_pair;                                                                                       \
        PTX_OPERAND(t, a)                                                                                    \
        const ptx_slot_##t *const b_of = code->b ? PTX_AT(const ptx_slot_##t, lanes, code->b) : a_of;        \
        const ptx_slot_##t *const c_of = code->c ? PTX_AT(const ptx_slot_##t, lanes, code->c) : a_of;        \
        PTX_RESULT(t)                                                                                        \
        PTX_FOR_LANES(lanes, l, {                                                                            \
            const ptx_slot_##t a = a_of[l];                                                                  \
            const ptx_slot_##t b = b_of[l];                                                                  \
            const ptx_slot_##t c = c_of[l];                                                                  \
            d[l] = (ptx_slot_##t)(expression);                                                               \
        });                                                                                                  \
        return code + 1;                                                                                     \
    }
GENERAL(general_32, u32,
        !is_pair ? executed(operation, name, a, b, c)
                 : executed(operation, name, a & 0xffff, b & 0xffff, c & 0xffff) |
                       executed(operation, name, a >> 16, b >> 16, c >> 16) << 16)
GENERAL(general_64, u64, executed(operation, name, a, b, c))

PTX_HANDLER(testp)
{
    const struct ptx_name *name = code->more;
    const enum ptx_choice choice = name->choice;
    uint32_t bits = 0;
    for (unsigned l = 0; l < PTX_LANES; l++) {
        int kind = name->type[0] == PTX_f64 ? fpclassify(PTX_AT(const ptx_c_f64, lanes, code->a)[l])
                                            : fpclassify(PTX_AT(const ptx_c_f32, lanes, code->a)[l]);
        bool holds = choice == PTX_finite       ? kind != FP_NAN && kind != FP_INFINITE
                     : choice == PTX_infinite   ? kind == FP_INFINITE
                     : choice == PTX_number     ? kind != FP_NAN
                     : choice == PTX_notanumber ? kind == FP_NAN
                     : choice == PTX_normal     ? kind == FP_NORMAL
                                                : kind == FP_SUBNORMAL;
        bits |= (uint32_t)holds << l;
    }
    ptx_set_predicate(PTX_AT(uint32_t, lanes, code->d), lanes, bits);
    return code + 1;
}

/* If x and y are equal, they differ at most in their signs; `equal` combines the signs. */
static inline float chosen_32(float x, float y, bool is_x, uint32_t equal)
{
    const float one = is_x ? x : y, number = x != x ? y : one;
    return ptx_canonical(y != y ? x : x == y ? ptx_float(equal) : number);
}
static inline double chosen_64(double x, double y, bool is_x, uint64_t equal)
{
    const double one = is_x ? x : y, number = x != x ? y : one;
    return y != y ? x : x == y ? ptx_double(equal) : number;
}
/* fma on f32 without an instruction of the host for it: the product is exact in double, and the sum is
 * rounded to double and then to float. This differs from one rounding only if the double lies in the middle
 * of two floats, or if the float is subnormal. is_doubtful() returns whether it is so, which is rare; then
 * fma_once(), which rounds once, computes all lanes again. */
static inline bool is_doubtful(double sum)
{
    return (ptx_bits_64(sum) & 0x1fffffff) == 0x10000000 || (fabs(sum) < 0x1p-126 && sum != 0);
}
static float fma_once(float a, float b, float c)
{
    return ptx_float(
        (uint32_t)ptx_narrowed(odd_sum((double)a * (double)b, (double)c), PTX_f32, PTX_ROUND_rn, false));
}
#define FMA(handler, before, after)                                                                          \
    PTX_HANDLER(handler)                                                                                     \
    {                                                                                                        \
        PTX_OPERAND(f32, a)                                                                                  \
        PTX_OPERAND(f32, b)                                                                                  \
        PTX_OPERAND(f32, c)                                                                                  \
        PTX_RESULT(f32)                                                                                      \
        float results[PTX_LANES];                                                                            \
        int doubtful = 0;                                                                                    \
        for (unsigned l = 0; l < PTX_LANES; l++) {                                                           \
            const double sum = (double)before(a_of[l]) * (double)before(b_of[l]) + (double)before(c_of[l]);  \
            results[l] = (float)sum;                                                                         \
            doubtful |= is_doubtful(sum);                                                                    \
        }                                                                                                    \
        if (doubtful)                                                                                        \
            for (unsigned l = 0; l < PTX_LANES; l++)                                                         \
                results[l] = fma_once(before(a_of[l]), before(b_of[l]), before(c_of[l]));                    \
        PTX_FOR_LANES(lanes, l, { d[l] = after(ptx_canonical(results[l])); });                               \
        return code + 1;                                                                                     \
    }
FMA(fma_f32, , )
FMA(fma_ftz_f32, ptx_flushed, ptx_flushed)
PTX_COMPUTES(fma_f64, f64, f64, f64, f64, fma(a, b, c))

/* Multiply-add with the host's FMA instruction, if the host has one */
#ifdef __x86_64__
#define WITH_FMA __attribute__((target("avx2,fma")))
#define HOST_HAS_FMA (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
#else
#define WITH_FMA
#define HOST_HAS_FMA false
#endif
static WITH_FMA ptx_handler host_fma_f32, host_fma_ftz_f32, host_fma_f64;
PTX_COMPUTES(host_fma_f32, f32, f32, f32, f32, ptx_canonical(__builtin_fmaf(a, b, c)))
PTX_COMPUTES(host_fma_ftz_f32, f32, f32, f32, f32,
             ptx_flushed(ptx_canonical(__builtin_fmaf(ptx_flushed(a), ptx_flushed(b), ptx_flushed(c)))))
PTX_COMPUTES(host_fma_f64, f64, f64, f64, f64, __builtin_fma(a, b, c))

/* Sums and products of f16 are exact in f32, or f32 has enough bits (twice the bits of f16, and two more)
 * that rounding to f16 again gives the correct result. The sum of fma is rounded to odd in f32, in which it
 * is never subnormal. */
static inline float odd_float(double x)
{
    const uint64_t bits = ptx_bits_64(x), magnitude = bits & (UINT64_MAX >> 1);
    const uint64_t shifted = (magnitude >> 29) - ((uint64_t)(1023 - 127) << 23);
    const uint64_t narrow = shifted | ((magnitude & 0x1fffffff) != 0) | (bits >> 32 & 0x80000000);
    return x != x || isinf(x) || x == 0 ? (float)x : ptx_float((uint32_t)narrow);
}
static inline uint32_t half_fma(uint32_t a, uint32_t b, uint32_t c)
{
    const float product = ptx_half(a) * ptx_half(b);
    return ptx_half_of(odd_float(odd_sum((double)product, (double)ptx_half(c))));
}
#define F16 (PTX_BIT(f16) | PTX_BIT(f16x2))
#define BF16 (PTX_BIT(bf16) | PTX_BIT(bf16x2))
#define F32 PTX_BIT(f32)
#define F64 PTX_BIT(f64)

/* The usual forms, each with a handler of its own: an opcode, its operands and how it rounds; the type of C
 * of its operands; the type and the modifiers of the form; and what it computes. */
/* clang-format off */
#define OF_F16(X, opcode, operands, rounds, low, high)                                                       \
    X(opcode, opcode##_f16, operands, rounds, u16, f16, 0, low)                                              \
    X(opcode, opcode##_f16x2, operands, rounds, u32, f16x2, 0, low | high << 16)
#define IN_HALF(x, operator, y) ptx_half_of(ptx_half(x) operator ptx_half(y))
#define QUOTIENT(X, opcode, operator, rounds)                                                                \
    X(opcode, opcode##_f32, "t:tt", rounds, f32, f32, 0, ptx_canonical(a operator b))                        \
    X(opcode, opcode##_ftz_f32, "t:tt", rounds, f32, f32, HAS(ftz),                                          \
      ptx_flushed(ptx_canonical(ptx_flushed(a) operator ptx_flushed(b))))                                    \
    X(opcode, opcode##_f64, "t:tt", rounds, f64, f64, 0, a operator b)
#define SUM(X, opcode, operator)                                                                             \
    QUOTIENT(X, opcode, operator, MAY_ROUND_NEAREST)                                                         \
    OF_F16(X, opcode, "t:tt", MAY_ROUND_NEAREST, IN_HALF(a, operator, b),                                    \
           IN_HALF(a >> 16, operator, b >> 16))
#define CHOICE(X, opcode, less, combines)                                                                    \
    X(opcode, opcode##_f32, "t:tt", NOT_ROUNDED, f32, f32, 0,                                                \
      chosen_32(a, b, a less b, ptx_bits_32(a) combines ptx_bits_32(b)))                                     \
    X(opcode, opcode##_f64, "t:tt", NOT_ROUNDED, f64, f64, 0,                                                \
      chosen_64(a, b, a less b, ptx_bits_64(a) combines ptx_bits_64(b)))
#define USUAL_FORMS(X)                                                                                       \
    SUM(X, add, +) SUM(X, sub, -) SUM(X, mul, *) QUOTIENT(X, div, /, ROUNDS_NEAREST)                         \
    CHOICE(X, min, <, |) CHOICE(X, max, >, &)                                                                \
    X(rcp, rcp_f32, "t:t", ROUNDS_NEAREST, f32, f32, 0, ptx_canonical(1 / a))                                \
    X(rcp, rcp_f64, "t:t", ROUNDS_NEAREST, f64, f64, 0, 1 / a)                                               \
    X(sqrt, sqrt_f32, "t:t", ROUNDS_NEAREST, f32, f32, 0, ptx_canonical(__builtin_sqrtf(a)))                 \
    X(sqrt, sqrt_f64, "t:t", ROUNDS_NEAREST, f64, f64, 0, __builtin_sqrt(a))                                 \
    X(neg, neg_f32, "t:t", NOT_ROUNDED, u32, f32, 0, a ^ 0x80000000)                                         \
    X(neg, neg_f64, "t:t", NOT_ROUNDED, u64, f64, 0, a ^ UINT64_C(1) << 63)                                  \
    X(abs, abs_f32, "t:t", NOT_ROUNDED, u32, f32, 0, a & 0x7fffffff)                                         \
    X(abs, abs_f64, "t:t", NOT_ROUNDED, u64, f64, 0, a & (UINT64_MAX >> 1))                                  \
    OF_F16(X, fma, "t:ttt", ROUNDS_NEAREST, half_fma(a, b, c), half_fma(a >> 16, b >> 16, c >> 16))
/* clang-format on */
#define DEFINED(opcode, handler, operands, rounds, t, type, modifiers, expression)                           \
    PTX_COMPUTES(handler, t, t, t, t, expression)
USUAL_FORMS(DEFINED)

static const struct {
    ptx_handler *usual, *host;
} with_fma[] = {{fma_f32, host_fma_f32}, {fma_ftz_f32, host_fma_ftz_f32}, {fma_f64, host_fma_f64}};

/* The instructions of PTX: the usual forms come before the general ones. */
/* clang-format off */
static const struct ptx_row rows[] = {
#define ROW(opcode, types, must, operands, handler, rounds, ...)                                             \
    {#opcode, types, must, operands, {handler}, .roundings = rounds, ##__VA_ARGS__},
#define USUAL(opcode, handler, operands, rounds, t, type, modifiers, expression)                             \
    ROW(opcode, PTX_BIT(type), modifiers, operands, handler, rounds)
    USUAL_FORMS(USUAL)
    ROW(fma, F32, 0, "t:ttt", fma_f32, ROUNDS_NEAREST)
    ROW(fma, F32, HAS(ftz), "t:ttt", fma_ftz_f32, ROUNDS_NEAREST)
    ROW(fma, F64, 0, "t:ttt", fma_f64, ROUNDS_NEAREST)
    ROW(mad, F32, 0, "t:ttt", fma_f32, MAY_ROUND_NEAREST)
    ROW(mad, F32, HAS(ftz), "t:ttt", fma_ftz_f32, MAY_ROUND_NEAREST)
    ROW(mad, F64, 0, "t:ttt", fma_f64, ROUNDS_NEAREST)
    ROW(testp, F32, 0, "p:t", testp, NOT_ROUNDED, .choices = PTX_CHOICES_FROM(finite, subnormal))
    ROW(testp, F64, 0, "p:t", testp, NOT_ROUNDED, .choices = PTX_CHOICES_FROM(finite, subnormal))
#define OF(opcode, operation, types, must, maybe, operands, rounds)                                          \
    {#opcode, types, must, operands, {general_32, general_32, general_64},                                   \
     .number = OPERATION_##operation, .may = maybe, .roundings = rounds},
#define SUMS(opcode)                                                                                         \
    OF(opcode, opcode, F32, 0, HAS(ftz) | HAS(sat), "t:tt", MAY_ROUND)                                       \
    OF(opcode, opcode, F64, 0, 0, "t:tt", MAY_ROUND)                                                         \
    OF(opcode, opcode, F16, 0, HAS(ftz) | HAS(sat), "t:tt", MAY_ROUND_NEAREST)                               \
    OF(opcode, opcode, BF16, 0, 0, "t:tt", MAY_ROUND_NEAREST)
#define APPROXIMATION(opcode, operands)                                                                      \
    OF(opcode, opcode, F32, HAS(approx), HAS(ftz), operands, NOT_ROUNDED)
#define INVERSES(opcode, operands)                                                                           \
    OF(opcode, opcode, F32, 0, HAS(ftz), operands, ROUNDS)                                                   \
    OF(opcode, opcode, F64, 0, 0, operands, ROUNDS)                                                          \
    APPROXIMATION(opcode, operands)
#define SIGNS(opcode)                                                                                        \
    OF(opcode, opcode, F32 | F16, 0, HAS(ftz), "t:t", NOT_ROUNDED)                                           \
    OF(opcode, opcode, F64 | BF16, 0, 0, "t:t", NOT_ROUNDED)
#define CHOICES(opcode)                                                                                      \
    OF(opcode, opcode, F32 | F16, 0, HAS(ftz) | HAS(NaN), "t:tt", NOT_ROUNDED)                               \
    OF(opcode, opcode, F64, 0, 0, "t:tt", NOT_ROUNDED)                                                       \
    OF(opcode, opcode, BF16, 0, HAS(NaN), "t:tt", NOT_ROUNDED)                                               \
    OF(opcode, opcode, F32 | F16 | BF16, HAS(xorsign) | HAS(abs), HAS(ftz) | HAS(NaN), "t:tt", NOT_ROUNDED)
    SUMS(add) SUMS(sub) SUMS(mul)
    OF(fma, fma, F32, 0, HAS(ftz) | HAS(sat), "t:ttt", ROUNDS)
    OF(fma, fma, F64, 0, 0, "t:ttt", ROUNDS)
    OF(fma, fma, F16, 0, HAS(ftz) | HAS(sat), "t:ttt", ROUNDS_NEAREST)
    OF(fma, fma, F16, HAS(relu), HAS(ftz), "t:ttt", ROUNDS_NEAREST)
    OF(fma, fma, BF16, 0, HAS(relu), "t:ttt", ROUNDS_NEAREST)
    OF(mad, fma, F32, 0, HAS(ftz) | HAS(sat), "t:ttt", MAY_ROUND)
    OF(mad, fma, F64, 0, 0, "t:ttt", ROUNDS)
    INVERSES(div, "t:tt") INVERSES(rcp, "t:t") INVERSES(sqrt, "t:t")
    OF(div, div, F32, HAS(full), HAS(ftz), "t:tt", NOT_ROUNDED)
    OF(rcp, rcp, F64, HAS(approx) | HAS(ftz), 0, "t:t", NOT_ROUNDED)
    OF(rsqrt, rsqrt, F64, HAS(approx), HAS(ftz), "t:t", NOT_ROUNDED)
    APPROXIMATION(rsqrt, "t:t") APPROXIMATION(sin, "t:t") APPROXIMATION(cos, "t:t") APPROXIMATION(lg2, "t:t")
    APPROXIMATION(ex2, "t:t")
    OF(ex2, ex2, F16, HAS(approx), 0, "t:t", NOT_ROUNDED)
    OF(ex2, ex2, BF16, HAS(approx) | HAS(ftz), 0, "t:t", NOT_ROUNDED)
    OF(tanh, tanh, F32 | F16 | BF16, HAS(approx), 0, "t:t", NOT_ROUNDED)
    SIGNS(neg) SIGNS(abs) CHOICES(min) CHOICES(max)
    OF(copysign, copysign, F32 | F64, 0, 0, "t:tt", NOT_ROUNDED)
};
/* clang-format on */

bool ptx_floating(const struct ptx_name *name, struct ptx_form *form)
{
    if (!ptx_find_row(rows, LENGTH(rows), name, form))
        return false;
    for (unsigned i = 0; HOST_HAS_FMA && i < LENGTH(with_fma); i++)
        if (form->run == with_fma[i].usual)
            form->run = with_fma[i].host;
    return true;
}
