/*
 * Tests PTX's arithmetic as the machine executes it, against the host's arithmetic, on random operands and on
 * operands at the edges of types. All forms are also executed for some lanes of a warp only, which must not
 * change the registers of the others. One file because all tests execute forms in the same way.
 */
#include "base/random.h"
#include "machine/ptx/arithmetic.h"
#include "tests/check.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* The places of operands, in the frame and among the constants: each can hold 128 bits of every lane. */
enum { SLOT = 512, PLACE_D = SLOT, PLACE_E = 2 * SLOT, PLACE_A = 3 * SLOT, FRAME = 8 * SLOT };
static _Alignas(64) unsigned char frame[FRAME], constants[FRAME];
static struct random draws = {0x5eed};

struct operands {
    uint64_t of[4][PTX_LANES]; /* for predicates, element 0 has a bit for each lane */
};
struct results {
    uint64_t d[PTX_LANES], high[PTX_LANES];
    uint32_t predicate, second, carry;
};

static unsigned sources_of(const struct ptx_form *form, char kinds[5])
{
    unsigned count = 0;
    for (const char *c = strchr(form->operands, ':') + 1; *c; c++)
        if (*c != '#')
            kinds[count++] = *c;
    return count;
}

static void put(unsigned char *at, char kind, const uint64_t *values)
{
    if (kind == 'p')
        memcpy(at, values, 4);
    else
        for (unsigned l = 0; l < PTX_LANES; l++) {
            uint32_t narrow = (uint32_t)(kind == '2'   ? values[l] & 0xffff
                                         : kind == '1' ? values[l] & 0xff
                                                       : values[l]);
            if (kind == '8' || kind == 'Q')
                memcpy(at + 8 * l, &values[l], 8);
            else
                memcpy(at + 4 * l, &narrow, 4);
        }
    if (kind == 'Q')
        memcpy(at + 8 * PTX_LANES, values, 8 * PTX_LANES);
}

#define FILL 0xa5 /* the value of each byte of the results before an instruction runs */

/* Executes a form. The operands from number `uniform` on are constants. */
static struct results execute(const struct ptx_form *form, const struct operands *operands, uint64_t number,
                              uint32_t mask, bool is_whole, unsigned uniform, uint32_t carry)
{
    char kinds[5];
    const unsigned sources = sources_of(form, kinds);
    struct ptx_code code = {
        .d = PLACE_D, .e = strchr(form->operands, '|') ? PLACE_E : UINT32_MAX, .more = form->parts};
    struct ptx_lanes lanes = {.base = {frame, constants}, .mask = mask, .is_whole = is_whole};
    ptx_operand *const places[] = {&code.a, &code.b, &code.c, &code.f};
    memset(frame, FILL, sizeof frame);
    memcpy(frame, &carry, 4);
    for (unsigned i = 0; i < sources; i++) {
        const unsigned at = PLACE_A + i * SLOT;
        put(i < uniform ? frame + at : constants + at, kinds[i], operands->of[i]);
        *places[i] = at | (i < uniform ? PTX_FRAME : PTX_CONSTANT);
    }
    code.number = number;
    struct results results = {.predicate = 0};
    if (form->run(&code, &lanes) != &code + 1)
        printf("%s does not go on to the next instruction\n", form->name);
    const char kind = number & PTX_INTO_64 ? '8' : form->operands[0];
    for (unsigned l = 0; l < PTX_LANES; l++) {
        uint32_t narrow;
        memcpy(&narrow, frame + PLACE_D + 4 * l, 4);
        results.d[l] = narrow;
        if (kind == '8' || kind == 'Q')
            memcpy(&results.d[l], frame + PLACE_D + 8 * l, 8);
        if (kind == 'Q')
            memcpy(&results.high[l], frame + PLACE_D + 8 * (PTX_LANES + l), 8);
        if (kind == 'p')
            results.d[l] = 0;
    }
    memcpy(&results.predicate, frame + (kind == 'p' ? PLACE_D : PLACE_E), 4);
    memcpy(&results.second, frame + PLACE_E, 4);
    memcpy(&results.carry, frame, 4);
    return results;
}

/* Draws an operand: random bits, a number at an edge of its type, a small number, or usual numbers of the
 * formats with a fraction. */
