/*
 * Types and names of PTX's instructions, and what the files of arithmetic instructions share: arithmetic.c,
 * floating.c and convert.c.
 */
#ifndef MACHINE_PTX_ARITHMETIC_H
#define MACHINE_PTX_ARITHMETIC_H

#include "machine/ptx/code.h"

/* What the reader adds to the number of an instruction. */
#define PTX_NOT (UINT64_C(1) << 63) /* the predicate that the instruction reads is negated: !p */
/* For cvt, whose registers may be wider than its types. */
#define PTX_INTO_32 (UINT64_C(1) << 62) /* the result's register has 32 bits, its type 8 or 16 */
#define PTX_INTO_64 (UINT64_C(1) << 61) /* the result's register has 64 bits, its type fewer */
#define PTX_FROM_64 (UINT64_C(1) << 60) /* the source's register has 64 bits, its type fewer */

/* clang-format off */
/* each with its width in bits */
#define PTX_TYPE_LIST(X)                                                                                     \
    X(u8, 8) X(u16, 16) X(u32, 32) X(u64, 64) X(s8, 8) X(s16, 16) X(s32, 32) X(s64, 64)                      \
    X(b8, 8) X(b16, 16) X(b32, 32) X(b64, 64) X(b128, 128) X(u2, 2) X(s2, 2) X(u4, 4) X(s4, 4)               \
    X(u16x2, 32) X(s16x2, 32) X(pred, 0) X(f16, 16) X(bf16, 16) X(f32, 32) X(f64, 64) X(tf32, 32)            \
    X(f16x2, 32) X(bf16x2, 32) X(e4m3x2, 16) X(e5m2x2, 16) X(e2m3x2, 16) X(e3m2x2, 16) X(e2m1x2, 8)          \
    X(ue8m0x2, 16)
/* How an instruction compares, which property it tests, and how it permutes: a name has one such word. */
#define PTX_CHOICE_LIST(X)                                                                                   \
    X(eq) X(ne) X(lt) X(le) X(gt) X(ge) X(equ) X(neu) X(ltu) X(leu) X(gtu) X(geu) X(num) X(nan)              \
    X(ls) X(hs) X(finite) X(infinite) X(number) X(notanumber) X(normal) X(subnormal)                         \
    X(f4e) X(b4e) X(rc8) X(ecl) X(ecr) X(rc16)
#define PTX_ROUNDING_LIST(X) X(rn) X(rz) X(rm) X(rp) X(rna) X(rni) X(rzi) X(rmi) X(rpi)
#define PTX_MODIFIER_LIST(X)                                                                                 \
    X(ftz) X(sat) X(satfinite) X(relu) X(approx) X(full) X(lo) X(hi) X(wide) X(cc) X(wrap) X(clamp)          \
    X(shiftamt) X(l) X(r) X(NaN) X(xorsign) X(abs) X(and) X(or) X(xor) X(add) X(pack)
/* clang-format on */

enum ptx_type {
#define WORD(word, ...) PTX_##word,
    PTX_TYPE_LIST(WORD) PTX_TYPES,
};
enum ptx_choice { PTX_NO_CHOICE, PTX_CHOICE_LIST(WORD) PTX_CHOICES };
#undef WORD
enum ptx_rounding {
    PTX_NOT_ROUNDED,
#define WORD(word) PTX_ROUND_##word,
    PTX_ROUNDING_LIST(WORD) PTX_ROUNDINGS
#undef WORD
};
enum {
#define WORD(word) PTX_HAS_##word##_AT,
    PTX_MODIFIER_LIST(WORD)
#undef WORD
};
enum {
#define WORD(word) PTX_HAS_##word = 1 << PTX_HAS_##word##_AT,
    PTX_MODIFIER_LIST(WORD)
#undef WORD
};

/* The parts of an instruction's name. The order of its modifiers does not matter, the order of its types
 * does. */
struct ptx_name {
    char opcode[12];
    uint32_t modifiers; /* PTX_HAS_x */
    enum ptx_rounding rounding;
    enum ptx_choice choice;
    unsigned types;
    enum ptx_type type[3];
};

#define LENGTH(array) (sizeof(array) / sizeof *(array))
#define HAS(modifier) PTX_HAS_##modifier
/* The byte of a number that begins at this bit */
#define FIELD(number, at) ((unsigned)((number) >> (at)) & 0xff)
/* A set of types */
#define PTX_BIT(type) (UINT64_C(1) << PTX_##type)

