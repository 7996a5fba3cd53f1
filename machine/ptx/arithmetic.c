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
#define ANY16 (I16 | B16 | PTX_BIT(f16) | PTX_BIT(bf16))
#define ANY32 (I32 | B32 | PTX_BIT(f32) | PTX_BIT(f16x2) | PTX_BIT(bf16x2))
#define ANY64 (I64 | B64 | PTX_BIT(f64))

#define WIDER_u16 uint32_t
#define WIDER_s16 int32_t
#define WIDER_u32 uint64_t
#define WIDER_s32 int64_t
#define WIDER_u64 unsigned __int128
#define WIDER_s64 __int128
#define PRODUCT(t, a, b) ((WIDER_##t)(a) * (WIDER_##t)(b))

/* Sums, products and logic, which are the same for numbers with and without a sign. They are computed
 * without a sign, because C does not define a signed overflow. */
#define MODULAR(n)                                                                                           \
    PTX_BINARY(add_##n, u##n, u##n, u##n, a + b)                                                             \
    PTX_BINARY(sub_##n, u##n, u##n, u##n, a - b)                                                             \
    PTX_BINARY(mul_lo_##n, u##n, u##n, u##n, 1u * a * b)                                                     \
    PTX_TERNARY(mad_lo_##n, u##n, u##n, u##n, u##n, 1u * a * b + c)                                          \
    PTX_BINARY(and_##n, u##n, u##n, u##n, a &b)                                                              \
    PTX_BINARY(or_##n, u##n, u##n, u##n, a | b)                                                              \
    PTX_BINARY(xor_##n, u##n, u##n, u##n, a ^ b)                                                             \
    PTX_UNARY(not_##n, u##n, u##n, ~a)                                                                       \
    PTX_UNARY(cnot_##n, u##n, u##n, a == 0)                                                                  \
    PTX_UNARY(mov_##n, u##n, u##n, a)                                                                        \
    PTX_UNARY(neg_##n, u##n, u##n, 0u - a)                                                                   \
    PTX_UNARY(abs_##n, u##n, u##n, a >> (n - 1) ? 0u - a : a)
MODULAR(16)
MODULAR(32)
MODULAR(64)

/* A division by 0 gives a quotient with all bits set and the dividend as the remainder. It must not trap,
 * because the loop over all lanes also computes lanes that do not run. */
#define SIGNED_OR_NOT(t, n)                                                                                  \
    PTX_BINARY(mul_hi_##t, t, t, t, PRODUCT(t, a, b) >> n)                                                   \
    PTX_TERNARY(mad_hi_##t, t, t, t, t, (ptx_c_u##n)(PRODUCT(t, a, b) >> n) + (ptx_c_u##n)c)                 \
    PTX_BINARY(min_##t, t, t, t, a < b ? a : b)                                                              \
    PTX_BINARY(max_##t, t, t, t, a > b ? a : b)                                                              \
    PTX_TERNARY(sad_##t, t, t, t, u##n,                                                                      \
                (a < b ? (ptx_c_u##n)b - (ptx_c_u##n)a : (ptx_c_u##n)a - (ptx_c_u##n)b) + c)
SIGNED_OR_NOT(u16, 16)
SIGNED_OR_NOT(s16, 16)
SIGNED_OR_NOT(u32, 32)
SIGNED_OR_NOT(s32, 32)
SIGNED_OR_NOT(u64, 64)
SIGNED_OR_NOT(s64, 64)
#define DIVISIONS(n)                                                                                         \
    PTX_BINARY(div_u##n, u##n, u##n, u##n, b ? a / b : (ptx_c_u##n) ~(ptx_c_u##n)0)                          \
    PTX_BINARY(rem_u##n, u##n, u##n, u##n, b ? a % b : a)                                                    \
    PTX_BINARY(div_s##n, s##n, s##n, s##n,                                                                   \
               b == 0    ? (ptx_c_u##n) ~(ptx_c_u##n)0                                                       \
               : b == -1 ? (ptx_c_u##n)(0u - (ptx_c_u##n)a)                                                  \
                         : (ptx_c_u##n)(a / b))                                                              \
    PTX_BINARY(rem_s##n, s##n, s##n, s##n, b == 0 ? a : b == -1 ? 0 : a % b)
DIVISIONS(16)
DIVISIONS(32)
DIVISIONS(64)
PTX_BINARY(mul_wide_u16, u32, u16, u16, PRODUCT(u16, a, b))
PTX_BINARY(mul_wide_s16, s32, s16, s16, PRODUCT(s16, a, b))
PTX_BINARY(mul_wide_u32, u64, u32, u32, PRODUCT(u32, a, b))
PTX_BINARY(mul_wide_s32, s64, s32, s32, PRODUCT(s32, a, b))
PTX_TERNARY(mad_wide_u16, u32, u16, u16, u32, PRODUCT(u16, a, b) + c)
PTX_TERNARY(mad_wide_s16, u32, s16, s16, u32, (uint32_t)PRODUCT(s16, a, b) + c)
PTX_TERNARY(mad_wide_u32, u64, u32, u32, u64, PRODUCT(u32, a, b) + c)
PTX_TERNARY(mad_wide_s32, u64, s32, s32, u64, (uint64_t)PRODUCT(s32, a, b) + c)

static int64_t clamped(int64_t x, int64_t least, int64_t greatest)
{
    return x < least ? least : x > greatest ? greatest : x;
}
#define SATURATED(x) clamped(x, INT32_MIN, INT32_MAX)
PTX_BINARY(add_sat, s32, s32, s32, SATURATED((int64_t)a + b))
PTX_BINARY(sub_sat, s32, s32, s32, SATURATED((int64_t)a - b))
PTX_TERNARY(mad_hi_sat, s32, s32, s32, s32, SATURATED((PRODUCT(s32, a, b) >> 32) + c))
PTX_BINARY(min_relu, s32, s32, s32, clamped(a < b ? a : b, 0, INT32_MAX))
PTX_BINARY(max_relu, s32, s32, s32, clamped(a > b ? a : b, 0, INT32_MAX))

/* Products of 24 bits: the lowest or the highest 32 of their 48 bits */
#define LOW_24_u32(x) (uint64_t)((x)&0xffffff)
#define LOW_24_s32(x) (int64_t)((int32_t)((uint32_t)(x) << 8) >> 8)
#define OF_24(t)                                                                                             \
    PTX_BINARY(mul24_lo_##t, t, t, t, LOW_24_##t(a) * LOW_24_##t(b))                                         \
    PTX_BINARY(mul24_hi_##t, t, t, t, LOW_24_##t(a) * LOW_24_##t(b) >> 16)                                   \
    PTX_TERNARY(mad24_lo_##t, t, t, t, t, LOW_24_##t(a) * LOW_24_##t(b) + c)                                 \
    PTX_TERNARY(mad24_hi_##t, t, t, t, t, (LOW_24_##t(a) * LOW_24_##t(b) >> 16) + c)
OF_24(u32)
OF_24(s32)
PTX_TERNARY(mad24_hi_sat, s32, s32, s32, s32, SATURATED((LOW_24_s32(a) * LOW_24_s32(b) >> 16) + c))

/* Two numbers of 16 bits in a register */
#define LOW(t, x) ((ptx_c_##t##16)(x))
#define HIGH(t, x) ((ptx_c_##t##16)((x) >> 16))
#define PAIR(low, high) ((uint32_t)(uint16_t)(low) | (uint32_t)(uint16_t)(high) << 16)
#define LESS(x, y) ((x) < (y) ? (x) : (y))
#define MORE(x, y) ((x) > (y) ? (x) : (y))
#define EACH_HALF(t, f) PAIR(f(LOW(t, a), LOW(t, b)), f(HIGH(t, a), HIGH(t, b)))
#define LESS_RELU(x, y) MORE(LESS(x, y), 0)
#define MORE_RELU(x, y) MORE(MORE(x, y), 0)
PTX_BINARY(add_16x2, u32, u32, u32, PAIR(a + b, (a >> 16) + (b >> 16)))
PTX_BINARY(min_u16x2, u32, u32, u32, EACH_HALF(u, LESS))
PTX_BINARY(max_u16x2, u32, u32, u32, EACH_HALF(u, MORE))
PTX_BINARY(min_s16x2, u32, u32, u32, EACH_HALF(s, LESS))
PTX_BINARY(max_s16x2, u32, u32, u32, EACH_HALF(s, MORE))
PTX_BINARY(min_relu_s16x2, u32, u32, u32, EACH_HALF(s, LESS_RELU))
PTX_BINARY(max_relu_s16x2, u32, u32, u32, EACH_HALF(s, MORE_RELU))

/* Sums with a carry, which is a predicate at the start of the frame. A difference a - b is the sum a +
 * ~b + 1, so that its carry is set if nothing was borrowed. PTX ISA calls it the borrow, but nvcc's own
 * division of 128-bit integers adds this carry after a subtraction. */
enum { CARRY_IN = 1, CARRY_OUT = 2, SUBTRACTS = 4, MULTIPLIES = 8, TAKES_HIGH = 16, IS_SIGNED = 32 };
#define CARRYING(n)                                                                                          \
    PTX_HANDLER(carrying_##n)                                                                                \
    {                                                                                                        \
        const uint64_t does = code->number;                                                                  \
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
                x = (ptx_c_u##n)(!(does & TAKES_HIGH) ? x * y                                                \
                                 : does & IS_SIGNED                                                          \
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
        if (does & CARRY_OUT)                                                                                \
            ptx_set_predicate(carry, lanes, after);                                                          \
        return code + 1;                                                                                     \
    }
CARRYING(32)
CARRYING(64)

static bool carrying(const struct ptx_name *name, struct ptx_form *form)
{
    static const struct {
        const char *opcode;
        unsigned does;
    } instructions[] = {{"add", 0},          {"addc", CARRY_IN},
                        {"sub", SUBTRACTS},  {"subc", SUBTRACTS | CARRY_IN},
                        {"mad", MULTIPLIES}, {"madc", MULTIPLIES | CARRY_IN}};
    const uint64_t type = UINT64_C(1) << name->type[0];
    for (unsigned i = 0; i < LENGTH(instructions); i++) {
        unsigned does = instructions[i].does | (name->modifiers & HAS(cc) ? CARRY_OUT : 0);
        uint32_t parts = name->modifiers & (HAS(lo) | HAS(hi));
        if (strcmp(name->opcode, instructions[i].opcode) || !(does & (CARRY_IN | CARRY_OUT)) ||
            !(type & (I32 | I64)) || (name->modifiers & ~(uint32_t)(HAS(cc) | HAS(lo) | HAS(hi))) ||
            (does & MULTIPLIES ? parts != HAS(lo) && parts != HAS(hi) : parts != 0))
            continue;
        form->run = type & I32 ? carrying_32 : carrying_64;
        form->operands = does & MULTIPLIES ? type & I32 ? "4:444" : "8:888" : type & I32 ? "4:44" : "8:88";
        form->number = does | (parts == HAS(hi) ? TAKES_HIGH : 0) | (type & (S32 | S64) ? IS_SIGNED : 0);
        return true;
    }
    return false;
}

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
                (PTX_MODULO_##t)((ptx_c_##t)a_of[l] operator by);                                            \
            return code + 1;                                                                                 \
        }                                                                                                    \
        PTX_FOR_LANES(lanes, l, {                                                                            \
            const ptx_c_##t a = (ptx_c_##t)a_of[l];                                                          \
            d[l] = (PTX_MODULO_##t)(b_of[l] < n ? a operator b_of[l] : beyond);                              \
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
PTX_TERNARY(prmt_in_mode, u32, u32, u32, u32, prmt_of(a, b, selectors[code->number][c & 3]))

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

#define NO_OPERAND UINT32_MAX /* for a second result that the instruction does not have */

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
PTX_UNARY(popc_32, u32, u32, __builtin_popcount(a))
PTX_UNARY(popc_64, u32, u64, __builtin_popcountll(a))
PTX_UNARY(clz_32, u32, u32, a ? __builtin_clz(a) : 32)
PTX_UNARY(clz_64, u32, u64, a ? __builtin_clzll(a) : 64)
static uint64_t reversed(uint64_t x)
{
    x = (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
    x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f0f0f0f0f) | (x & 0x0f0f0f0f0f0f0f0f) << 4;
    return __builtin_bswap64(x);
}
PTX_UNARY(brev_32, u32, u32, reversed(a) >> 32)
PTX_UNARY(brev_64, u64, u64, reversed(a))
/* The place of the highest bit that is not a copy of the sign, or by how much to shift it to the top */
static uint32_t found(uint64_t x, unsigned width, uint64_t is_amount)
{
    if (x == 0)
        return UINT32_MAX;
    uint32_t place = 63 - (uint32_t)__builtin_clzll(x);
    return is_amount ? width - 1 - place : place;
}
PTX_UNARY(bfind_u32, u32, u32, found(a, 32, code->number))
PTX_UNARY(bfind_s32, u32, s32, found((uint32_t)(a < 0 ? ~a : a), 32, code->number))
PTX_UNARY(bfind_u64, u32, u64, found(a, 64, code->number))
PTX_UNARY(bfind_s64, u32, s64, found((uint64_t)(a < 0 ? ~a : a), 64, code->number))

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
PTX_TERNARY(bfe_u32, u32, u32, u32, u32, extracted(a, b, c, 32, false))
PTX_TERNARY(bfe_s32, u32, u32, u32, u32, extracted(a, b, c, 32, true))
PTX_TERNARY(bfe_u64, u64, u64, u32, u32, extracted(a, b, c, 64, false))
PTX_TERNARY(bfe_s64, u64, u64, u32, u32, extracted(a, b, c, 64, true))
#define BFI(n)                                                                                               \
    PTX_HANDLER(bfi_##n)                                                                                     \
    {                                                                                                        \
        PTX_OPERAND(u##n, a)                                                                                 \
        PTX_OPERAND(u##n, b)                                                                                 \
        PTX_OPERAND(u32, c)                                                                                  \
        PTX_OPERAND(u32, f)                                                                                  \
        PTX_RESULT(u##n)                                                                                     \
        PTX_FOR_LANES(lanes, l, {                                                                            \
            const uint32_t place = c_of[l] & 0xff;                                                           \
            const uint64_t a = place < n ? (uint64_t)a_of[l] << place : 0;                                   \
            d[l] = (ptx_c_u##n)CHOSEN(field(place, f_of[l] & 0xff), a, (uint64_t)b_of[l]);                   \
        });                                                                                                  \
        return code + 1;                                                                                     \
    }
BFI(32)
BFI(64)
PTX_BINARY(bmsk_clamp, u32, u32, u32, field(a, b))
PTX_BINARY(bmsk_wrap, u32, u32, u32, field(a & 31, b & 31))
static uint32_t szext(uint32_t a, uint32_t length, bool is_signed)
{
    bool is_negative = is_signed && length > 0 && length < 32 && (a >> (length - 1) & 1);
    return (uint32_t)(is_negative ? a | ~field(0, length) : a & field(0, length));
}
PTX_BINARY(szext_clamp_u32, u32, u32, u32, szext(a, b, false))
PTX_BINARY(szext_clamp_s32, u32, u32, u32, szext(a, b, true))
PTX_BINARY(szext_wrap_u32, u32, u32, u32, szext(a, b & 31, false))
PTX_BINARY(szext_wrap_s32, u32, u32, u32, szext(a, b & 31, true))
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
PTX_TERNARY(fns_b32, u32, u32, u32, s32, fns(a, b, c))

/* Returns part i of the parts of x, each of `bits` bits. */
static int64_t part(uint32_t x, unsigned bits, unsigned i, bool is_signed)
{
    x = (uint32_t)(x >> bits * i & field(0, bits));
    return is_signed ? (int32_t)(x << (32 - bits)) >> (32 - bits) : (int64_t)x;
}
enum { A_IS_SIGNED = 1, B_IS_SIGNED = 2, D_IS_SIGNED = 4, OF_HALVES = 8, OF_HIGH = 16 };
/* dp4a, or dp2a with the two low or high bytes of b */
static uint32_t dot(uint32_t a, uint32_t b, uint32_t c, uint64_t does)
{
    const unsigned parts = does & OF_HALVES ? 2 : 4, from = does & OF_HIGH ? 2 : 0;
    for (unsigned i = 0; i < parts; i++)
        c +=
            (uint32_t)(part(a, 32 / parts, i, does & A_IS_SIGNED) * part(b, 8, from + i, does & B_IS_SIGNED));
    return c;
}
PTX_TERNARY(dot_product, u32, u32, u32, u32, dot(a, b, c, code->number))

/* The SIMD video instructions (CUDA's headers use vabsdiff4): operations on two or four parts of the
 * operands. The results replace c, or are added to it. */
enum video { VIDEO_add, VIDEO_sub, VIDEO_avrg, VIDEO_absdiff, VIDEO_min, VIDEO_max };
enum { VIDEO_OPERATION_AT = 8, VIDEO_ADDS = 32, VIDEO_SATURATES = 64 };
static uint32_t of_parts(uint32_t a, uint32_t b, uint32_t c, uint64_t does)
{
    const unsigned bits = does & OF_HALVES ? 16 : 8;
    const bool is_signed = does & D_IS_SIGNED;
    uint32_t d = does & VIDEO_ADDS ? c : 0;
    for (unsigned i = 0; i < 32 / bits; i++) {
        int64_t x = part(a, bits, i, does & A_IS_SIGNED), y = part(b, bits, i, does & B_IS_SIGNED), z = x;
        switch ((enum video)(does >> VIDEO_OPERATION_AT)) {
        case VIDEO_add:
            z = x + y;
            break;
        case VIDEO_sub:
            z = x - y;
            break;
        case VIDEO_avrg:
            z = (x + y + (x + y >= 0)) >> 1;
            break;
        case VIDEO_absdiff:
            z = x < y ? y - x : x - y;
            break;
        case VIDEO_min:
            z = LESS(x, y);
            break;
        case VIDEO_max:
            z = MORE(x, y);
            break;
        }
        if (does & VIDEO_SATURATES)
            z = is_signed ? clamped(z, -(1 << (bits - 1)), (1 << (bits - 1)) - 1)
                          : clamped(z, 0, (1 << bits) - 1);
        if (does & VIDEO_ADDS)
            d += (uint32_t)z;
        else
            d |= (uint32_t)((uint64_t)z & field(0, bits)) << bits * i;
    }
    return d;
}
PTX_TERNARY(video, u32, u32, u32, u32, of_parts(a, b, c, code->number))

/* Dot products and video instructions have a sign for each operand. */
static bool parts(const struct ptx_name *name, struct ptx_form *form)
{
    static const char *const operations[] = {"add", "sub", "avrg", "absdiff", "min", "max"};
    uint64_t does = 0;
    for (unsigned i = 0; i < name->types; i++)
        if (name->type[i] != PTX_u32 && name->type[i] != PTX_s32)
            return false;
    const bool is_dp4a = !strcmp(name->opcode, "dp4a"), is_dp2a = !strcmp(name->opcode, "dp2a");
    form->operands = "4:444";
    if (is_dp4a || is_dp2a) {
        if (name->types != 2 ||
            (is_dp4a ? name->modifiers != 0 : name->modifiers != HAS(lo) && name->modifiers != HAS(hi)))
            return false;
        form->run = dot_product;
        form->number = (name->type[0] == PTX_s32 ? A_IS_SIGNED : 0) |
                       (name->type[1] == PTX_s32 ? B_IS_SIGNED : 0) | (is_dp2a ? OF_HALVES : 0) |
                       (name->modifiers == HAS(hi) ? OF_HIGH : 0);
        return true;
    }
    const size_t length = strlen(name->opcode);
    if (name->types != 3 || name->opcode[0] != 'v' || (name->modifiers & ~(uint32_t)(HAS(add) | HAS(sat))) ||
        length < 2)
        return false;
    for (unsigned i = 0; i < LENGTH(operations); i++)
        if (strlen(operations[i]) == length - 2 && !memcmp(name->opcode + 1, operations[i], length - 2) &&
            (name->opcode[length - 1] == '2' || name->opcode[length - 1] == '4'))
            does =
                (uint64_t)i << VIDEO_OPERATION_AT | (name->opcode[length - 1] == '2' ? OF_HALVES : 0) |
                (name->type[0] == PTX_s32 ? D_IS_SIGNED : 0) | (name->type[1] == PTX_s32 ? A_IS_SIGNED : 0) |
                (name->type[2] == PTX_s32 ? B_IS_SIGNED : 0) | (name->modifiers & HAS(add) ? VIDEO_ADDS : 0) |
                (name->modifiers & HAS(sat) ? VIDEO_SATURATES : 0) | PTX_FROM_64;
    if (!does)
        return false;
    form->run = video;
    form->number = does & ~PTX_FROM_64;
    return true;
}

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
OF_PREDICATE(cnot_pred, ~a)

/* The bit of each lane. To test it with a table is quicker than a shift by the lane, because SSE2 cannot
 * shift lanes by different amounts. */
#define FOUR_BITS(n) 1u << (n), 2u << (n), 4u << (n), 8u << (n)
static const uint32_t bit_of[PTX_LANES] = {FOUR_BITS(0),  FOUR_BITS(4),  FOUR_BITS(8),  FOUR_BITS(12),
                                           FOUR_BITS(16), FOUR_BITS(20), FOUR_BITS(24), FOUR_BITS(28)};
#define SELP(n, t)                                                                                           \
    PTX_HANDLER(selp_##n)                                                                                    \
    {                                                                                                        \
        const uint32_t bits = holding(code, lanes, code->c);                                                 \
        PTX_OPERAND(t, a)                                                                                    \
        PTX_OPERAND(t, b)                                                                                    \
        PTX_RESULT(t)                                                                                        \
        PTX_FOR_LANES(lanes, l, {                                                                            \
            const PTX_SLOT_##t a = a_of[l];                                                                  \
            const PTX_SLOT_##t b = b_of[l];                                                                  \
            d[l] = bits & bit_of[l] ? a : b;                                                                 \
        });                                                                                                  \
        return code + 1;                                                                                     \
    }
SELP(32, u32)
SELP(64, u64)
#define SLCT(n)                                                                                              \
    PTX_TERNARY(slct_s32_##n, u##n, u##n, u##n, s32, c >= 0 ? a : b)                                         \
    PTX_TERNARY(slct_f32_##n, u##n, u##n, u##n, u32, ptx_float(c) >= 0 ? a : b)                              \
    PTX_TERNARY(slct_f32_ftz_##n, u##n, u##n, u##n, u32, ptx_flushed(ptx_float(c)) >= 0 ? a : b)
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
#define OF_INTEGERS(choice, expression, t) COMPARISON(choice, expression, t, PTX_SLOT_##t, ptx_c_##t, )
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

/* Fields of `number`, above the combination, for the modifiers of set and of comparisons of halves */
enum { CHOICE_AT = 8, SOURCE_AT = 16, RESULT_AT = 24, FLUSHES_AT = 32 };

/* Returns the lanes in which a comparison of halves holds, of the low or the high ones. As halves convert to
 * double without a loss, doubles are compared. */
static uint32_t compared_halves(const struct ptx_code *code, const struct ptx_lanes *lanes, bool are_high)
{
    PTX_OPERAND(u32, a)
    PTX_OPERAND(u32, b)
    const enum ptx_type type = (enum ptx_type)FIELD(code->number, SOURCE_AT);
    double values[2][PTX_LANES];
    for (unsigned l = 0; l < PTX_LANES; l++) {
        const double a = ptx_widened(a_of[l] >> (are_high ? 16 : 0), type);
        const double b = ptx_widened(b_of[l] >> (are_high ? 16 : 0), type);
        values[0][l] = FIELD(code->number, FLUSHES_AT) & 1 ? ptx_flushed_of(a, type) : a;
        values[1][l] = FIELD(code->number, FLUSHES_AT) & 1 ? ptx_flushed_of(b, type) : b;
    }
    struct ptx_lanes of_values = {.base = {(unsigned char *)values}};
    const struct ptx_code compares = {.b = sizeof values[0]};
    for (unsigned i = 0; i < LENGTH(comparisons); i++)
        if (comparisons[i].types == PTX_BIT(f64) &&
            comparisons[i].choice == (enum ptx_choice)FIELD(code->number, CHOICE_AT))
            return comparisons[i].lanes(&compares, &of_values);
    return 0;
}
PTX_HANDLER(setp_half)
{
    const uint32_t bits = compared_halves(code, lanes, false);
    return set_predicates(code, lanes, bits, ~bits);
}
PTX_HANDLER(setp_halves)
{
    return set_predicates(code, lanes, compared_halves(code, lanes, false),
                          compared_halves(code, lanes, true));
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
#define HALVES (PTX_BIT(f16) | PTX_BIT(bf16) | PTX_BIT(f16x2) | PTX_BIT(bf16x2))
#define PAIRS (PTX_BIT(f16x2) | PTX_BIT(bf16x2))
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
    const enum ptx_type type = (enum ptx_type)FIELD(code->number, SOURCE_AT);
    const enum ptx_type result = (enum ptx_type)FIELD(code->number, RESULT_AT);
    const uint32_t is_true = true_in(result);
    uint32_t low, high = 0;
    if (HALVES >> type & 1) {
        low = compared_halves(code, lanes, false);
        high = PAIRS >> type & 1 ? compared_halves(code, lanes, true) : 0;
    } else {
        low = comparison_of((enum ptx_choice)FIELD(code->number, CHOICE_AT), type,
                            FIELD(code->number, FLUSHES_AT) & 1)
                  ->lanes(code, lanes);
    }
    if (code->number & 3) {
        const uint32_t c = holding(code, lanes, code->c);
        low = combined(code->number & 3, low, c);
        high = combined(code->number & 3, high, c);
    }
    if (!(PAIRS >> type & 1))
        high = 0;
    PTX_RESULT(u32)
    PTX_FOR_LANES(lanes, l,
                  { d[l] = (low & bit_of[l] ? is_true : 0) | (high & bit_of[l] ? is_true << 16 : 0); });
    return code + 1;
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
    form->number = combination(combines);
    if (!is_setp || (is_type & HALVES))
        form->number |= (uint64_t)choice << CHOICE_AT | (uint64_t)type << SOURCE_AT |
                        (uint64_t)name->type[0] << RESULT_AT | (uint64_t)flushes << FLUSHES_AT;
    static const char *const of_setp[2][3] = {{"p|p:22", "p|p:44", "p|p:88"},
                                              {"p|p:22p", "p|p:44p", "p|p:88p"}},
                             *const of_set[2][3] = {{"4:22", "4:44", "4:88"}, {"4:22p", "4:44p", "4:88p"}};
    const unsigned width = is_type & ANY16 ? 0 : is_type & ANY64 ? 2 : 1;
    if (is_setp) {
        form->run = is_type & PAIRS ? setp_halves : is_type & HALVES ? setp_half : of->setp;
        form->operands = of_setp[combines != 0][width];
        return true;
    }
    const uint64_t is_result = UINT64_C(1) << name->type[0];
    if (is_type & PAIRS ? name->type[0] != type
                        : !(is_result & (I32 | PTX_BIT(f32) | (is_type & HALVES ? I16 | is_type : 0))))
        return false;
    form->run = set;
    form->operands = !(is_result & ANY16) ? of_set[combines != 0][width] : combines ? "2:22p" : "2:22";
    return true;
}

static const struct ptx_row rows[] = {
#define EACH_WIDTH(opcode, handler, types, modifiers, of_16, of_32, of_64)                                   \
    {opcode, types##16, modifiers, handler##_16, of_16, 0},                                                  \
        {opcode, types##32, modifiers, handler##_32, of_32, 0},                                              \
    {                                                                                                        \
        opcode, types##64, modifiers, handler##_64, of_64, 0                                                 \
    }
#define SIGNED(opcode, handler, modifiers, of_16, of_32, of_64)                                              \
    {opcode, U16, modifiers, handler##_u16, of_16, 0}, {opcode, S16, modifiers, handler##_s16, of_16, 0},    \
        {opcode, U32, modifiers, handler##_u32, of_32, 0},                                                   \
        {opcode, S32, modifiers, handler##_s32, of_32, 0},                                                   \
        {opcode, U64, modifiers, handler##_u64, of_64, 0},                                                   \
    {                                                                                                        \
        opcode, S64, modifiers, handler##_s64, of_64, 0                                                      \
    }
    EACH_WIDTH("add", add, I, 0, "2:22", "4:44", "8:88"),
    EACH_WIDTH("sub", sub, I, 0, "2:22", "4:44", "8:88"),
    EACH_WIDTH("mul", mul_lo, I, HAS(lo), "2:22", "4:44", "8:88"),
    EACH_WIDTH("mad", mad_lo, I, HAS(lo), "2:222", "4:444", "8:888"),
    EACH_WIDTH("neg", neg, S, 0, "2:2", "4:4", "8:8"),
    EACH_WIDTH("abs", abs, S, 0, "2:2", "4:4", "8:8"),
    EACH_WIDTH("and", and, B, 0, "2:22", "4:44", "8:88"),
    EACH_WIDTH("or", or, B, 0, "2:22", "4:44", "8:88"),
    EACH_WIDTH("xor", xor, B, 0, "2:22", "4:44", "8:88"),
    EACH_WIDTH("not", not, B, 0, "2:2", "4:4", "8:8"),
    EACH_WIDTH("cnot", cnot, B, 0, "2:2", "4:4", "8:8"),
    EACH_WIDTH("mov", mov, ANY, 0, "2:2", "4:4", "8:8"),
    EACH_WIDTH("shl", shl, B, 0, "2:24", "4:44", "8:84"),
    {"shr", B16, 0, shr_u16, "2:24", 0},
    {"shr", B32, 0, shr_u32, "4:44", 0},
    {"shr", B64, 0, shr_u64, "8:84", 0},
    SIGNED("shr", shr, 0, "2:24", "4:44", "8:84"),
    SIGNED("mul", mul_hi, HAS(hi), "2:22", "4:44", "8:88"),
    SIGNED("mad", mad_hi, HAS(hi), "2:222", "4:444", "8:888"),
    SIGNED("min", min, 0, "2:22", "4:44", "8:88"),
    SIGNED("max", max, 0, "2:22", "4:44", "8:88"),
    SIGNED("sad", sad, 0, "2:222", "4:444", "8:888"),
    SIGNED("div", div, 0, "2:22", "4:44", "8:88"),
    SIGNED("rem", rem, 0, "2:22", "4:44", "8:88"),
    {"mov", PTX_BIT(b128), 0, mov_128, "Q:Q", 0},
    {"mul", U16, HAS(wide), mul_wide_u16, "4:22", 0},
    {"mul", S16, HAS(wide), mul_wide_s16, "4:22", 0},
    {"mul", U32, HAS(wide), mul_wide_u32, "8:44", 0},
    {"mul", S32, HAS(wide), mul_wide_s32, "8:44", 0},
    {"mad", U16, HAS(wide), mad_wide_u16, "4:224", 0},
    {"mad", S16, HAS(wide), mad_wide_s16, "4:224", 0},
    {"mad", U32, HAS(wide), mad_wide_u32, "8:448", 0},
    {"mad", S32, HAS(wide), mad_wide_s32, "8:448", 0},
    {"add", S32, HAS(sat), add_sat, "4:44", 0},
    {"sub", S32, HAS(sat), sub_sat, "4:44", 0},
    {"mad", S32, HAS(hi) | HAS(sat), mad_hi_sat, "4:444", 0},
    {"min", S32, HAS(relu), min_relu, "4:44", 0},
    {"max", S32, HAS(relu), max_relu, "4:44", 0},
#define OF_24_ROWS(opcode, operands)                                                                         \
    {#opcode, U32, HAS(lo), opcode##_lo_u32, operands, 0},                                                   \
        {#opcode, S32, HAS(lo), opcode##_lo_s32, operands, 0},                                               \
        {#opcode, U32, HAS(hi), opcode##_hi_u32, operands, 0},                                               \
    {                                                                                                        \
#opcode, S32, HAS(hi), opcode##_hi_s32, operands, 0                                                  \
    }
    OF_24_ROWS(mul24, "4:44"),
    OF_24_ROWS(mad24, "4:444"),
    {"mad24", S32, HAS(hi) | HAS(sat), mad24_hi_sat, "4:444", 0},
    {"add", PTX_BIT(u16x2) | PTX_BIT(s16x2), 0, add_16x2, "4:44", 0},
    {"min", PTX_BIT(u16x2), 0, min_u16x2, "4:44", 0},
    {"max", PTX_BIT(u16x2), 0, max_u16x2, "4:44", 0},
    {"min", PTX_BIT(s16x2), 0, min_s16x2, "4:44", 0},
    {"max", PTX_BIT(s16x2), 0, max_s16x2, "4:44", 0},
    {"min", PTX_BIT(s16x2), HAS(relu), min_relu_s16x2, "4:44", 0},
    {"max", PTX_BIT(s16x2), HAS(relu), max_relu_s16x2, "4:44", 0},
    {"and", PTX_BIT(pred), 0, and_pred, "p:pp", 0},
    {"or", PTX_BIT(pred), 0, or_pred, "p:pp", 0},
    {"xor", PTX_BIT(pred), 0, xor_pred, "p:pp", 0},
    {"not", PTX_BIT(pred), 0, not_pred, "p:p", 0},
    {"cnot", PTX_BIT(pred), 0, cnot_pred, "p:p", 0},
    {"mov", PTX_BIT(pred), 0, mov_pred, "p:p", 0},
    {"shf", B32, HAS(l) | HAS(wrap), shf_l_wrap, "4:444", 0},
    {"shf", B32, HAS(l) | HAS(clamp), shf_l_clamp, "4:444", 0},
    {"shf", B32, HAS(r) | HAS(wrap), shf_r_wrap, "4:444", 0},
    {"shf", B32, HAS(r) | HAS(clamp), shf_r_clamp, "4:444", 0},
    {"prmt", B32, 0, prmt, "4:444", 0},
    {"lop3", B32, 0, lop3, "4:444#", 0},
    {"lop3", B32, HAS(and), lop3_and, "4|p:444#p", 0},
    {"lop3", B32, HAS(or), lop3_or, "4|p:444#p", 0},
    {"popc", B32, 0, popc_32, "4:4", 0},
    {"popc", B64, 0, popc_64, "4:8", 0},
    {"clz", B32, 0, clz_32, "4:4", 0},
    {"clz", B64, 0, clz_64, "4:8", 0},
    {"brev", B32, 0, brev_32, "4:4", 0},
    {"brev", B64, 0, brev_64, "8:8", 0},
#define BFIND(modifiers, is_amount)                                                                          \
    {"bfind", U32, modifiers, bfind_u32, "4:4", is_amount},                                                  \
        {"bfind", S32, modifiers, bfind_s32, "4:4", is_amount},                                              \
        {"bfind", U64, modifiers, bfind_u64, "4:8", is_amount},                                              \
    {                                                                                                        \
        "bfind", S64, modifiers, bfind_s64, "4:8", is_amount                                                 \
    }
    BFIND(0, 0),
    BFIND(HAS(shiftamt), 1),
    {"bfe", U32, 0, bfe_u32, "4:444", 0},
    {"bfe", S32, 0, bfe_s32, "4:444", 0},
    {"bfe", U64, 0, bfe_u64, "8:844", 0},
    {"bfe", S64, 0, bfe_s64, "8:844", 0},
    {"bfi", B32, 0, bfi_32, "4:4444", 0},
    {"bfi", B64, 0, bfi_64, "8:8844", 0},
    {"bmsk", B32, HAS(clamp), bmsk_clamp, "4:44", 0},
    {"bmsk", B32, HAS(wrap), bmsk_wrap, "4:44", 0},
    {"szext", U32, HAS(clamp), szext_clamp_u32, "4:44", 0},
    {"szext", S32, HAS(clamp), szext_clamp_s32, "4:44", 0},
    {"szext", U32, HAS(wrap), szext_wrap_u32, "4:44", 0},
    {"szext", S32, HAS(wrap), szext_wrap_s32, "4:44", 0},
    {"fns", B32, 0, fns_b32, "4:444", 0},
    {"selp", ANY16, 0, selp_32, "2:22p", 0},
    {"selp", ANY32, 0, selp_32, "4:44p", 0},
    {"selp", ANY64, 0, selp_64, "8:88p", 0},
};

bool ptx_find_row(const struct ptx_row *row, size_t count, const struct ptx_name *name, struct ptx_form *form)
{
    for (size_t i = 0; i < count; i++)
        if ((row[i].types >> name->type[0] & 1) && row[i].modifiers == name->modifiers &&
            !strcmp(row[i].opcode, name->opcode)) {
            form->run = row[i].run;
            form->operands = row[i].operands;
            form->number = row[i].number;
            return true;
        }
    return false;
}

/* Fills in the form of an instruction of integers. */
static bool integer(const struct ptx_name *name, struct ptx_form *form)
{
    if (name->rounding)
        return false;
    if (name->choice) {
        if (strcmp(name->opcode, "prmt") || name->choice < PTX_f4e || name->types != 1 ||
            name->type[0] != PTX_b32 || name->modifiers)
            return false;
        *form = (struct ptx_form){form->name, prmt_in_mode, "4:444", (uint64_t)(name->choice - PTX_f4e)};
        return true;
    }
    if (name->types == 1)
        return ptx_find_row(rows, LENGTH(rows), name, form) || carrying(name, form);
    if (name->types == 2 && !strcmp(name->opcode, "slct")) {
        const uint64_t type = UINT64_C(1) << name->type[0];
        const unsigned width = type & ANY16 ? 0 : type & ANY32 ? 1 : type & ANY64 ? 2 : 3;
        static ptx_handler *const slct[][3] = {{slct_s32_16, slct_s32_32, slct_s32_64},
                                               {slct_f32_16, slct_f32_32, slct_f32_64},
                                               {slct_f32_ftz_16, slct_f32_ftz_32, slct_f32_ftz_64}};
        static const char *const operands[] = {"2:224", "4:444", "8:884"};
        const bool is_s32 = name->type[1] == PTX_s32, flushes = name->modifiers == HAS(ftz);
        if (width == 3 ||
            (is_s32 ? name->modifiers != 0 : name->type[1] != PTX_f32 || (name->modifiers && !flushes)))
            return false;
        form->run = slct[is_s32 ? 0 : 1 + flushes][width];
        form->operands = operands[width];
        return true;
    }
    return parts(name, form);
}

/* Returns the place of a word in a list, or `count` if it is not there. */
static unsigned place_of(const char *word, size_t length, const char *const *words, unsigned count)
{
    unsigned i = 0;
    while (i < count && (strlen(words[i]) != length || memcmp(words[i], word, length)))
        i++;
    return i;
}

static bool take_apart(const char *text, struct ptx_name *name)
{
#define WORD(word) #word,
    static const char *const types[] = {PTX_TYPE_LIST(WORD)}, *const choices[] = {PTX_CHOICE_LIST(WORD)};
    static const char *const roundings[] = {PTX_ROUNDING_LIST(WORD)}, *const modifiers[] = {
                                                                          PTX_MODIFIER_LIST(WORD)};
#undef WORD
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
    if (!take_apart(name, &apart) || !(integer(&apart, &form) || comparison(&apart, &form) ||
                                       ptx_floating(&apart, &form) || ptx_conversion(&apart, &form)))
        return NULL;
    struct ptx_form *kept = allocate(sizeof *kept);
    form.name = copy_text(name);
    *kept = form;
    struct named_form *named = map_get(&forms, &form.name);
    return named->form = kept;
}