static uint64_t drawn(void)
{
    static const uint64_t edges[] = {
        0,          1,          2,          UINT64_MAX, 0x7f,       0x80,       0xff,       0x7fff,
        0x8000,     0xffff,     0x7fffffff, 0x80000000, 0xffffffff, 0x80000001, 31,         32,
        33,         63,         64,         65,         0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
        0x7fc00000, 0x7f800001, 0x00800000, 0x007fffff, 0x807fffff, 0x7f7fffff, 0x3c00,     0x7c00,
        0x7e00,     0x0400,     0x03ff,     0x7bff,     0xfbff,     0x3f80,     0x7f80,     0x4f000000,
        0x4f800000, 0xcf000000, 0x5f000000, 0x3effffff, 0x4b000001, 0x3fc00000, 0xbf000000};
    static const uint64_t wide[] = {
        0x3ff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x000fffffffffffff,
        0x8010000000000000, 0x7fefffffffffffff, 0x41dfffffffc00000, 0x41e0000000000000, 0xc1e0000000000000,
        0x43e0000000000000, 0x43f0000000000000, 0x7fffffffffffffff, 0x8000000000000000, 0x3fe0000000000000,
        0x4004000000000000, 0x40effe0000000000, 0x3e70000000000000, 0x380ffffff0000000, 0x47efffffefffffff};
    const uint64_t x = random_next(&draws), y = random_next(&draws);
    switch (x % 8) {
    case 0:
        return edges[y % LENGTH(edges)] | (x & 0x100 ? edges[(y >> 32) % LENGTH(edges)] << 32 : 0);
    case 1:
        return wide[y % LENGTH(wide)];
    case 2:
        return y & 0x3f;
    case 3: /* an f32 near 1, or an f64 */
        return x & 0x100 ? 0x3f800000 + (y % 0x8000000) - 0x4000000 + (y >> 63 << 31)
                         : ptx_bits_64((double)(int64_t)y * exp2(-(double)(x >> 8 & 0x7f)));
    case 4: /* two halves near 1 */
        return (0x3c003c00 + (y & 0x0fff0fff)) | (y >> 33 & 1) << 15 | (y >> 34 & 1) << 31;
    case 5:
        return edges[y % LENGTH(edges)] << 16 | edges[(y >> 32) % LENGTH(edges)];
    default:
        return y;
    }
}
static struct operands drawn_operands(void)
{
    struct operands operands;
    for (unsigned i = 0; i < 4; i++)
        for (unsigned l = 0; l < PTX_LANES; l++)
            operands.of[i][l] = drawn();
    return operands;
}

static uint64_t filling(char kind)
{
    return kind == '8' || kind == 'Q' ? 0xa5a5a5a5a5a5a5a5 : 0xa5a5a5a5;
}

/* Returns whether a form gives the same results for some lanes as for all lanes, does not change the other
 * lanes, and gives the same results for operands that are constants. */
static bool is_even(const struct ptx_form *form, uint64_t number)
{
    for (unsigned round = 0; round < 12; round++) {
        struct operands operands = drawn_operands();
        const uint32_t carry = (uint32_t)random_next(&draws), fill = 0xa5a5a5a5;
        const bool has_same = round % 2 || round >= 6; /* the last operand is equal in all lanes */
        char kinds[5];
        const unsigned sources = sources_of(form, kinds);
        static const uint64_t widths[] = {16, 32, 64, 15, 31, 63}; /* the edges of shifts */
        const uint64_t same_of_all = round < 6 ? operands.of[sources - 1][0] : widths[round - 6];
        if (has_same && kinds[sources - 1] != 'p')
            for (unsigned l = 0; l < PTX_LANES; l++)
                operands.of[sources - 1][l] = same_of_all;
        const struct results all = execute(form, &operands, number, PTX_ALL_LANES, true, 4, carry);
        const uint32_t masks[] = {PTX_ALL_LANES, (uint32_t)random_next(&draws), 1u << round, 0x80000000};
        const char kind = number & PTX_INTO_64 ? '8' : form->operands[0];
        if ((kind == '2' || kind == '1') && !(number & PTX_INTO_32))
            for (unsigned l = 0; l < PTX_LANES; l++)
                if (all.d[l] >> (kind == '2' ? 16 : 8))
                    return false;
        for (unsigned i = 0; i < LENGTH(masks); i++) {
            const uint32_t mask = masks[i];
            const struct results some =
                execute(form, &operands, number, mask, false, has_same ? sources - 1 : 4, carry);
            for (unsigned l = 0; l < PTX_LANES; l++) {
                const bool runs = mask >> l & 1;
                if (kind != 'p' && some.d[l] != (runs ? all.d[l] : filling(kind)))
                    return false;
                if (kind == 'Q' && some.high[l] != (runs ? all.high[l] : filling(kind)))
                    return false;
            }
            if (some.predicate != ((all.predicate & mask) | (fill & ~mask)) ||
                some.second != ((all.second & mask) | (fill & ~mask)) ||
                some.carry != ((all.carry & mask) | (carry & ~mask)))
                return false;
        }
        const struct results same =
            execute(form, &operands, number, PTX_ALL_LANES, true, has_same ? sources - 1 : 4, carry);
        if (memcmp(&same, &all, sizeof all))
            return false;
    }
    return true;
}

static unsigned forms_seen;
static bool fits(const char *name)
{
    const struct ptx_form *form = ptx_arithmetic(name);
    if (!form || form != ptx_arithmetic(name) || strcmp(form->name, name)) {
        printf("%s is not found\n", name);
        return false;
    }
    forms_seen++;
    bool is_good =
        is_even(form, form->number | (strchr(form->operands, '#') ? random_next(&draws) & 0xff : 0));
    const char *last = strrchr(form->operands, 'p');
    if (last && last > strchr(form->operands, ':'))
        is_good &= is_even(form, form->number | PTX_NOT);
    if (!strncmp(name, "cvt", 3) && strlen(form->operands) == 3 && !strpbrk(strrchr(name, '.'), "x") &&
        !strstr(name, "x2")) {
        if (form->operands[0] < '4')
            is_good &= is_even(form, form->number | PTX_INTO_32);
        if (form->operands[0] < '8')
            is_good &= is_even(form, form->number | PTX_INTO_64);
    }
    if (!is_good)
        printf("%s differs for some lanes\n", name);
    return is_good;
}