#define IS(type, set) (((set) >> (type)&1) != 0)
/* The set of the choices from one to another one in their list */
#define PTX_CHOICES_FROM(first, last) ((UINT64_C(2) << PTX_##last) - (UINT64_C(1) << PTX_##first))

#define PAIRS (PTX_BIT(f16x2) | PTX_BIT(bf16x2))

#define PTX_SIGNED (PTX_BIT(s2) | PTX_BIT(s4) | PTX_BIT(s8) | PTX_BIT(s16) | PTX_BIT(s32) | PTX_BIT(s64))

/* Returns the type with this name, or PTX_TYPES if there is none. */
enum ptx_type ptx_type_named(const char *name, size_t length);

/* Returns the width of a type in bits. */
unsigned ptx_width_of(enum ptx_type type);

/* Sets of roundings */
#define NOT_ROUNDED (1u << PTX_NOT_ROUNDED)
#define PTX_ROUNDED(how) (1u << PTX_ROUND_##how)
#define ROUNDS_NEAREST PTX_ROUNDED(rn)
#define MAY_ROUND_NEAREST (NOT_ROUNDED | ROUNDS_NEAREST)
#define ROUNDS (PTX_ROUNDED(rn) | PTX_ROUNDED(rz) | PTX_ROUNDED(rm) | PTX_ROUNDED(rp))
#define MAY_ROUND (NOT_ROUNDED | ROUNDS)

/* A row of a table of instructions. */
struct ptx_row {
    const char *opcode;
    uint64_t types;       /* the set of the types that may come first */
    uint32_t modifiers;   /* the set of the modifiers that the opcode must have */
    const char *operands; /* as in struct ptx_form; t and s stand for the classes of the first two types */
    ptx_handler *run[3];  /* the handlers for types of 16, 32 and 64 bits; or one for all types */
    uint64_t number;
    uint64_t second, third; /* sets of further types; 0 means that there is none */
    uint32_t may;           /* the set of the further modifiers that the opcode may have */
    uint64_t choices;   /* a set of modifiers, one of which the opcode must have; 0 means that it has none */
    uint32_t roundings; /* the set of the roundings that the opcode may have; 0 means NOT_ROUNDED */
};
bool ptx_find_row(const struct ptx_row *rows, size_t count, const struct ptx_name *name,
                  struct ptx_form *form);

/* Fill in `run`, `operands` and `number` of the form, and return whether there is such an instruction. */
bool ptx_floating(const struct ptx_name *name, struct ptx_form *form);
bool ptx_conversion(const struct ptx_name *name, struct ptx_form *form);

/* The types of PTX as types of C, the slots in which they are, and the unsigned types to which results are
 * reduced before they are extended with zeros. */
typedef uint8_t ptx_c_u8, ptx_modulo_u8, ptx_modulo_s8;
typedef uint16_t ptx_c_u16, ptx_modulo_u16, ptx_modulo_s16;
typedef uint32_t ptx_c_u32, ptx_modulo_u32, ptx_modulo_s32;
typedef uint64_t ptx_c_u64, ptx_modulo_u64, ptx_modulo_s64;
typedef int8_t ptx_c_s8;
typedef int16_t ptx_c_s16;
typedef int32_t ptx_c_s32;
typedef int64_t ptx_c_s64;
typedef float ptx_c_f32, ptx_modulo_f32;
typedef double ptx_c_f64, ptx_modulo_f64;
typedef uint32_t ptx_slot_u8, ptx_slot_u16, ptx_slot_u32, ptx_slot_s8, ptx_slot_s16, ptx_slot_s32;
typedef uint64_t ptx_slot_u64, ptx_slot_s64;
/* Other handlers read the same slots as integers. */
typedef float __attribute__((may_alias)) ptx_slot_f32;
typedef double __attribute__((may_alias)) ptx_slot_f64;

#define PTX_HANDLER(handler)                                                                                 \
    static const struct ptx_code *handler(const struct ptx_code *code, struct ptx_lanes *lanes)
/* Handlers that compute `expression` of a, b and c, or of some of them, in each lane. The compiler leaves out
 * the others, which an instruction may not have. */
#define PTX_OPERAND(type, operand)                                                                           \
    const ptx_slot_##type *const operand##_of = PTX_AT(const ptx_slot_##type, lanes, code->operand);
