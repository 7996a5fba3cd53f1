/*
 * Names of arithmetic instructions; and arithmetic of integers, logic, shifts, bit fields, comparisons and
 * selection. A handler computes all lanes in a loop that a compiler can vectorize if all of them may be
 * written. One file because one table maps the names of all of these instructions to their handlers, which
 * are short.
 */
#include "machine/ptx/arithmetic.h"

#include "base/map.h"
#include "base/memory.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define U16 PTX_BIT(u16)
#define S16 PTX_BIT(s16)
#define U32 PTX_BIT(u32)
#define S32 PTX_BIT(s32)
#define U64 PTX_BIT(u64)
#define S64 PTX_BIT(s64)
#define I16 (U16 | S16)
#define I32 (U32 | S32)
#define I64 (U64 | S64)
#define B16 PTX_BIT(b16)
#define B32 PTX_BIT(b32)
#define B64 PTX_BIT(b64)
#define HALVES (PTX_BIT(f16) | PTX_BIT(bf16) | PAIRS)
#define U (U16 | U32 | U64)
#define S (S16 | S32 | S64)
#define I (U | S)
#define B (B16 | B32 | B64)
#define ANY (I | B | HALVES | PTX_BIT(f32) | PTX_BIT(f64))

#define WIDER_u16 uint32_t
#define WIDER_s16 int32_t
#define WIDER_u32 uint64_t
#define WIDER_s32 int64_t
#define WIDER_u64 unsigned __int128
#define WIDER_s64 __int128
#define PRODUCT(t, a, b) ((WIDER_##t)(a) * (WIDER_##t)(b))
#define LESS(x, y) ((x) < (y) ? (x) : (y))
#define MORE(x, y) ((x) > (y) ? (x) : (y))

static int64_t clamped(int64_t x, int64_t least, int64_t greatest)
{
    return x < least ? least : x > greatest ? greatest : x;
}
#define SATURATED(x) clamped(x, INT32_MIN, INT32_MAX)

/* Products of 24 bits, which have 48 bits */
#define PRODUCT_24_u32(a, b) ((uint64_t)((a)&0xffffff) * ((b)&0xffffff))
#define OF_24_BITS(x) (int64_t)((int32_t)((uint32_t)(x) << 8) >> 8)
#define PRODUCT_24_s32(a, b) (OF_24_BITS(a) * OF_24_BITS(b))

/* Two numbers of 16 bits in a register */
#define LOW(t, x) ((ptx_c_##t##16)(x))
#define HIGH(t, x) ((ptx_c_##t##16)((x) >> 16))
#define PAIR(low, high) ((uint32_t)(uint16_t)(low) | (uint32_t)(uint16_t)(high) << 16)
#define EACH_HALF(t, f) PAIR(f(LOW(t, a), LOW(t, b)), f(HIGH(t, a), HIGH(t, b)))
#define LESS_RELU(x, y) MORE(LESS(x, y), 0)
#define MORE_RELU(x, y) MORE(MORE(x, y), 0)

/* Sums with a carry, which is a predicate at the start of the frame. A difference a - b is the sum a +
 * ~b + 1, so that its carry is set if nothing was borrowed. PTX ISA calls it the borrow, but nvcc's own
 * division of 128-bit integers adds this carry after a subtraction. */