/* Tests all names that a pattern stands for: of "[a b]", each of the words in turn, and "-" is not a word. */
static bool all_fit(const char *pattern)
{
    const char *open = strchr(pattern, '[');
    if (!open)
        return fits(pattern);
    const char *close = strchr(open, ']');
    bool is_good = true;
    for (const char *word = open + 1; word < close;) {
        const size_t length = strcspn(word, " ]");
        char name[200];
        snprintf(name, sizeof name, "%.*s%.*s%s", (int)(open - pattern), pattern,
                 *word == '-' ? 0 : (int)length, word, close + 1);
        is_good &= all_fit(name);
        word += length + (word[length] == ' ');
    }
    return is_good;
}

static const char *const patterns[] = {
#define SIGNED_TYPES "[u16 s16 u32 s32 u64 s64]"
#define BITS "[b16 b32 b64]"
#define ROUNDED "[-.rn .rz .rm .rp]"
    "[add sub div rem min max sad]." SIGNED_TYPES,
    "[mul mad].[lo hi]." SIGNED_TYPES,
    "[mul mad].wide.[u16 s16 u32 s32]",
    "[add sub].sat.s32",
    "mad.hi.sat.s32",
    "[mul24 mad24].[lo hi].[u32 s32]",
    "mad24.hi.sat.s32",
    "[neg abs].[s16 s32 s64]",
    "[and or xor not cnot].[b16 b32 b64]",
    "[and or xor not mov].pred",
    "[add sub].cc.[u32 s32 u64 s64]",
    "[addc subc][- .cc].[u32 s32 u64 s64]",
    "mad.[lo hi].cc.[u32 s32 u64 s64]",
    "madc.[lo hi][- .cc].[u32 s32 u64 s64]",
    "[add min max].[u16x2 s16x2]",
    "[min max].relu.[s32 s16x2]",
    "[min max].[s32 s16x2].relu",
    "shl.[b16 b32 b64]",
    "shr.[b16 b32 b64 u16 s16 u32 s32 u64 s64]",
    "shf.[l r].[wrap clamp].b32",
    "prmt.b32",
    "prmt.b32.[f4e b4e rc8 ecl ecr rc16]",
    "lop3[- .or .and].b32",
    "[popc clz brev].[b32 b64]",
    "bfind[- .shiftamt].[u32 s32 u64 s64]",
    "bfe.[u32 s32 u64 s64]",
    "bfi.[b32 b64]",
    "bmsk.[clamp wrap].b32",
    "szext.[clamp wrap].[u32 s32]",
    "fns.b32",
    "dp4a.[u32 s32].[u32 s32]",
    "dp2a.[lo hi].[u32 s32].[u32 s32]",
    "v[add sub avrg absdiff min max][2 4].[u32 s32].[u32 s32].[u32 s32][- .add .sat]",
    "v[add sub absdiff min max].[u32 s32].[u32 s32].[u32 s32][- .sat][- .add]",
    "mov.[b16 u16 s16 b32 u32 s32 f32 b64 u64 s64 f64 b128]",
    "selp.[b16 u16 s16 b32 u32 s32 f32 b64 u64 s64 f64]",
    "slct.[b16 u16 s16 b32 u32 s32 f32 b64 u64 s64 f64].[s32 f32]",
    "slct.ftz.[b32 u64 f64].f32",
    "setp.[eq ne][- .and .or .xor].[b16 b32 b64 u16 s16 u32 s32 u64 s64]",
    "setp.[lt le gt ge][- .and .or .xor].[u16 s16 u32 s32 u64 s64]",
    "setp.[lo ls hi hs].[u16 u32 u64]",
#define OF_NUMBERS "[eq ne lt le gt ge equ neu ltu leu gtu geu num nan]"
    "setp." OF_NUMBERS "[- .and .or .xor].[f32 ftz.f32 f64 f16 ftz.f16 f16x2 bf16 bf16x2]",
    "set." OF_NUMBERS "[- .and .xor].[u32 s32 f32].[f32 f64 f16 bf16]",
    "set." OF_NUMBERS ".f16.f16",
    "set." OF_NUMBERS ".ftz.u32.f32",
    "set.[eq lt].or.[f16x2.f16x2 bf16x2.bf16x2]",
    "set.[eq ne lt].[u32 s32 f32].[u16 s16 u32 s32 u64 s64]",
    "set.eq.u16.f16",
    "[add sub mul][- .rn .rz .rm .rp][- .ftz][- .sat].f32",
    "[add sub mul][- .rn .rz .rm .rp].f64",
    "[add sub mul][- .rn][- .ftz][- .sat].[f16 f16x2]",
    "[add sub mul][- .rn].[bf16 bf16x2]",
    "[fma mad].[rn rz rm rp][- .ftz][- .sat].f32",
    "[fma mad].[rn rz rm rp].f64",
    "mad[- .ftz][- .sat].f32",
    "fma.rn[- .ftz][- .sat .relu].[f16 f16x2]",
    "fma.rn[- .relu].[bf16 bf16x2]",
    "div.[rn rz rm rp][- .ftz].f32",
    "[rcp sqrt].[rn rz rm rp][- .ftz].f32",
    "[div rcp sqrt rsqrt sin cos lg2 ex2].approx[- .ftz].f32",
    "div.full[- .ftz].f32",
    "div.[rn rz rm rp].f64",
    "[rcp sqrt].[rn rz rm rp].f64",
    "[rcp rsqrt].approx.ftz.f64",
    "rsqrt.approx.f64",
    "ex2.approx.[f16 f16x2 ftz.bf16 ftz.bf16x2]",
    "ex2.approx.f32.ftz",
    "tanh.approx.[f32 f16 f16x2 bf16 bf16x2]",
    "[neg abs][- .ftz].[f32 f16 f16x2]",
    "[neg abs].[f64 bf16 bf16x2]",
    "[min max][- .ftz][- .NaN][- .xorsign.abs].[f32 f16 f16x2]",
    "[min max].f64",
    "[min max][- .NaN][- .xorsign.abs].[bf16 bf16x2]",
    "copysign.[f32 f64]",
    "testp.[finite infinite number notanumber normal subnormal].[f32 f64]",
#define INTEGERS "[u8 s8 u16 s16 u32 s32 u64 s64]"
    "cvt[- .sat]." INTEGERS "." INTEGERS,
    "cvt.[rn rz rm rp][- .sat].[f16 bf16 f32 f64]." INTEGERS,
    "cvt.[rni rzi rmi rpi][- .sat]." INTEGERS ".[f16 bf16 f32 f64]",
    "cvt.[rni rzi rmi rpi].ftz." INTEGERS ".f32",
    "cvt[- .sat].[f32.f16 f32.bf16 f64.f16 f64.bf16 f64.f32 f32.f32 f16.f16 f64.f64]",
    "cvt.ftz.[f32.f16 f64.f32 sat.f32.f32]",
    "cvt.[rni rzi rmi rpi][- .sat].[f16.f16 bf16.bf16 f32.f32 f64.f64]",
    "cvt.[rn rz rm rp][- .ftz][- .sat].f32.f64",
    "cvt.[rn rz rm rp].[f16.f32 f16.f64 bf16.f64 bf16.f32 f16.bf16 bf16.f16]",
    "cvt.[rn rz].relu.[f16 bf16 f16x2 bf16x2].f32",
    "cvt.[rn rz][- .relu][- .satfinite].[f16x2 bf16x2].f32",
    "cvt.[rna rn rz].tf32.f32",
    "cvt.[rn rz].[relu satfinite].tf32.f32",
    "cvt.rn.satfinite[- .relu].[e4m3x2 e5m2x2 e2m3x2 e3m2x2 e2m1x2].f32",
    "cvt.rn.satfinite[- .relu].[e4m3x2 e5m2x2].f16x2",
    "cvt.rn[- .relu].f16x2.[e4m3x2 e5m2x2 e2m3x2 e3m2x2 e2m1x2]",
    "cvt.[rz rp][- .satfinite].ue8m0x2.[f32 bf16x2]",
    "cvt.rn.bf16x2.ue8m0x2",
    "cvt.pack.sat.[u16 s16].s32",
    "cvt.pack.sat.[u8 s8 u4 s4 u2 s2].s32.b32",
};