#define PTX_RESULT(type) ptx_slot_##type *const d = PTX_AT(ptx_slot_##type, lanes, code->d);
#define PTX_COMPUTE(td, ta, tb, tc, expression)                                                              \
    PTX_OPERAND(ta, a)                                                                                       \
    PTX_OPERAND(tb, b)                                                                                       \
    PTX_OPERAND(tc, c)                                                                                       \
    PTX_RESULT(td)                                                                                           \
    PTX_FOR_LANES(lanes, l, {                                                                                \
        const ptx_c_##ta a __attribute__((unused)) = (ptx_c_##ta)a_of[l];                                    \
        const ptx_c_##tb b __attribute__((unused)) = (ptx_c_##tb)b_of[l];                                    \
        const ptx_c_##tc c __attribute__((unused)) = (ptx_c_##tc)c_of[l];                                    \
        d[l] = (ptx_slot_##td)(ptx_modulo_##td)(expression);                                                 \
    });                                                                                                      \
    return code + 1;
#define PTX_COMPUTES(handler, td, ta, tb, tc, expression)                                                    \
    PTX_HANDLER(handler)                                                                                     \
    {                                                                                                        \
        PTX_COMPUTE(td, ta, tb, tc, expression)                                                              \
    }

/* Functions that return the same bits as another type */
#define PTX_SAME_BITS(name, to, from)                                                                        \
    static inline to name(from x)                                                                            \
    {                                                                                                        \
        to same;                                                                                             \
        __builtin_memcpy(&same, &x, sizeof same);                                                            \
        return same;                                                                                         \
    }
PTX_SAME_BITS(ptx_bits_32, uint32_t, float)
PTX_SAME_BITS(ptx_float, float, uint32_t)
PTX_SAME_BITS(ptx_bits_64, uint64_t, double)
PTX_SAME_BITS(ptx_double, double, uint64_t)

#define PTX_NAN_32 UINT32_C(0x7fffffff) /* the NaN that a GPU gives for all operations on f32 */

/* Returns x, or a zero with its sign if it is subnormal. */
static inline float ptx_flushed(float x)
{
    uint32_t bits = ptx_bits_32(x);
    return ptx_float(bits & 0x7f800000 ? bits : bits & 0x80000000);
}

/* A GPU's NaN for any NaN. */
static inline float ptx_canonical(float x)
{
    return x != x ? ptx_float(PTX_NAN_32) : x;
}

/* Returns the value of an f16 in the lowest 16 bits. The multiplication changes the exponent's bias from
 * f16's to f32's, also for subnormal numbers. */
static inline float ptx_half(uint32_t bits)
{
    const float magnitude = ptx_float((bits & 0x7fff) << 13) * 0x1p112f;
    const uint32_t is_large = (bits & 0x7c00) == 0x7c00 ? 0x7f800000 : 0; /* infinity or NaN */
    return ptx_float(ptx_bits_32(magnitude) | is_large | (bits & 0x8000) << 16);
}

/* Returns the bits of x as an f16, rounded to nearest even. A number that is subnormal in f16 is rounded by
 * the addition of 0.5, because the last bit of the f32 sum has the value of the last bit of the f16. */
static inline uint32_t ptx_half_of(float x)
{
    const uint32_t bits = ptx_bits_32(x), magnitude = bits & 0x7fffffff;
    const uint32_t normal = (magnitude + 0xfff + (magnitude >> 13 & 1) - 0x38000000) >> 13;
    const uint32_t small = ptx_bits_32(ptx_float(magnitude) + 0.5f) - 0x3f000000;
    const uint32_t finite = magnitude < 0x38800000 ? small : magnitude >= 0x477ff000 ? 0x7c00 : normal;
    return magnitude > 0x7f800000 ? 0x7fff : (bits >> 16 & 0x8000) | finite;
}

/* Returns the bits of x as a bf16: the upper half of the f32's bits, rounded to nearest even. */
static inline uint32_t ptx_brain_of(float x)
{
    const uint32_t bits = ptx_bits_32(x);
    return x != x ? 0x7fff : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

/* Returns the value of a number in the lowest bits; a type such as e4m3x2 means its low number. */
double ptx_widened(uint64_t bits, enum ptx_type type);

/* Returns the bits of the number (-1)^negative * significand * 2^exponent, rounded to the type. */
uint64_t ptx_rounded(bool negative, uint64_t significand, int exponent, enum ptx_type type,
                     enum ptx_rounding rounding, bool is_finite);

/* Returns the bits of x, rounded to the type. If `is_finite` is set, a number that is too large becomes the
 * largest finite number. A type such as e4m3x2 stands for the type of one of its numbers. */
uint64_t ptx_narrowed(double x, enum ptx_type type, enum ptx_rounding rounding, bool is_finite);

/* Returns x with subnormal numbers of the type replaced by zeros. */
double ptx_flushed_of(double x, enum ptx_type type);

#endif