enum { CARRY_IN = 1, SUBTRACTS = 2, MULTIPLIES = 4 };
#define CARRYING(n)                                                                                          \
    PTX_HANDLER(carrying_##n)                                                                                \
    {                                                                                                        \
        const uint64_t does = code->number;                                                                  \
        const struct ptx_name *const name = code->more;                                                      \
        const bool takes_high = name->modifiers & HAS(hi), is_signed = IS(name->type[0], S);                 \
        uint32_t *const carry = PTX_AT(uint32_t, lanes, PTX_FRAME), before = does & CARRY_IN ? *carry : 0;   \
        uint32_t after = 0;                                                                                  \
        PTX_OPERAND(u##n, a)                                                                                 \
        PTX_OPERAND(u##n, b)                                                                                 \
        PTX_OPERAND(u##n, c)                                                                                 \
        PTX_RESULT(u##n)                                                                                     \
        PTX_FOR_LANES(lanes, l, {                                                                            \
            ptx_c_u##n x = a_of[l];                                                                          \
            ptx_c_u##n y = b_of[l];                                                                          \
            if (does & MULTIPLIES) {                                                                         \
                x = (ptx_c_u##n)(!takes_high ? x * y                                                         \
                                 : is_signed                                                                 \
                                     ? (ptx_c_u##n)(PRODUCT(s##n, (ptx_c_s##n)x, (ptx_c_s##n)y) >> n)        \
                                     : (ptx_c_u##n)(PRODUCT(u##n, x, y) >> n));                              \
                y = c_of[l];                                                                                 \
            }                                                                                                \
            const bool subtracts = does & SUBTRACTS;                                                         \
            const WIDER_u##n in = does & CARRY_IN ? before >> l & 1 : subtracts;                             \
            const WIDER_u##n sum = (WIDER_u##n)x + (ptx_c_u##n)(subtracts ? ~y : y) + in;                    \
            d[l] = (ptx_c_u##n)sum;                                                                          \
            after |= (uint32_t)(sum >> n & 1) << l;                                                          \
        });                                                                                                  \
        if (name->modifiers & HAS(cc))                                                                       \
            ptx_set_predicate(carry, lanes, after);                                                          \
        return code + 1;                                                                                     \
    }
CARRYING(32)
CARRYING(64)

/* Shifts by more than the width give a zero, or the sign in all bits. A shift by a constant is the same in
 * all lanes, and SSE2 shifts all lanes at once only then. */
#define SHIFT(handler, t, n, operator, beyond)                                                               \
    PTX_HANDLER(handler)                                                                                     \
    {                                                                                                        \
        PTX_OPERAND(t, a)                                                                                    \
        PTX_OPERAND(u32, b)                                                                                  \
        PTX_RESULT(t)                                                                                        \
        const uint32_t by = b_of[0];                                                                         \
        if (lanes->is_whole && (code->b & 3) == PTX_CONSTANT && by < n) {                                    \
            _Pragma("GCC ivdep") for (unsigned l = 0; l < PTX_LANES; l++) d[l] =                             \
                (ptx_modulo_##t)((ptx_c_##t)a_of[l] operator by);                                            \
            return code + 1;                                                                                 \
        }                                                                                                    \
        PTX_FOR_LANES(lanes, l, {                                                                            \
            const ptx_c_##t a = (ptx_c_##t)a_of[l];                                                          \
            d[l] = (ptx_modulo_##t)(b_of[l] < n ? a operator b_of[l] : beyond);                              \
        });                                                                                                  \
        return code + 1;                                                                                     \
    }
#define SHIFTS(n)                                                                                            \
    SHIFT(shl_##n, u##n, n, <<, 0)                                                                           \
    SHIFT(shr_u##n, u##n, n, >>, 0)                                                                          \
    SHIFT(shr_s##n, s##n, n, >>, a < 0 ? -1 : 0)
SHIFTS(16)
// cppcheck-suppress shiftTooManyBitsSigned ; the sign is copied, as gcc and clang define
SHIFTS(32)
// cppcheck-suppress shiftTooManyBitsSigned
SHIFTS(64)

/* Shifts of two registers by less than, or at most, the width of one */
#define FUNNEL(handler, amount, shifted)                                                                     \
    static inline uint32_t handler##_of(uint32_t a, uint32_t b, uint32_t c)                                  \
    {                                                                                                        \
        const uint64_t both = (uint64_t)b << 32 | a;                                                         \
        const uint32_t by = amount;                                                                          \
        return (uint32_t)(shifted);                                                                          \
    }                                                                                                        \
    UNIFORM(handler)
/* A handler for f(a, b, c) that is quicker if c is the same in all lanes */
#define UNIFORM(handler)                                                                                     \
    PTX_HANDLER(handler)                                                                                     \
    {                                                                                                        \
        PTX_OPERAND(u32, a)                                                                                  \
        PTX_OPERAND(u32, b)                                                                                  \
        PTX_OPERAND(u32, c)                                                                                  \
        PTX_RESULT(u32)                                                                                      \
        if (lanes->is_whole && (code->c & 3) == PTX_CONSTANT) {                                              \
            const uint32_t c = c_of[0];                                                                      \
            _Pragma("GCC ivdep") for (unsigned l = 0; l < PTX_LANES; l++) d[l] =                             \
                handler##_of(a_of[l], b_of[l], c);                                                           \
            return code + 1;                                                                                 \
        }                                                                                                    \
        PTX_FOR_LANES(lanes, l, { d[l] = handler##_of(a_of[l], b_of[l], c_of[l]); });                        \
        return code + 1;                                                                                     \
    }
FUNNEL(shf_l_wrap, c & 31, both << by >> 32)
FUNNEL(shf_l_clamp, LESS(c, 32), both << by >> 32)
FUNNEL(shf_r_wrap, c & 31, both >> by)
FUNNEL(shf_r_clamp, LESS(c, 32), both >> by)

/* Byte i of the result is the byte of b and a that hexadecimal digit i of the selector names; its bit 3
 * asks for eight copies of this byte's sign. */
static inline uint32_t prmt_of(uint32_t a, uint32_t b, uint32_t selector)
{
    const uint64_t bytes = (uint64_t)b << 32 | a;
    uint64_t d = 0;
    for (unsigned i = 0; i < 32; i += 8) {
        const uint64_t byte = bytes >> (selector >> i / 2 & 7) * 8 & 0xff;
        d |= (selector >> i / 2 & 8 ? (byte >> 7) * 0xff : byte) << i;
    }
    return (uint32_t)d;
}
UNIFORM(prmt)

/* The other modes of prmt choose one of four selectors. */
static const uint16_t selectors[][4] = {
    {0x3210, 0x4321, 0x5432, 0x6543}, /* f4e */
    {0x5670, 0x6701, 0x7012, 0x0123}, /* b4e */
    {0x0000, 0x1111, 0x2222, 0x3333}, /* rc8 */
    {0x3210, 0x3211, 0x3222, 0x3333}, /* ecl */
    {0x0000, 0x1110, 0x2210, 0x3210}, /* ecr */
    {0x1010, 0x3232, 0x1010, 0x3232}, /* rc16 */
};

/* Bits in which x and y are chosen by the bits of `by` */
#define CHOSEN(by, x, y) ((y) ^ ((by) & ((x) ^ (y))))
/* lop3: bit (a << 2 | b << 1 | c) of the table is the result for bits a, b and c. */
static void look_up(const struct ptx_code *code, const struct ptx_lanes *lanes, uint32_t d[PTX_LANES])
{
    PTX_OPERAND(u32, a)
    PTX_OPERAND(u32, b)
    PTX_OPERAND(u32, c)
    uint32_t of[8];
    for (unsigned i = 0; i < 8; i++)
        of[i] = 0 - (uint32_t)(code->number >> i & 1);
    _Pragma("GCC ivdep") for (unsigned l = 0; l < PTX_LANES; l++)
    {
        const uint32_t a = a_of[l], b = b_of[l], c = c_of[l];
        d[l] = CHOSEN(a, CHOSEN(b, CHOSEN(c, of[7], of[6]), CHOSEN(c, of[5], of[4])),
                      CHOSEN(b, CHOSEN(c, of[3], of[2]), CHOSEN(c, of[1], of[0])));
    }
}
PTX_HANDLER(lop3)
{
    PTX_RESULT(u32)
    if (lanes->is_whole) {
        look_up(code, lanes, d);
    } else {
        uint32_t values[PTX_LANES];
        look_up(code, lanes, values);
        PTX_FOR_LANES(lanes, l, { d[l] = values[l]; });
    }
    return code + 1;
}

/* Returns the lanes in which the predicate of an operand is true. */
static uint32_t holding(const struct ptx_code *code, const struct ptx_lanes *lanes, ptx_operand predicate)
{
    uint32_t bits = *PTX_AT(const uint32_t, lanes, predicate);
    return code->number & PTX_NOT ? ~bits : bits;
}

enum combination { COMBINED_NOT, COMBINED_AND, COMBINED_OR, COMBINED_XOR };
static uint32_t combined(uint64_t how, uint32_t x, uint32_t y)
{
    return how == COMBINED_AND ? x & y : how == COMBINED_OR ? x | y : how == COMBINED_XOR ? x ^ y : x;
}
static uint64_t combination(uint32_t modifiers)
{
    return modifiers & HAS(and)   ? COMBINED_AND
           : modifiers & HAS(or)  ? COMBINED_OR
           : modifiers & HAS(xor) ? COMBINED_XOR
                                  : COMBINED_NOT;
}

#define NO_OPERAND UINT32_MAX /* stands for a second result if the instruction has only one */

#define LOP3_WITH(name, operator)                                                                            \
    PTX_HANDLER(lop3_##name)                                                                                 \
    {                                                                                                        \
        uint32_t values[PTX_LANES], bits = 0;                                                                \
        look_up(code, lanes, values);                                                                        \
        for (unsigned l = 0; l < PTX_LANES; l++)                                                             \
            bits |= (uint32_t)(values[l] != 0) << l;                                                         \
        bits = bits operator holding(code, lanes, code->f);                                                  \
        PTX_RESULT(u32)                                                                                      \
        PTX_FOR_LANES(lanes, l, { d[l] = values[l]; });                                                      \
        if (code->e != NO_OPERAND)                                                                           \
            ptx_set_predicate(PTX_AT(uint32_t, lanes, code->e), lanes, bits);                                \
        return code + 1;                                                                                     \
    }
LOP3_WITH(and, &)
LOP3_WITH(or, |)

/* Counts and fields of bits */
static uint64_t reversed(uint64_t x)
{
    x = (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
    x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f0f0f0f0f) | (x & 0x0f0f0f0f0f0f0f0f) << 4;
    return __builtin_bswap64(x);
}
/* The place of the highest bit that is not a copy of the sign, or by how much to shift it to the top */
static uint32_t found(uint64_t x, unsigned width, const struct ptx_code *code)
{
    if (x == 0)
        return UINT32_MAX;
    uint32_t place = 63 - (uint32_t)__builtin_clzll(x);
    return ((const struct ptx_name *)code->more)->modifiers & HAS(shiftamt) ? width - 1 - place : place;
}

/* Returns `length` bits that are set, from this place on. */
static uint64_t field(uint32_t place, uint32_t length)
{
    uint64_t ones = length < 64 ? (UINT64_C(1) << length) - 1 : UINT64_MAX;
    return place < 64 ? ones << place : 0;
}
static uint64_t extracted(uint64_t x, uint32_t place, uint32_t length, unsigned width, bool is_signed)
{
    place &= 0xff, length &= 0xff;
    uint64_t d = place < 64 ? x >> place & field(0, length) : 0;
    if (!is_signed || length == 0)
        return d;
    uint32_t sign = LESS(place + length - 1, width - 1);
    if (x >> sign & 1) /* the bits from the sign on are copies of it */
        d |= ~field(0, sign >= place ? LESS(length, sign - place + 1) : 0);
    return d;
}
#define BFI(n)                                                                                               \
    PTX_HANDLER(bfi_##n)                                                                                     \
    {                                                                                                        \
        PTX_OPERAND(u32, f)                                                                                  \
        PTX_COMPUTE(u##n, u##n, u##n, u32,                                                                   \
                    CHOSEN(field(c & 0xff, f_of[l] & 0xff), (c & 0xff) < n ? (uint64_t)a << (c & 0xff) : 0,  \
                           (uint64_t)b))                                                                     \
    }
BFI(32)
BFI(64)
static uint32_t szext(uint32_t a, uint32_t length, bool is_signed)
{
    bool is_negative = is_signed && length > 0 && length < 32 && (a >> (length - 1) & 1);
    return (uint32_t)(is_negative ? a | ~field(0, length) : a & field(0, length));
}
/* The place of the nth bit that is set, counted from `base` up or, if n is negative, down */
static uint32_t fns(uint32_t mask, uint32_t base, int32_t n)
{
    if (base >= 32)
        return UINT32_MAX;
    if (n == 0)
        return mask >> base & 1 ? base : UINT32_MAX;
    int64_t left = n > 0 ? n : -(int64_t)n;
    for (uint32_t place = base; place<32; place += n> 0 ? 1 : UINT32_MAX)
        if ((mask >> place & 1) && --left == 0)
            return place;
    return UINT32_MAX;
}

/* Returns part i of the parts of x, each of `bits` bits. */
static int64_t part(uint32_t x, unsigned bits, unsigned i, bool is_signed)
{
    x = (uint32_t)(x >> bits * i & field(0, bits));
    return is_signed ? (int32_t)(x << (32 - bits)) >> (32 - bits) : (int64_t)x;
}
/* dp4a, or dp2a with two bytes of b: the products of the parts of a and of bytes of b, from this one on */
static uint32_t dot(uint32_t a, uint32_t b, uint32_t c, unsigned parts, unsigned from,
                    const struct ptx_name *name)
{
    for (unsigned i = 0; i < parts; i++)
        c += (uint32_t)(part(a, 32 / parts, i, IS(name->type[0], S)) *
                        part(b, 8, from + i, IS(name->type[1], S)));
    return c;
}

/* The video instructions (CUDA's headers use vabsdiff4): operations on one, two or four parts of the
 * operands. The results replace c, or are added to it. */
enum video { VIDEO_add, VIDEO_sub, VIDEO_avrg, VIDEO_absdiff, VIDEO_min, VIDEO_max };
enum { VIDEO_BITS_AT = 8 };
static uint32_t of_parts(uint32_t a, uint32_t b, uint32_t c, uint64_t number, const struct ptx_name *name)
{
    const unsigned bits = FIELD(number, VIDEO_BITS_AT);
    const bool is_signed = IS(name->type[0], S), adds = name->modifiers & HAS(add);
    uint32_t d = adds ? c : 0;
    for (unsigned i = 0; i < 32 / bits; i++) {
        const int64_t x = part(a, bits, i, IS(name->type[1], S)), y = part(b, bits, i, IS(name->type[2], S));
        const int64_t results[] = {[VIDEO_add] = x + y,
                                   [VIDEO_sub] = x - y,
                                   [VIDEO_avrg] = (x + y + (x + y >= 0)) >> 1,
                                   [VIDEO_absdiff] = x < y ? y - x : x - y,
                                   [VIDEO_min] = LESS(x, y),
                                   [VIDEO_max] = MORE(x, y)};
        int64_t z = results[FIELD(number, 0)];
        if (name->modifiers & HAS(sat))
            z = is_signed ? clamped(z, -(INT64_C(1) << (bits - 1)), (INT64_C(1) << (bits - 1)) - 1)
                          : clamped(z, 0, (INT64_C(1) << bits) - 1);
        if (adds)
            d += (uint32_t)z;
        else
            d |= (uint32_t)((uint64_t)z & field(0, bits)) << bits * i;
    }
    return d;
}
PTX_COMPUTES(video, u32, u32, u32, u32, of_parts(a, b, c, code->number, code->more))

PTX_HANDLER(mov_128)
{
    PTX_OPERAND(u64, a)
    PTX_RESULT(u64)
    PTX_FOR_LANES(lanes, l, {
        d[l] = a_of[l];
        d[PTX_LANES + l] = a_of[PTX_LANES + l];
    });
    return code + 1;
}

/* Logic of predicates, on all lanes at once */
#define OF_PREDICATES(handler, expression)                                                                   \
    PTX_HANDLER(handler)                                                                                     \
    {                                                                                                        \
        const uint32_t a = *PTX_AT(const uint32_t, lanes, code->a),                                          \
                       b = *PTX_AT(const uint32_t, lanes, code->b);                                          \
        ptx_set_predicate(PTX_AT(uint32_t, lanes, code->d), lanes, expression);                              \
        return code + 1;                                                                                     \
    }
OF_PREDICATES(and_pred, a &b)
OF_PREDICATES(or_pred, a | b)
OF_PREDICATES(xor_pred, a ^ b)
#define OF_PREDICATE(handler, expression)                                                                    \
    PTX_HANDLER(handler)                                                                                     \
    {                                                                                                        \
        const uint32_t a = holding(code, lanes, code->a);                                                    \
        ptx_set_predicate(PTX_AT(uint32_t, lanes, code->d), lanes, expression);                              \
        return code + 1;                                                                                     \
    }
OF_PREDICATE(not_pred, ~a)
OF_PREDICATE(mov_pred, a)

/* The bit of each lane. To test it with a table is quicker than a shift by the lane, because SSE2 cannot
 * shift lanes by different amounts. */
#define FOUR_BITS(n) 1u << (n), 2u << (n), 4u << (n), 8u << (n)
static const uint32_t bit_of[PTX_LANES] = {FOUR_BITS(0),  FOUR_BITS(4),  FOUR_BITS(8),  FOUR_BITS(12),
                                           FOUR_BITS(16), FOUR_BITS(20), FOUR_BITS(24), FOUR_BITS(28)};
#define SELP(n)                                                                                              \
    PTX_HANDLER(selp_##n)                                                                                    \
    {                                                                                                        \
        const uint32_t bits = holding(code, lanes, code->c);                                                 \
        PTX_COMPUTE(u##n, u##n, u##n, u##n, bits &bit_of[l] ? a : b)                                         \
    }
SELP(32)
SELP(64)
#define SLCT(n)                                                                                              \
    PTX_COMPUTES(slct_s32_##n, u##n, u##n, u##n, s32, c >= 0 ? a : b)                                        \
    PTX_COMPUTES(slct_f32_##n, u##n, u##n, u##n, u32, ptx_float(c) >= 0 ? a : b)                             \
    PTX_COMPUTES(slct_f32_ftz_##n, u##n, u##n, u##n, u32, ptx_flushed(ptx_float(c)) >= 0 ? a : b)
SLCT(16)
SLCT(32)
SLCT(64)

/* Gathers one byte of each lane, which is 0 or 1, into a word. */
static inline uint32_t gathered(const uint8_t bytes[PTX_LANES])
{
#ifdef __SSE2__
    const __m128i low = _mm_loadu_si128((const void *)bytes),
                  high = _mm_loadu_si128((const void *)(bytes + 16));
    /* The processor gathers the highest bits of bytes. */
    return (uint32_t)_mm_movemask_epi8(_mm_slli_epi16(low, 7)) |
           (uint32_t)_mm_movemask_epi8(_mm_slli_epi16(high, 7)) << 16;
#else
    uint32_t bits = 0;
    for (unsigned i = 0; i < PTX_LANES; i += 8) {
        uint64_t eight;
        memcpy(&eight, bytes + i, sizeof eight);
        /* The multiplication moves the lowest bit of each of eight bytes into the highest byte. */
        bits |= (uint32_t)(eight * 0x0102040810204080 >> 56) << i;
    }
    return bits;
#endif
}

/* Sets the results of setp: the lanes in which the comparison holds, and the lanes in which its second result
 * is true. */
static const struct ptx_code *set_predicates(const struct ptx_code *code, const struct ptx_lanes *lanes,
                                             uint32_t bits, uint32_t second)
{
    const uint64_t how = code->number & 3;
    if (how) {
        const uint32_t c = holding(code, lanes, code->c);
        bits = combined(how, bits, c);
        second = combined(how, second, c);
    }
    ptx_set_predicate(PTX_AT(uint32_t, lanes, code->d), lanes, bits);
    if (code->e != NO_OPERAND)
        ptx_set_predicate(PTX_AT(uint32_t, lanes, code->e), lanes, second);
    return code + 1;
}

/* A comparison is computed in all lanes, because it has no effect in lanes that do not run. */
#define COMPARISON(choice, expression, t, slot, c_type, as_read)                                             \
    static inline uint32_t choice##_##t(const struct ptx_code *code, const struct ptx_lanes *lanes)          \
    {                                                                                                        \
        const slot *const a_of = PTX_AT(const slot, lanes, code->a), *const b_of =                           \
                                                                         PTX_AT(const slot, lanes, code->b); \
        uint8_t holds[PTX_LANES];                                                                            \
        for (unsigned l = 0; l < PTX_LANES; l++) {                                                           \
            const c_type a = (c_type)as_read(a_of[l]), b = (c_type)as_read(b_of[l]);                         \
            holds[l] = (expression);                                                                         \
        }                                                                                                    \
        return gathered(holds);                                                                              \
    }                                                                                                        \
    PTX_HANDLER(setp_##choice##_##t)                                                                         \
    {                                                                                                        \
        const uint32_t bits = choice##_##t(code, lanes);                                                     \
        return set_predicates(code, lanes, bits, ~bits);                                                     \
    }
/* Lists of comparisons. C's comparisons, except !=, are false if a number is NaN. PTX's comparisons that are
 * true for NaN negate C's. */
#define EQUALITIES(EACH, ...) EACH(eq, a == b, __VA_ARGS__) EACH(ne, a != b, __VA_ARGS__)
#define ORDERS(EACH, ...)                                                                                    \
    EACH(lt, a < b, __VA_ARGS__)                                                                             \
    EACH(le, a <= b, __VA_ARGS__) EACH(gt, a > b, __VA_ARGS__) EACH(ge, a >= b, __VA_ARGS__)
#define OF_NUMBERS(EACH, ...)                                                                                \
    EACH(eq, a == b, __VA_ARGS__)                                                                            \
    EACH(ne, (a < b) | (a > b), __VA_ARGS__)                                                                 \
    ORDERS(EACH, __VA_ARGS__)                                                                                \
    EACH(equ, !((a < b) | (a > b)), __VA_ARGS__)                                                             \
    EACH(neu, a != b, __VA_ARGS__)                                                                           \
    EACH(ltu, !(a >= b), __VA_ARGS__)                                                                        \
    EACH(leu, !(a > b), __VA_ARGS__)                                                                         \
    EACH(gtu, !(a <= b), __VA_ARGS__)                                                                        \
    EACH(geu, !(a < b), __VA_ARGS__)                                                                         \
    EACH(num, (a == a) & (b == b), __VA_ARGS__)                                                              \
    EACH(nan, (a != a) | (b != b), __VA_ARGS__)
#define OF_INTEGERS(choice, expression, t) COMPARISON(choice, expression, t, ptx_slot_##t, ptx_c_##t, )
EQUALITIES(OF_INTEGERS, u16)
ORDERS(OF_INTEGERS, u16)
ORDERS(OF_INTEGERS, s16)
EQUALITIES(OF_INTEGERS, u32)
ORDERS(OF_INTEGERS, u32)
ORDERS(OF_INTEGERS, s32)
EQUALITIES(OF_INTEGERS, u64)
ORDERS(OF_INTEGERS, u64)
ORDERS(OF_INTEGERS, s64)
OF_NUMBERS(COMPARISON, f32, ptx_slot_f32, ptx_slot_f32, )
OF_NUMBERS(COMPARISON, f32_ftz, ptx_slot_f32, ptx_slot_f32, ptx_flushed)
OF_NUMBERS(COMPARISON, f64, ptx_slot_f64, ptx_slot_f64, )

static const struct comparison {
    enum ptx_choice choice;
    uint64_t types;
    bool flushes;
    uint32_t (*lanes)(const struct ptx_code *code, const struct ptx_lanes *lanes);
    ptx_handler *setp;
} comparisons[] = {
#define ENTRY(choice, expression, t, types, flushes)                                                         \
    {PTX_##choice, types, flushes, choice##_##t, setp_##choice##_##t},
    /* clang-format off */
    EQUALITIES(ENTRY, u16, I16 | B16, false)
    EQUALITIES(ENTRY, u32, I32 | B32, false)
    EQUALITIES(ENTRY, u64, I64 | B64, false)
    ORDERS(ENTRY, u16, U16, false)
    ORDERS(ENTRY, s16, S16, false)
    ORDERS(ENTRY, u32, U32, false)
    ORDERS(ENTRY, s32, S32, false)
    ORDERS(ENTRY, u64, U64, false)
    ORDERS(ENTRY, s64, S64, false)
    OF_NUMBERS(ENTRY, f32, PTX_BIT(f32), false)
    OF_NUMBERS(ENTRY, f32_ftz, PTX_BIT(f32), true)
    OF_NUMBERS(ENTRY, f64, PTX_BIT(f64), false)
    /* clang-format on */
};

/* The place of a comparison in the list is in `number`, above the combination. */
enum { COMPARISON_AT = 8 };

/* Returns the lanes in which a comparison of halves holds, of the low or the high ones. As halves convert to
 * double without a loss, doubles are compared. */
static uint32_t compared_halves(const struct ptx_code *code, const struct ptx_lanes *lanes, bool are_high)
{
    PTX_OPERAND(u32, a)
    PTX_OPERAND(u32, b)
    const struct ptx_name *name = code->more;
    const enum ptx_type type = name->type[name->types - 1];
    const unsigned shift = are_high ? 16 : 0;
    double values[2][PTX_LANES];
    for (unsigned l = 0; l < PTX_LANES; l++) {
        const double a = ptx_widened(a_of[l] >> shift, type), b = ptx_widened(b_of[l] >> shift, type);
        values[0][l] = name->modifiers & HAS(ftz) ? ptx_flushed_of(a, type) : a;
        values[1][l] = name->modifiers & HAS(ftz) ? ptx_flushed_of(b, type) : b;
    }
    struct ptx_lanes of_values = {.base = {(unsigned char *)values}};
    const struct ptx_code compares = {.b = sizeof values[0]};
    return comparisons[FIELD(code->number, COMPARISON_AT)].lanes(&compares, &of_values);
}
PTX_HANDLER(setp_halves)
{
    const uint32_t low = compared_halves(code, lanes, false);
    const bool is_pair = IS(((const struct ptx_name *)code->more)->type[0], PAIRS);
    return set_predicates(code, lanes, low, is_pair ? compared_halves(code, lanes, true) : ~low);
}

/* set: true is 1.0 if the result has a floating-point type, and all ones if it is an integer. */
static uint32_t true_in(enum ptx_type type)
{
    switch (type) {
    case PTX_f32:
        return 0x3f800000;
    case PTX_f16:
    case PTX_f16x2:
        return 0x3c00;
    case PTX_bf16:
    case PTX_bf16x2:
        return 0x3f80;
    case PTX_u16:
    case PTX_s16:
        return 0xffff;
    default:
        return UINT32_MAX;
    }
}
static const struct comparison *comparison_of(enum ptx_choice choice, enum ptx_type type, bool flushes)
{
    for (unsigned i = 0; i < LENGTH(comparisons); i++)
        if (comparisons[i].choice == choice && (comparisons[i].types >> type & 1) &&
            comparisons[i].flushes == flushes)
            return &comparisons[i];
    return NULL;
}
PTX_HANDLER(set)
{
    const struct ptx_name *name = code->more;
    const uint32_t is_true = true_in(name->type[0]);
    const bool is_pair = IS(name->type[1], PAIRS);
    uint32_t low = IS(name->type[1], HALVES)
                       ? compared_halves(code, lanes, false)
                       : comparisons[FIELD(code->number, COMPARISON_AT)].lanes(code, lanes);
    uint32_t high = is_pair ? compared_halves(code, lanes, true) : 0;
    if (code->number & 3) {
        const uint32_t c = holding(code, lanes, code->c);
        low = combined(code->number & 3, low, c);
        high = is_pair ? combined(code->number & 3, high, c) : 0;
    }
    PTX_RESULT(u32)
    PTX_FOR_LANES(lanes, l,
                  { d[l] = (low & bit_of[l] ? is_true : 0) | (high & bit_of[l] ? is_true << 16 : 0); });
    return code + 1;
}

unsigned ptx_width_of(enum ptx_type type)
{
#define WIDTH(type, width) width,
    static const uint8_t widths[] = {PTX_TYPE_LIST(WIDTH)};
#undef WIDTH
    return widths[type];
}

/* Returns a pattern of operands with the classes of the types in place of t and s. */
static const char *operands_of(const char *pattern, const enum ptx_type types[2])
{
    char *operands = copy_text(pattern);
    for (char *c = operands; *c; c++)
        if (*c == 't' || *c == 's') {
            const unsigned width = ptx_width_of(types[*c == 's']);
            *c = width == 64 ? '8' : width == 32 ? '4' : width == 16 ? '2' : '1';
        }
    return operands;
}

/* Fills in the form of setp or set, and returns whether there is such an instruction. */
static bool comparison(const struct ptx_name *name, struct ptx_form *form)
{
    const bool is_setp = !strcmp(name->opcode, "setp");
    const uint32_t combines = name->modifiers & (HAS(and) | HAS(or) | HAS(xor));
    if ((!is_setp && strcmp(name->opcode, "set")) || name->types != (is_setp ? 1 : 2) || name->rounding ||
        (name->modifiers & ~(combines | HAS(ftz) | HAS(lo) | HAS(hi))) || (combines & (combines - 1)))
        return false;
    const enum ptx_type type = name->type[name->types - 1];
    const uint64_t is_type = UINT64_C(1) << type;
    const bool flushes = name->modifiers & HAS(ftz);
    enum ptx_choice choice = name->choice;
    /* lo, ls, hi and hs are the orders of numbers without a sign. */
    const bool is_lo = name->modifiers & HAS(lo), is_hi = name->modifiers & HAS(hi);
    if (is_lo + is_hi + (choice != PTX_NO_CHOICE) != 1)
        return false;
    if (is_lo || is_hi || choice == PTX_ls || choice == PTX_hs) {
        if (!(is_type & (U16 | U32 | U64)))
            return false;
        choice = is_lo ? PTX_lt : is_hi ? PTX_gt : choice == PTX_ls ? PTX_le : PTX_ge;
    }
    const struct comparison *of =
        comparison_of(choice, is_type & HALVES ? PTX_f64 : type, flushes && !(is_type & HALVES));
    if (!of)
        return false;
    form->number = combination(combines) | (uint64_t)(of - comparisons) << COMPARISON_AT;
    if (is_setp) {
        form->run = is_type & HALVES ? setp_halves : of->setp;
        form->operands = operands_of(combines ? "p|p:ttp" : "p|p:tt", name->type);
        return true;
    }
    const uint64_t is_result = UINT64_C(1) << name->type[0];
    if (is_type & PAIRS ? name->type[0] != type
                        : !(is_result & (I32 | PTX_BIT(f32) | (is_type & HALVES ? I16 | is_type : 0))))
        return false;
    form->run = set;
    form->operands = ptx_width_of(name->type[0]) == 16 ? combines ? "2:22p" : "2:22"
                                                       : operands_of(combines ? "4:ssp" : "4:ss", name->type);
    return true;
}

/* The handlers of the rows, and the rows */
#define OF_WIDTH(name, w, s, expression)                                                                     \
    PTX_HANDLER(name)                                                                                        \
    {                                                                                                        \
        enum { n = w };                                                                                      \
        typedef WIDER_##s##w wider __attribute__((unused));                                                  \
        typedef ptx_c_u##w narrow __attribute__((unused));                                                   \
        PTX_COMPUTE(u##w, s##w, s##w, u##w, expression)                                                      \
    }
#define EACH_WIDTH(name, opcode, types, modifiers, operands, s, expression)                                  \
    OF_WIDTH(name##_16, 16, s, expression)                                                                   \
    OF_WIDTH(name##_32, 32, s, expression)                                                                   \
    OF_WIDTH(name##_64, 64, s, expression)
#define BOTH_SIGNS(name, opcode, modifiers, operands, expression)                                            \
    EACH_WIDTH(name##_u, opcode, U, modifiers, operands, u, expression)                                      \
    EACH_WIDTH(name##_s, opcode, S, modifiers, operands, s, expression)
#define ONE(name, opcode, types, modifiers, operands, td, ta, tb, tc, expression, ...)                       \
    PTX_COMPUTES(name, td, ta, tb, tc, expression)
#define ROW(...)
#define VIDEO(operation)
#define SCALAR_VIDEO(operation)
#include "machine/ptx/arithmetic.def"
#undef EACH_WIDTH
#undef ONE
#undef ROW
#undef VIDEO
#undef SCALAR_VIDEO
static const struct ptx_row rows[] = {
/* clang-format off */
#define HANDLERS(...) {__VA_ARGS__}
#define ROW(opcode, types, modifiers, operands, handlers, constant, ...)                                     \
    {opcode, types, modifiers, operands, HANDLERS handlers, .number = constant, ##__VA_ARGS__},
#define EACH_WIDTH(name, opcode, types, modifiers, operands, s, expression)                                  \
    ROW(opcode, types, modifiers, operands, (name##_16, name##_32, name##_64), 0)
#define ONE(name, opcode, types, modifiers, operands, td, ta, tb, tc, expression, ...)                       \
    ROW(opcode, types, modifiers, operands, (name), 0, ##__VA_ARGS__)
#define OF_PARTS(opcode, operation, bits, modifiers, operands, more)                                         \
    ROW(opcode, I32, modifiers, operands, (video), operation | (bits) << VIDEO_BITS_AT, .second = I32,       \
        .third = I32, .may = HAS(sat) | more)
#define VIDEO(operation)                                                                                     \
    OF_PARTS("v" #operation "2", VIDEO_##operation, 16, 0, "4:444", HAS(add))                                \
    OF_PARTS("v" #operation "4", VIDEO_##operation, 8, 0, "4:444", HAS(add))
#define SCALAR_VIDEO(operation)                                                                              \
    OF_PARTS("v" #operation, VIDEO_##operation, 32, 0, "4:44", 0)                                            \
    OF_PARTS("v" #operation, VIDEO_##operation, 32, HAS(add), "4:444", 0)
/* clang-format on */
#include "machine/ptx/arithmetic.def"
};

static bool fits(const struct ptx_row *row, const struct ptx_name *name)
{
    const uint64_t types[] = {row->types, row->second, row->third};
    const unsigned count = 1u + (row->second != 0) + (row->third != 0);
    const uint32_t roundings = row->roundings ? row->roundings : NOT_ROUNDED;
    bool fits = name->types == count && roundings >> name->rounding & 1 &&
                (name->modifiers & ~row->may) == row->modifiers &&
                (name->choice ? row->choices >> name->choice & 1 : !row->choices) &&
                !strcmp(row->opcode, name->opcode);
    for (unsigned t = 0; t < count && fits; t++)
        fits = IS(name->type[t], types[t]);
    return fits;
}

bool ptx_find_row(const struct ptx_row *row, size_t count, const struct ptx_name *name, struct ptx_form *form)
{
    const unsigned width = ptx_width_of(name->type[0]);
    for (const struct ptx_row *end = row + count; row < end; row++)
        if (fits(row, name)) {
            form->run = row->run[!row->run[1] || width == 16 ? 0 : width == 32 ? 1 : 2];
            form->operands = operands_of(row->operands, name->type);
            form->number = row->number;
            return true;
        }
    return false;
}

/* Returns the place of a word in a list, or `count` if it is not there. */
static unsigned place_of(const char *word, size_t length, const char *const *words, unsigned count)
{
    unsigned i = 0;
    while (i < count && (strlen(words[i]) != length || memcmp(words[i], word, length)))
        i++;
    return i;
}

#define WORD(word, ...) #word,
static const char *const types[] = {PTX_TYPE_LIST(WORD)}, *const choices[] = {PTX_CHOICE_LIST(WORD)};
static const char *const roundings[] = {PTX_ROUNDING_LIST(WORD)}, *const modifiers[] = {
                                                                      PTX_MODIFIER_LIST(WORD)};
#undef WORD

enum ptx_type ptx_type_named(const char *name, size_t length)
{
    return (enum ptx_type)place_of(name, length, types, LENGTH(types));
}

static bool take_apart(const char *text, struct ptx_name *name)
{
    size_t length = strcspn(text, ".");
    if (length >= sizeof name->opcode)
        return false;
    *name = (struct ptx_name){.types = 0};
    memcpy(name->opcode, text, length);
    for (text += length; *text; text += length) {
        text++;
        length = strcspn(text, ".");
        unsigned i;
        if ((i = place_of(text, length, types, LENGTH(types))) < LENGTH(types)) {
            if (name->types == LENGTH(name->type))
                return false;
            name->type[name->types++] = (enum ptx_type)i;
        } else if ((i = place_of(text, length, choices, LENGTH(choices))) < LENGTH(choices)) {
            if (name->choice)
                return false;
            name->choice = (enum ptx_choice)(i + 1);
        } else if ((i = place_of(text, length, roundings, LENGTH(roundings))) < LENGTH(roundings)) {
            if (name->rounding)
                return false;
            name->rounding = (enum ptx_rounding)(i + 1);
        } else if ((i = place_of(text, length, modifiers, LENGTH(modifiers))) < LENGTH(modifiers)) {
            if (name->modifiers >> i & 1)
                return false;
            name->modifiers |= 1u << i;
        } else {
            return false;
        }
    }
    return name->types > 0;
}

/* The forms that were asked for. They are never freed, and only the thread that reads PTX asks for them. */
struct named_form {
    const char *name;
    const struct ptx_form *form;
};
static struct map forms = MAP_OF_TEXTS(struct named_form);

const struct ptx_form *ptx_arithmetic(const char *name)
{
    const struct named_form *known = map_find(&forms, &name);
    if (known)
        return known->form;
    struct ptx_name apart;
    struct ptx_form form = {.number = 0};
    if (!take_apart(name, &apart) ||
        !(ptx_find_row(rows, LENGTH(rows), &apart, &form) || comparison(&apart, &form) ||
          ptx_floating(&apart, &form) || ptx_conversion(&apart, &form)))
        return NULL;
    struct kept {
        struct ptx_form form;
        struct ptx_name parts;
    } *kept = allocate(sizeof *kept);
    kept->parts = apart;
    form.name = copy_text(name);
    form.parts = &kept->parts;
    kept->form = form;
    struct named_form *named = map_get(&forms, &form.name);
    return named->form = &kept->form;
}