/* Instructions that PTX does not have */
static const char refused[] =
    "add add.f32.f32.f32.f32 add.b32 add.lo.s32 mul.s32 mul.wide.s64 setp.s32 setp.lt.b32 setp.lo.s32 "
    "setp.num.s32 cvt.s32.f32 cvt.rn.s32.f32 cvt.rn.f64.f32.b32 min.rn.f32 fma.f32 div.f32 sqrt.f64 "
    "sin.f32 ld.global.u32 shfl.sync.up.b32 bra shf.l.b32 lop3.xor.b32 add.s32.s32 fma.rn.relu.f32 "
    "cvt.rni.f32.s32 testp.eq.f32 prmt.rc8.b64 add.rn.rz.f32 add.ftz.ftz.f32 selp.s32.s32 mov.s128 "
    "cvt.pack.s16.s32 dp4a.u32 vavrg.u32.u32.u32 add.ftz.f64 abs.u32 add. .s32 neg.ftz.f64 "
    "verylongopcode.s32 mad.cc.u32";

/* The host's arithmetic. Its operations are done on volatile variables, between changes of the direction in
 * which the host rounds. */
#define S32(x) ((int32_t)(uint32_t)(x))
#define S16(x) ((int16_t)(uint16_t)(x))
#define S64(x) ((int64_t)(x))
#define U32(x) ((uint32_t)(x))
#define F(x) ptx_float((uint32_t)(x))
#define D(x) ptx_double(x)
static uint64_t bits_of_f32(float x)
{
    return isnan(x) ? 0x7fffffff : ptx_bits_32(x);
}
#define ROUNDING(direction, t, to_bits, expression)                                                          \
    ({                                                                                                       \
        volatile t x = (t)READ_##t(a), y = (t)READ_##t(b), z = (t)READ_##t(c), r;                            \
        (void)y, (void)z;                                                                                    \
        fesetround(direction);                                                                               \
        r = expression;                                                                                      \
        fesetround(FE_TONEAREST);                                                                            \
        to_bits(r);                                                                                          \
    })
#define READ_float F
#define READ_double D
#define FLOATS(direction, expression) ROUNDING(direction, float, bits_of_f32, expression)
#define DOUBLES(direction, expression) ROUNDING(direction, double, ptx_bits_64, expression)

/* fmin() and fmax() of glibc give NaN for a signaling NaN; a GPU does not. */
static double least_of(double x, double y)
{
    return isnan(x) ? y : isnan(y) ? x : x < y || (x == y && signbit(x)) ? x : y;
}
static double greatest_of(double x, double y)
{
    return -least_of(-x, -y);
}

/* Returns the number that a code without a sign has in a format. Codes beyond the largest number, such as NaN
 * and infinity of f16, count as further numbers. */
static __float128 decoded(uint64_t code, int fraction_bits, int bias)
{
    const int exponent = (int)(code >> fraction_bits), ones = 1 << fraction_bits;
    const int fraction = (int)code & (ones - 1);
    return exponent ? ldexp(ones + fraction, exponent - bias - fraction_bits)
                    : ldexp(fraction, 1 - bias - fraction_bits);
}

/* Formats with few bits, searched for the neighbours of an exact value: the greatest finite code, and the
 * sign */
static const struct format {
    int fraction_bits, bias;
    uint64_t largest, sign, nan;
} formats[] = {{10, 15, 0x7bff, 0x8000, 0x7fff},
               {7, 127, 0x7f7f, 0x8000, 0x7fff},
               {10, 127, 0x3fbff, 0x40000, 0x3ffff},
               {3, 7, 0x7e, 0x80, 0x7f},
               {2, 15, 0x7b, 0x80, 0x7f},
               {3, 1, 0x1f, 0x20, 0x1f},
               {2, 3, 0x1f, 0x20, 0x1f},
               {1, 1, 7, 8, 7},
               {23, 127, 0x7f7fffff, 0x80000000, 0x7fffffff}};
enum { IN_F16, IN_BF16, IN_TF32, IN_E4M3, IN_E5M2, IN_E2M3, IN_E3M2, IN_E2M1, IN_F32, AWAY = 4 };
static __float128 coded(unsigned format, uint64_t code)
{
    return decoded(code, formats[format].fraction_bits, formats[format].bias);
}
static uint64_t searched(unsigned format, __float128 x, unsigned mode, bool is_finite)
{
    const struct format *f = &formats[format];
    if (x != x)
        return f->nan;
    const bool negative = x < 0 || (x == 0 && signbit((double)x));
    const __float128 magnitude = negative ? -x : x;
    uint64_t low = 0, beyond = f->largest + 1;
    while (beyond - low > 1) {
        const uint64_t middle = (low + beyond) / 2;
        *(coded(format, middle) <= magnitude ? &low : &beyond) = middle;
    }
    const __float128 at = coded(format, low);
    const __float128 next = low < f->largest ? coded(format, low + 1) : at + (at - coded(format, low - 1));
    const __float128 below = magnitude - at, above = next - magnitude;
    bool up = false;
    if (below > 0 && !isinf((double)magnitude))
        up = mode == 0      ? below > above || (below == above && low & 1)
             : mode == AWAY ? below >= above
                            : mode == (negative ? 2 : 3);
    if (isinf((double)magnitude))
        return (negative ? f->sign : 0) | (is_finite ? f->largest : f->largest + 1);
    low += up;
    return (negative ? f->sign : 0) | (low > f->largest && is_finite ? f->largest : low);
}
/* Converts the bits of f16 and of bf16 to numbers, in particular of infinity and NaN. */
static __float128 of_f16(uint64_t code)
{
    _Float16 x;
    const uint16_t bits = (uint16_t)code;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static __float128 of_bf16(uint64_t code)
{
    return F(code << 16);
}
#define H(x) of_f16((x)&0xffff)
#define B(x)                                                                                                 \
    ({                                                                                                       \
        const uint64_t code_ = (x)&0xffff;                                                                   \
        of_bf16(code_);                                                                                      \
    })

static uint64_t fields(uint64_t a, uint64_t place, uint64_t length, unsigned width, bool is_signed)
{
    uint64_t d = 0, sign = 0;
    place &= 0xff, length &= 0xff;
    if (is_signed && length)
        sign = a >> (place + length - 1 < width - 1 ? place + length - 1 : width - 1) & 1;
    for (unsigned i = 0; i < width; i++)
        d |= (i < length && place + i < width ? a >> (place + i) & 1 : sign) << i;
    return d;
}
static uint64_t inserted(uint64_t a, uint64_t b, uint64_t place, uint64_t length, unsigned width)
{
    place &= 0xff, length &= 0xff;
    for (unsigned i = 0; i < length && place + i < width; i++)
        b = (b & ~(UINT64_C(1) << (place + i))) | (a >> i & 1) << (place + i);
    return b;
}
static uint64_t highest(uint64_t x)
{
    for (unsigned i = 64; i-- > 0;)
        if (x >> i & 1)
            return i;
    return 0xffffffff;
}
static uint64_t permuted(uint64_t a, uint64_t b, uint64_t selector)
{
    uint64_t d = 0;
    for (unsigned i = 0; i < 4; i++) {
        const unsigned digit = (unsigned)(selector >> 4 * i & 15), from = digit & 7;
        unsigned byte = (unsigned)((from < 4 ? a >> 8 * from : b >> 8 * (from - 4)) & 0xff);
        d |= (uint64_t)(digit & 8 ? (byte & 0x80 ? 0xffu : 0u) : byte) << 8 * i;
    }
    return d;
}
static uint64_t dotted(uint64_t a, uint64_t b, uint64_t c, bool a_signed, bool b_signed, unsigned count,
                       unsigned from)
{
    for (unsigned i = 0; i < count; i++) {
        const int64_t x = count == 4 ? (a_signed ? (int8_t)(a >> 8 * i) : (int64_t)(uint8_t)(a >> 8 * i))
                                     : (a_signed ? (int16_t)(a >> 16 * i) : (int64_t)(uint16_t)(a >> 16 * i));
        const uint8_t y = (uint8_t)(b >> 8 * (from + i));
        c += (uint64_t)(x * (b_signed ? (int8_t)y : (int64_t)y));
    }
    return U32(c);
}
static uint64_t mirrored(uint64_t x, unsigned width)
{
    uint64_t d = 0;
    for (unsigned i = 0; i < width; i++)
        d |= (x >> i & 1) << (width - 1 - i);
    return d;
}
/* The absolute differences of four pairs of bytes: in four bytes, or their sum added to c */
static uint64_t differences(uint64_t a, uint64_t b, uint64_t c, bool are_added)
{
    uint64_t d = are_added ? c : 0;
    for (unsigned i = 0; i < 32; i += 8)
        d += (uint64_t)labs((long)(a >> i & 0xff) - (long)(b >> i & 0xff)) << (are_added ? 0 : i);
    return d;
}
static uint64_t masked(uint64_t place, uint64_t length)
{
    uint64_t d = 0;
    for (uint64_t i = place; i < 32 && i < place + length; i++)
        d |= UINT64_C(1) << i;
    return d;
}
/* Rounds to an integer, and gives the nearest integer between two bounds. */
static uint64_t integer_of(long double x, unsigned mode, long double least, long double largest, uint64_t nan)
{
    if (isnan(x))
        return nan;
    x = mode == 0 ? rintl(x) : mode == 1 ? truncl(x) : mode == 2 ? floorl(x) : ceill(x);
    x = x < least ? least : x > largest ? largest : x;
    return x < 0 ? (uint64_t)(int64_t)x : (uint64_t)x;
}
#define LEAST(x, y) ((x) < (y) ? (x) : (y))
#define GREATEST(x, y) ((x) > (y) ? (x) : (y))
#define CLAMPED(x)                                                                                           \
    ({                                                                                                       \
        const int64_t x_ = (x);                                                                              \
        (uint64_t) U32(x_<INT32_MIN ? INT32_MIN : x_> INT32_MAX ? INT32_MAX : x_);                           \
    })
#define PRODUCT(t, x, y) ((t)(x) * (t)(y))
#define FLUSHED(x) ((x)&0x7f800000 ? F(x) : F((x)&0x80000000))
#define HALVES(e)                                                                                            \
    ({                                                                                                       \
        uint64_t pair_ = 0;                                                                                  \
        for (unsigned i = 0; i < 32; i += 16) {                                                              \
            const uint64_t x = a >> i & 0xffff, y = b >> i & 0xffff, z = c >> i & 0xffff;                    \
            (void)z, (void)y;                                                                                \
            pair_ |= ((uint64_t)(e)&0xffff) << i;                                                            \
        }                                                                                                    \
        pair_;                                                                                               \
    })
/* Comparisons of numbers; `u` says whether one of them is NaN */
#define UNORDERED(read) (read(a) != read(a) || read(b) != read(b))
#define FROM(direction, t, value, to_bits)                                                                   \
    ({                                                                                                       \
        volatile long double x = (long double)(value);                                                       \
        volatile t r;                                                                                        \
        fesetround(direction);                                                                               \
        r = (t)x;                                                                                            \
        fesetround(FE_TONEAREST);                                                                            \
        to_bits(r);                                                                                          \
    })
#define HIGHEST (UINT64_C(1) << 63)
#define RELU(x)                                                                                              \
    ({                                                                                                       \
        const __float128 x_ = (x);                                                                           \
        x_ <= 0 ? 0 : x_;                                                                                    \
    })
#define SAT(x)                                                                                               \
    ({                                                                                                       \
        const float x_ = (x);                                                                                \
        x_ > 1 ? 1 : x_ > 0 ? x_ : 0;                                                                        \
    })
#define HALVES_OF(infinity, code) (((code)&0x7f) > infinity ? 0x7fff : (code) << 8)
#define CLAMP16(x) (uint64_t)(S32(x) < -32768 ? -32768 : S32(x) > 32767 ? 32767 : S32(x))
#define CLAMP8(x) (uint64_t)(S32(x) < 0 ? 0 : S32(x) > 255 ? 255 : S32(x))
#define SKIPPED UINT64_C(0x5c1bbed)
/* Does the sum of x and y fit into the 113 bits of a __float128? */
static bool is_near(__float128 x, __float128 y)
{
    const double quotient = fabs((double)(x / y));
    return x == 0 || y == 0 || x != x || y != y || (quotient > 0x1p-80 && quotient < 0x1p80) ||
           isinf((double)x) || isinf((double)y);
}

static uint64_t of_host(unsigned which, uint64_t a, uint64_t b, uint64_t c, uint64_t f)
{
    unsigned oracle = 0;
    (void)f;
#define X(name, ...)                                                                                         \
    if (which == oracle++)                                                                                   \
        return (uint64_t)(__VA_ARGS__);
#include "tests/ptx_arithmetic.def"
#undef X
    return 0;
}
static const char *const of_oracles[] = {
#define X(name, ...) name,
#include "tests/ptx_arithmetic.def"
#undef X
};

static uint64_t cut(uint64_t x, char kind)
{
    return kind == '1' ? x & 0xff : kind == '2' ? x & 0xffff : kind == '4' ? x & 0xffffffff : x;
}
/* Are both the expected and the actual result NaN in f64? PTX leaves the bits of such a NaN open. */
static bool are_nan(const char *name, uint64_t x, uint64_t y)
{
    return (strstr(name, ".f64") && isnan(D(x)) && isnan(D(y)));
}
static bool agrees(unsigned which)
{
    const char *name = of_oracles[which];
    const struct ptx_form *form = ptx_arithmetic(name);
    if (!form)
        return printf("%s is not found\n", name), false;
    char kinds[5];
    sources_of(form, kinds);
    for (unsigned round = 0; round < 60; round++) {
        const struct operands operands = drawn_operands();
        const struct results results = execute(form, &operands, form->number, PTX_ALL_LANES, true, 4, 0);
        for (unsigned l = 0; l < PTX_LANES; l++) {
            uint64_t v[4];
            for (unsigned i = 0; i < 4; i++)
                v[i] = cut(operands.of[i][l], i < strlen(strchr(form->operands, ':') + 1) ? kinds[i] : '8');
            const uint64_t wanted = of_host(which, v[0], v[1], v[2], v[3]);
            const bool is_predicate = form->operands[0] == 'p';
            const uint64_t given = is_predicate ? results.predicate >> l & 1 : results.d[l];
            if (wanted == SKIPPED || given == cut(wanted, form->operands[0]) || are_nan(name, given, wanted))
                continue;
            printf("%s of %#llx, %#llx, %#llx, %#llx gives %#llx, not %#llx\n", name,
                   (unsigned long long)v[0], (unsigned long long)v[1], (unsigned long long)v[2],
                   (unsigned long long)v[3], (unsigned long long)given,
                   (unsigned long long)cut(wanted, form->operands[0]));
            return false;
        }
    }
    return true;
}

/* Operations with a predicate, a carry, or a table: results of one lane */
static uint64_t in_lane_0(const char *name, uint64_t a, uint64_t b, uint64_t c, uint64_t f, uint64_t number,
                          uint32_t *carry, struct results *all)
{
    const struct ptx_form *form = ptx_arithmetic(name);
    struct operands operands = {.of = {{a}, {b}, {c}, {f}}};
    *all = execute(form, &operands, form->number | number, 1, false, 4, *carry);
    *carry = all->carry;
    return all->d[0];
}
static void check_carries(void)
{
    bool is_good = true;
    for (unsigned i = 0; i < 2000; i++) {
        struct results all;
        uint32_t carry = 0;
        unsigned __int128 x = (unsigned __int128)drawn() << 64 | drawn(),
                          y = (unsigned __int128)drawn() << 64 | drawn();
        const uint64_t x0 = (uint64_t)x, x1 = (uint64_t)(x >> 64), y0 = (uint64_t)y, y1 = (uint64_t)(y >> 64);
        unsigned __int128 sum = in_lane_0("add.cc.u64", x0, y0, 0, 0, 0, &carry, &all);
        sum |= (unsigned __int128)in_lane_0("addc.u64", x1, y1, 0, 0, 0, &carry, &all) << 64;
        unsigned __int128 difference = in_lane_0("sub.cc.u64", x0, y0, 0, 0, 0, &carry, &all);
        difference |= (unsigned __int128)in_lane_0("subc.u64", x1, y1, 0, 0, 0, &carry, &all) << 64;
        is_good &= sum == x + y && difference == x - y;
        /* a * b + c with 64 bits, by multiply-adds of 32 bits with carry */
        const uint64_t a = U32(x0), b = U32(y0), c = x1;
        uint64_t low = in_lane_0("mad.lo.cc.u32", a, b, U32(c), 0, 0, &carry, &all);
        uint64_t high = in_lane_0("madc.hi.cc.u32", a, b, c >> 32, 0, 0, &carry, &all);
        is_good &= (high << 32 | low) == a * b + c && (carry & 1) == (((unsigned __int128)a * b + c) >> 64);
        in_lane_0("subc.cc.u32", a, b, 0, 0, 0, &carry, &all);
    }
    check(is_good, "carries and borrows join parts of sums, differences and products");
}
static void check_predicates(void)
{
    struct results all;
    uint32_t carry = 0;
    bool is_good = true;
    for (unsigned p = 0; p < 2; p++)
        for (unsigned less = 0; less < 2; less++)
            for (unsigned negated = 0; negated < 2; negated++) {
                const uint64_t number = negated ? PTX_NOT : 0, c = p ^ negated;
                in_lane_0("setp.lt.and.s32", !less, 1, p, 0, number, &carry, &all);
                is_good &= (all.predicate & 1) == (less & c);
                const struct ptx_form *form = ptx_arithmetic("setp.lt.xor.s32");
                struct operands operands = {.of = {{!less}, {1}, {p}}};
                const struct results both = execute(form, &operands, form->number | number, 1, false, 4, 0);
                is_good &= (both.predicate & 1) == (less ^ c) && (both.second & 1) == (!less ^ c);
                in_lane_0("selp.b32", 7, 8, p, 0, number, &carry, &all);
                is_good &= all.d[0] == (c ? 7 : 8);
                in_lane_0("lop3.or.b32", less, less, less, p, 0x80 | number, &carry, &all);
                is_good &= (all.predicate & 1) == (less | c) && all.d[0] == less;
                in_lane_0("xor.pred", p, less, 0, 0, 0, &carry, &all);
                is_good &= (all.predicate & 1) == (p ^ less);
            }
    const struct ptx_form *halves = ptx_arithmetic("setp.lt.f16x2");
    struct operands operands = {.of = {{0x3c00bc00}, {0x00003c00}}};
    const struct results both = execute(halves, &operands, halves->number, 1, false, 4, 0);
    is_good &= (both.predicate & 1) == 1 && (both.second & 1) == 0;
    check(is_good, "predicates are combined, also negated ones");
    bool all_tables = true;
    for (unsigned table = 0; table < 256; table++)
        all_tables &= in_lane_0("lop3.b32", 0xf0, 0xcc, 0xaa, 0, table, &carry, &all) ==
                      (table | (table & 1 ? 0xffffff00 : 0));
    check(all_tables, "lop3 looks up all its tables");
    check(in_lane_0("fns.b32", 0x8421, 0, 3, 0, 0, &carry, &all) == 10 &&
              in_lane_0("fns.b32", 0x8421, 31, (uint32_t)-1, 0, 0, &carry, &all) == 15 &&
              in_lane_0("fns.b32", 0x8421, 5, 0, 0, 0, &carry, &all) == 5 &&
              in_lane_0("fns.b32", 0x8421, 4, 0, 0, 0, &carry, &all) == UINT32_MAX &&
              in_lane_0("fns.b32", 0x8421, 0, 5, 0, 0, &carry, &all) == UINT32_MAX,
          "fns counts bits up and down");
    check(in_lane_0("cvt.s64.s32", 0xdeadbeef80000000, 0, 0, 0, PTX_FROM_64, &carry, &all) ==
                  0x80000000 + 0xffffffff00000000 ||
              all.d[0] == 0xffffffff80000000,
          "cvt reads the low half of a wide register");
    check(in_lane_0("testp.subnormal.f32", 1, 0, 0, 0, 0, &carry, &all) == 0 && (all.predicate & 1),
          "testp knows kinds of numbers");
    check(in_lane_0("cvt.rp.ue8m0x2.f32", 0x40400000, 0x3f800000, 0, 0, 0, &carry, &all) == 0x817f &&
              in_lane_0("cvt.rz.ue8m0x2.f32", 0x40400000, 0x7fc00000, 0, 0, 0, &carry, &all) == 0x80ff &&
              in_lane_0("cvt.rn.bf16x2.ue8m0x2", 0x807f, 0, 0, 0, 0, &carry, &all) == 0x40003f80,
          "ue8m0 is a power of two");
}

int main(void)
{
    for (unsigned i = 0; i < LENGTH(patterns); i++)
        check(all_fit(patterns[i]), "some lanes of a warp execute %s as all do", patterns[i]);
    printf("%u forms\n", forms_seen);
    bool are_refused = !ptx_arithmetic("");
    for (const char *c = refused; *c; c += strcspn(c, " "), c += *c == ' ') {
        char name[40];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(c, " "), c);
        if (ptx_arithmetic(name))
            are_refused = false, printf("%s is found\n", name);
    }
    check(are_refused, "what PTX does not have is not found");
    for (unsigned i = 0; i < LENGTH(of_oracles); i++)
        check(agrees(i), "%s agrees with the host", of_oracles[i]);
    check_carries();
    check_predicates();
    return checks_done();
}
