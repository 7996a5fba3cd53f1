/*
 * Products of matrices (PTX ISA, "Warp Level Matrix Instructions", "Asynchronous Warpgroup Level Matrix
 * Instructions"): mma, wmma, wgmma, ldmatrix, stmatrix and movmatrix. The lanes of a warp execute them
 * together; diverged lanes meet first. One file because all of them place the elements of matrices in the
 * registers of lanes.
 */
#include "base/memory.h"
#include "machine/cuda/bounds.h"
#include "machine/engine/copies.h"
#include "machine/ptx/access.h"
#include "machine/ptx/arithmetic.h"

#include <stdlib.h>
#include <string.h>

#define MOST_REGISTERS 128 /* registers that a lane has for one matrix, at most */
#define MOST_ELEMENTS 8192 /* largest number of elements of a matrix */
#define MOST_DOUBLES 256
#define BYTES_OF_ROW 16 /* bytes at the address that a lane passes to ldmatrix or stmatrix */

/* ---- types of elements ---- */

enum number { IS_FLOAT, IS_DOUBLE, IS_INTEGER, IS_BITS };

/* A type of elements. Single bits are handled by words of 32 of them. */
struct element {
    const char *name;
    unsigned bits; /* size of an element in memory and in a register */
    enum number number;
    bool is_signed;
    enum ptx_type type; /* the type in PTX; for floating-point types of 8 bits, the type of a pair */
};

static const struct element element_types[] = {
    {"f16", 16, IS_FLOAT, true, PTX_f16},    {"bf16", 16, IS_FLOAT, true, PTX_bf16},
    {"tf32", 32, IS_FLOAT, true, PTX_tf32},  {"f32", 32, IS_FLOAT, true, PTX_f32},
    {"e4m3", 8, IS_FLOAT, true, PTX_e4m3x2}, {"e5m2", 8, IS_FLOAT, true, PTX_e5m2x2},
    {"f64", 64, IS_DOUBLE, true, PTX_f64},   {"s32", 32, IS_INTEGER, true, PTX_s32},
    {"s8", 8, IS_INTEGER, true, PTX_s8},     {"u8", 8, IS_INTEGER, false, PTX_u8},
    {"s4", 4, IS_INTEGER, true, PTX_s4},     {"u4", 4, IS_INTEGER, false, PTX_u4},
    {"b1", 1, IS_BITS, false, PTX_b32}};

/* Sets the types that the opcode names, in its order, and returns their number. */
static unsigned elements_of(const struct ptx_decoder *decoder, const struct element *types[4])
{
    unsigned count = 0;
    for (unsigned p = 1; p < decoder->part_count; p++)
        for (unsigned t = 0; t < sizeof element_types / sizeof *element_types && count < 4; t++)
            if (strcmp(decoder->parts[p], element_types[t].name) == 0)
                types[count++] = &element_types[t];
    return count;
}

/* The elements of a matrix, by rows. */
union values {
    float f[MOST_ELEMENTS];
    double d[MOST_DOUBLES];
    int32_t i[MOST_ELEMENTS]; /* single bits, too */
};

/* ---- fragments: the elements of a matrix in registers ---- */

enum matrix { MATRIX_A, MATRIX_B, MATRIX_C };

struct shape {
    unsigned m, n, k; /* k counts words if elements are single bits */
    unsigned
        blocks; /* number of products that the warp computes; more than one for the shape m8n8k4 of f16 */
    bool of_wmma, a_is_col, b_is_row;
};

struct fragment {
    const struct element *type;
    unsigned count, per_register; /* numbers of registers, and of elements in a register */
    ptx_operand at[MOST_REGISTERS];
    /* the number of each element in its matrix, by register, by place in the register and by lane */
    uint16_t *elements;
    /* For wmma: `chunk` registers are contiguous in memory. A row or column has `line` elements, which are
     * contiguous, and there are `lines` rows or columns. */
    unsigned chunk, line, lines;
};

/* The lane and register in which mma keeps an element: in terms of the manual, `lane / 4` is the groupID, and
 * `lane % 4` the number in the group. */
static unsigned mma_element(const struct shape *s, enum matrix matrix, unsigned r, unsigned j, unsigned per,
                            unsigned lane)
{
    unsigned group = lane / 4, in_group = lane % 4, tall = s->m / 8, i = r * per + j;
    switch (matrix) {
    case MATRIX_A:
        return (group + 8 * (r % tall)) * s->k + (r / tall * 4 + in_group) * per + j;
    case MATRIX_B:
        return ((r * 4 + in_group) * per + j) * s->n + group;
    default:
        return (group + 8 * (i / 2 % 2)) * s->n + i / 4 * 8 + 2 * in_group + i % 2;
    }
}

/* The shape m8n8k4 of f16: each block belongs to four lanes and the four lanes that are 16 above. */
static unsigned block_element(const struct shape *s, enum matrix matrix, unsigned i, bool is_f32,
                              unsigned lane)
{
    unsigned in_group = lane % 4, high = lane / 16 * 4, block = lane / 4 % 4;
    switch (matrix) {
    case MATRIX_A:
        return block * 32 + (s->a_is_col ? (high + i) * 4 + in_group : (high + in_group) * 4 + i);
    case MATRIX_B:
        return block * 32 + (s->b_is_row ? in_group * 8 + high + i : i * 8 + high + in_group);
    default:
        return block * 64 + (is_f32 ? (high + (lane & 1) + (i & 2)) * 8 + (i & 4) + (lane & 2) + (i & 1)
                                    : (high + in_group) * 8 + i);
    }
}

/* wmma's placement is not documented, so it is chosen here: a lane has up to 16 contiguous bytes of a row or
 * column as it is in memory, and the next such bytes belong to the next lane. If there are more registers
 * than elements, elements are repeated. Sets the row or column, and the index in it. */
static void wmma_place(const struct fragment *f, unsigned chunk, unsigned lane, unsigned *line,
                       unsigned *first)
{
    unsigned length = f->chunk * f->per_register, in_line = f->line / length;
    unsigned unit = (chunk * PTX_LANES + lane) % (f->lines * in_line);
    *line = unit / in_line;
    *first = unit % in_line * length;
}

static unsigned wmma_element(const struct shape *s, enum matrix matrix, const struct fragment *f, unsigned r,
                             unsigned j, unsigned lane)
{
    unsigned line, in_line;
    wmma_place(f, r / f->chunk, lane, &line, &in_line);
    in_line += r % f->chunk * f->per_register + j;
    bool is_turned = matrix == MATRIX_A ? s->a_is_col : matrix == MATRIX_B && !s->b_is_row;
    return is_turned ? in_line * f->lines + line : line * f->line + in_line;
}

/* Reads the registers of a fragment, and finds where the matrix's elements are. */
static void decode_fragment(struct ptx_decoder *decoder, struct fragment *f,
                            const struct ptx_argument *argument, const struct element *type,
                            enum matrix matrix, const struct shape *s)
{
    const struct ptx_argument *items = ptx_items_of(argument, &f->count);
    unsigned bits = type->number == IS_BITS ? 32 : type->bits;
    unsigned of_block = matrix == MATRIX_A ? s->m * s->k : matrix == MATRIX_B ? s->k * s->n : s->m * s->n;
    unsigned all = of_block * s->blocks;
    f->type = type;
    f->per_register = bits < 32 ? 32 / bits : 1;
    f->line = matrix == MATRIX_A                   ? s->a_is_col ? s->m : s->k
              : matrix == MATRIX_B && !s->b_is_row ? s->k
                                                   : s->n;
    f->lines = of_block / f->line;
    f->chunk = f->count < 128 / (f->per_register * bits) ? f->count : 128 / (f->per_register * bits);
    unsigned held = f->count * f->per_register * PTX_LANES;
    bool is_held = s->of_wmma ? held >= all && f->line % (f->chunk * f->per_register) == 0 : held == all;
    if (f->count > MOST_REGISTERS || all > (bits == 64 ? MOST_DOUBLES : MOST_ELEMENTS) || !is_held)
        ptx_unsupported(decoder, "this number of registers does not fit its shape");
    for (unsigned r = 0; r < f->count; r++)
        f->at[r] = ptx_operand_of(decoder, &items[r], bits == 64 ? '8' : '4');
    f->elements = ptx_allocate(decoder->routine->function->module, held * sizeof *f->elements);
    for (unsigned e = 0; e < held; e++) {
        unsigned lane = e % PTX_LANES, j = e / PTX_LANES % f->per_register,
                 r = e / PTX_LANES / f->per_register;
        f->elements[e] = (uint16_t)(s->of_wmma      ? wmma_element(s, matrix, f, r, j, lane)
                                    : s->blocks > 1 ? block_element(s, matrix, r * f->per_register + j,
                                                                    type->bits == 32, lane)
                                                    : mma_element(s, matrix, r, j, f->per_register, lane));
    }
}

/* Does `statement` for each element of a fragment, which is number `e` in its matrix. The element is in the
 * lowest bits of *word, after `shift` other ones. */
#define FOR_ELEMENTS(lanes, fragment, slot, statement)                                                       \
    do {                                                                                                     \
        const uint16_t *element_ = (fragment)->elements;                                                     \
        for (unsigned r_ = 0; r_ < (fragment)->count; r_++)                                                  \
            for (unsigned shift = 0; shift < 32; shift += 32 / (fragment)->per_register)                     \
                for (unsigned l_ = 0; l_ < PTX_LANES; l_++) {                                                \
                    slot *const word = &PTX_AT(slot, lanes, (fragment)->at[r_])[l_];                         \
                    const unsigned e = *element_++;                                                          \
                    statement                                                                                \
                }                                                                                            \
    } while (0)

static float float_of_8(uint8_t bits, enum ptx_type type)
{
    static float values[2][256];
    static bool are_known;
    for (unsigned i = 0; !are_known && i < 256; i++) {
        values[0][i] = (float)ptx_widened(i, PTX_e4m3x2);
        values[1][i] = (float)ptx_widened(i, PTX_e5m2x2);
    }
    are_known = true;
    return values[type == PTX_e5m2x2][bits];
}

static void read_fragment(const struct ptx_lanes *lanes, const struct fragment *f, union values *to)
{
    switch (f->type->type) {
    case PTX_f16:
        FOR_ELEMENTS(lanes, f, const uint32_t, { to->f[e] = ptx_half(*word >> shift & 0xffff); });
        break;
    case PTX_bf16:
        FOR_ELEMENTS(lanes, f, const uint32_t, { to->f[e] = ptx_float(*word >> shift << 16); });
        break;
    case PTX_tf32: /* the lowest bits of the register are not used */
        FOR_ELEMENTS(lanes, f, const uint32_t, { to->f[e] = ptx_float(*word & 0xffffe000); });
        break;
    case PTX_f64:
        FOR_ELEMENTS(lanes, f, const uint64_t, { to->d[e] = ptx_double(*word); });
        break;
    case PTX_e4m3x2:
    case PTX_e5m2x2:
        FOR_ELEMENTS(lanes, f, const uint32_t,
                     { to->f[e] = float_of_8((uint8_t)(*word >> shift), f->type->type); });
        break;
    case PTX_s8:
        FOR_ELEMENTS(lanes, f, const uint32_t, { to->i[e] = (int8_t)(*word >> shift); });
        break;
    case PTX_u8:
        FOR_ELEMENTS(lanes, f, const uint32_t, { to->i[e] = (uint8_t)(*word >> shift); });
        break;
    case PTX_s4:
        FOR_ELEMENTS(lanes, f, const uint32_t, { to->i[e] = (int32_t)(*word << (28 - shift)) >> 28; });
        break;
    case PTX_u4:
        FOR_ELEMENTS(lanes, f, const uint32_t, { to->i[e] = *word >> shift & 15; });
        break;
    default: /* elements of 32 bits */
        FOR_ELEMENTS(lanes, f, const uint32_t, { to->i[e] = (int32_t)*word; });
        break;
    }
}

/* Writes a matrix of sums. */
static void write_fragment(const struct ptx_lanes *lanes, const struct fragment *f, const union values *from)
{
    switch (f->type->type) {
    case PTX_f16:
        FOR_ELEMENTS(lanes, f, uint32_t, { *word = (shift ? *word : 0) | ptx_half_of(from->f[e]) << shift; });
        break;
    case PTX_f32:
        FOR_ELEMENTS(lanes, f, uint32_t, { *word = ptx_bits_32(ptx_canonical(from->f[e])); });
        break;
    case PTX_f64:
        FOR_ELEMENTS(lanes, f, uint64_t, { *word = ptx_bits_64(from->d[e]); });
        break;
    default:
        FOR_ELEMENTS(lanes, f, uint32_t, { *word = (uint32_t)from->i[e]; });
        break;
    }
}

/* ---- lanes that meet ---- */

/* Are all lanes of the warp here? If not, they meet, and then begin the instruction again. */
static bool is_together(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    if (lanes->mask == (uint32_t)(all_lanes(lanes->warp) & ~lanes->warp->exited))
        return true;
    ptx_request(lanes, code, REQUEST_WARP_BARRIER);
    FOR_EACH_LANE(l, lanes->mask) lanes->warp->more[l].mask = PTX_ALL_LANES;
    return false;
}

static bool has_met(const struct ptx_lanes *lanes)
{
    return lanes->warp->lanes[__builtin_ctz(lanes->mask)].kind == REQUEST_WARP_BARRIER;
}

const struct ptx_code *ptx_finish_meeting(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    (void)lanes;
    return code;
}

/* ---- mma and wmma.mma ---- */

struct product {
    struct shape shape;
    struct fragment d, a, b, c;
    enum number number;
    bool saturates; /* are sums limited to s32? */
    bool is_and;    /* for single bits: true if the product is a & b, false if it is a ^ b */
};

/* Adds the products of a block to the matrix c, in the order of k. It is not documented in which order a GPU
 * adds, nor how it rounds sums of f16 and other narrow types. Here such sums are f32, and only the last one
 * is rounded to the type of d. */
#define ADD_PRODUCTS(member, expression)                                                                     \
    for (unsigned m = 0; m < s->m; m++)                                                                      \
        for (unsigned k = 0; k < s->k; k++)                                                                  \
            _Pragma("GCC ivdep") for (unsigned n = 0; n < s->n; n++)                                         \
            {                                                                                                \
                const __typeof__(*c->member) x = a->member[at_a + m * s->k + k],                             \
                                             y = b->member[at_b + k * s->n + n];                             \
                __typeof__(*c->member) *const sum = &c->member[at_c + m * s->n + n];                         \
                *sum = expression;                                                                           \
            }

static void add_products(const struct product *p, unsigned block, const union values *a,
                         const union values *b, union values *c)
{
    const struct shape *s = &p->shape;
    const unsigned at_a = block * s->m * s->k, at_b = block * s->k * s->n, at_c = block * s->m * s->n;
    if (p->number == IS_FLOAT) {
        ADD_PRODUCTS(f, *sum + x * y)
    } else if (p->number == IS_DOUBLE) {
        ADD_PRODUCTS(d, __builtin_fma(x, y, *sum))
    } else if (p->number == IS_INTEGER) {
        ADD_PRODUCTS(i, *sum + x * y)
    } else if (p->is_and) {
        ADD_PRODUCTS(i, *sum + __builtin_popcount((uint32_t)(x & y)))
    } else {
        ADD_PRODUCTS(i, *sum + __builtin_popcount((uint32_t)(x ^ y)))
    }
}

/* Adds the matrix c to sums of products. Only this addition can overflow, because a sum of products that
 * begins with 0 always fits into s32. */
static void add_integers(const struct product *p, union values *sums, const union values *c)
{
    for (unsigned i = 0; i < p->shape.m * p->shape.n; i++) {
        int64_t sum = (int64_t)sums->i[i] + c->i[i];
        if (p->saturates)
            sum = sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : sum;
        sums->i[i] = (int32_t)sum;
    }
}

static const struct ptx_code *run_product(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    const struct product *p = code->more;
    bool is_integer = p->number == IS_INTEGER || p->number == IS_BITS;
    union values a, b, c, sums;
    if (!is_together(code, lanes))
        return ptx_stop(lanes, code);
    read_fragment(lanes, &p->a, &a);
    read_fragment(lanes, &p->b, &b);
    read_fragment(lanes, &p->c, &c);
    if (is_integer)
        memset(sums.i, 0, p->shape.m * p->shape.n * sizeof *sums.i);
    for (unsigned block = 0; block < p->shape.blocks; block++)
        add_products(p, block, &a, &b, is_integer ? &sums : &c);
    if (is_integer)
        add_integers(p, &sums, &c);
    write_fragment(lanes, &p->d, is_integer ? &sums : &c);
    return code + 1;
}

static unsigned take_number(const char **text, char before)
{
    if (**text != before)
        return 0;
    char *end_of_number;
    unsigned long number = strtoul(*text + 1, &end_of_number, 10);
    *text = end_of_number;
    return number <= 256 ? (unsigned)number : 0;
}

static struct shape shape_of(const struct ptx_decoder *decoder)
{
    struct shape s = {.blocks = 1};
    bool is_second = false;
    for (unsigned p = 1; p < decoder->part_count; p++) {
        const char *part = decoder->parts[p];
        bool is_col = strcmp(part, "col") == 0;
        if (is_col || strcmp(part, "row") == 0) {
            if (is_second)
                s.b_is_row = !is_col;
            else
                s.a_is_col = is_col;
            is_second = true;
        } else if (*part == 'm' && part[1] >= '0' && part[1] <= '9') {
            s.m = take_number(&part, 'm');
            s.n = take_number(&part, 'n');
            s.k = take_number(&part, 'k');
        }
    }
    if (!s.m || !s.n || !s.k)
        ptx_unsupported(decoder, "its shape is not known");
    return s;
}

/* Does mma support this shape for elements of this type? All types except f64 have rows of 128 or 256
 * bits. */
static bool is_of_mma(const struct shape *s, const struct element *type)
{
    unsigned bits = s->k * type->bits;
    if (s->n != 8)
        return false;
    if (s->m == 8)
        return type->number == IS_FLOAT ? type->type == PTX_f16 && s->k == 4
                                        : bits == (type->bits == 64 ? 256 : 128);
    return s->m == 16 &&
           (type->bits == 64 ? s->k == 4 || s->k == 8 || s->k == 16 : bits == 128 || bits == 256);
}

static bool is_of_wmma(const struct shape *s, const struct element *type)
{
    if (type->bits <= 4 || type->bits == 64)
        return s->m == 8 && s->n == 8 && s->k * type->bits == (type->bits == 64 ? 256 : 128);
    if (type->type == PTX_tf32)
        return s->m == 16 && s->n == 16 && s->k == 8;
    return s->k == 16 && s->m * s->n == 256 && s->m >= 8 && s->n >= 8;
}

static void decode_product(struct ptx_decoder *decoder, struct ptx_code *code)
{
    bool of_wmma = strcmp(decoder->parts[0], "wmma") == 0;
    struct product *p = ptx_allocate(decoder->routine->function->module, sizeof *p);
    struct shape *s = &p->shape;
    const struct element *types[4] = {0};
    unsigned count = elements_of(decoder, types);
    if (count == 2) { /* wmma with f16 names the types of d and c alone */
        types[3] = types[1];
        types[1] = types[2] = &element_types[0];
    } else if (count != 4) {
        ptx_unsupported(decoder, "its types are not known");
    }
    *s = shape_of(decoder);
    s->of_wmma = of_wmma;
    bool is_turned = s->a_is_col || s->b_is_row,
         is_known = of_wmma ? is_of_wmma(s, types[1]) : is_of_mma(s, types[1]);
    if (!of_wmma && s->m == 8 && types[1]->type == PTX_f16)
        s->blocks = 4;
    else if (!of_wmma)
        is_known = is_known && !is_turned;
    bool is_float = types[1]->number == IS_FLOAT, is_double = types[1]->number == IS_DOUBLE;
    for (unsigned t = 0; t < 4; t++) {
        enum ptx_type type = types[t]->type;
        bool is_sum = t == 0 || t == 3;
        is_known =
            is_known && (is_sum ? is_float    ? type == PTX_f32 || type == PTX_f16
                                  : is_double ? type == PTX_f64
                                              : type == PTX_s32
                                : types[t]->number == types[1]->number && types[t]->bits == types[1]->bits &&
                                      type != PTX_f32 && type != PTX_s32);
    }
    if (!is_known)
        ptx_unsupported(decoder, "sm_90 does not have its shape with its types");
    p->number = types[1]->number;
    p->is_and = ptx_has(decoder, "and");
    p->saturates = ptx_has(decoder, "satfinite");
    if (p->saturates && p->number != IS_INTEGER)
        ptx_unsupported(decoder, ".satfinite is known for integers alone");
    if (p->number == IS_BITS)
        s->k /= 32;
    decode_fragment(decoder, &p->d, ptx_argument_of(decoder, 0), types[0], MATRIX_C, s);
    decode_fragment(decoder, &p->a, ptx_argument_of(decoder, 1), types[1], MATRIX_A, s);
    decode_fragment(decoder, &p->b, ptx_argument_of(decoder, 2), types[2], MATRIX_B, s);
    decode_fragment(decoder, &p->c, ptx_argument_of(decoder, 3), types[3], MATRIX_C, s);
    code->more = p;
}

/* ---- wgmma: the four warps of a warpgroup compute 16 rows each of a product ---- */

#define CHUNK 16       /* bytes of a row or column that are contiguous in shared memory */
#define MOST_LINES 256 /* largest number of columns of B */
#define ROWS_OF_WARP 16
#define BYTES_OF_K 32 /* a product has as many rows of B, and columns of A, as fit into these bytes */

/* A matrix in shared memory. Its descriptor (PTX ISA, "Matrix Descriptor") is equal for all lanes. */
struct shared_matrix {
    ptx_operand descriptor;
    unsigned lines;  /* number of rows of A, or of columns of B, that a warp reads */
    bool is_divided; /* does each warp of the group read lines of its own? */
    /* Are the elements of a k (of a column of A, or a row of B) contiguous, and not those of a line? */
    bool is_turned;
    struct fragment f; /* the elements in the order in which the matrix is read */
};

struct warpgroup_product {
    struct product product;
    struct shared_matrix a, b;
    bool a_is_shared;
    bool negates;     /* is the product subtracted? */
    ptx_operand adds; /* a predicate: is the product added to d? */
};

static unsigned chunks_of(const struct shared_matrix *matrix)
{
    return matrix->lines * BYTES_OF_K / CHUNK;
}

/* Adds the pieces of shared memory that have a matrix: those of the first line or k before those of the next.
 * The atoms of a layout have 8 lines, or 8 of k if the matrix is turned; a swizzle of 32, 64 or 128 bytes
 * makes a line of an atom that long. `leading` and `stride` are in chunks. */
static void add_pieces(struct copy_piece *pieces, const struct shared_matrix *matrix, uint64_t descriptor,
                       unsigned warp, const struct ptx_code *code)
{
    static const uint8_t widths[] = {1, 8, 4, 2}; /* chunks that change places with each other */
    const unsigned width = widths[descriptor >> 62], chunks = chunks_of(matrix),
                   begin = (unsigned)descriptor & 0x3fff, leading = (unsigned)(descriptor >> 16) & 0x3fff,
                   stride = (unsigned)(descriptor >> 32) & 0x3fff, lines = matrix->lines / 8,
                   first = matrix->is_divided ? warp * ROWS_OF_WARP : 0;
    if (descriptor >> 49 & 7)
        bounds_tell_use("reads a matrix whose descriptor has a base offset, which is not known here", code);
    for (unsigned c = 0; c < chunks; c++) {
        unsigned at = begin;
        if (!matrix->is_turned) {
            const unsigned line = first + c / 2;
            at += line % 8 * width + line / 8 * stride + c % 2 * (width > 1 ? 1 : leading);
        } else {
            const unsigned eight = first / 8 + c % lines, k = c / lines;
            at += width > 1 ? eight % width + eight / width * leading + k % 8 * width + k / 8 * stride
                            : eight * stride + k % 8 + k / 8 * leading;
        }
        at ^= at / 8 & (width - 1);
        pieces[c] = (struct copy_piece){.from = (ptrdiff_t)at * CHUNK, .bytes = CHUNK, .is_read = true};
    }
}

/* Reads a matrix whose elements are in memory, not in the registers of lanes. */
static void read_bytes(unsigned char *bytes, const struct fragment *f, union values *to)
{
    read_fragment(&(struct ptx_lanes){.base = {bytes}}, f, to);
}

/* Reads the matrices in shared memory as a copy of the asynchronous proxy does, which the warp's first thread
 * issues. */
static void read_shared(const struct ptx_code *code, struct ptx_lanes *lanes, union values *a,
                        union values *b)
{
    const struct warpgroup_product *p = code->more;
    unsigned char bytes[(ROWS_OF_WARP + MOST_LINES) * BYTES_OF_K] __attribute__((aligned(8)));
    struct copy_piece pieces[sizeof bytes / CHUNK];
    const unsigned warp = thread_of(lanes->warp, 0) / PTX_LANES % 4,
                   of_a = p->a_is_shared ? chunks_of(&p->a) : 0;
    struct copy_request asked = {.kind = READ_OF_PRODUCT,
                                 .from = (uintptr_t)lanes->warp->block->dynamic,
                                 .pieces = pieces,
                                 .piece_count = of_a + chunks_of(&p->b)};
    ptx_becomes_running(lanes, 0);
    if (of_a)
        add_pieces(pieces, &p->a, *PTX_AT(const uint64_t, lanes, p->a.descriptor), warp, code);
    add_pieces(pieces + of_a, &p->b, *PTX_AT(const uint64_t, lanes, p->b.descriptor), warp, code);
    asked.bytes = asked.bytes_from = asked.piece_count * CHUNK;
    for (unsigned i = 0; bounds_are_checked && i < asked.piece_count; i++)
        bounds_check_copy(0, asked.from + (uintptr_t)pieces[i].from, CHUNK, false, 0, code);
    copies_issue_read(&asked, bytes, code);
    if (of_a)
        read_bytes(bytes, &p->a.f, a);
    read_bytes(bytes + of_a * CHUNK, &p->b.f, b);
}

static const struct ptx_code *run_warpgroup_product(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    const struct warpgroup_product *of = code->more;
    const struct product *p = &of->product;
    const unsigned count = p->shape.m * p->shape.k;
    union values a, b, sums, d;
    if (!is_together(code, lanes))
        return ptx_stop(lanes, code);
    if (!of->a_is_shared)
        read_fragment(lanes, &p->a, &a);
    read_shared(code, lanes, &a, &b);
    for (unsigned e = 0; of->negates && e < count; e++)
        a.f[e] = -a.f[e];
    if (*PTX_AT(const uint32_t, lanes, of->adds) & 1)
        read_fragment(lanes, &p->d, &d);
    else
        memset(d.i, 0, p->shape.m * p->shape.n * sizeof *d.i);
    if (p->number == IS_INTEGER) {
        memset(sums.i, 0, p->shape.m * p->shape.n * sizeof *sums.i);
        add_products(p, 0, &a, &b, &sums);
        add_integers(p, &sums, &d);
    } else {
        add_products(p, 0, &a, &b, &d);
    }
    write_fragment(lanes, &p->d, p->number == IS_INTEGER ? &sums : &d);
    return code + 1;
}

static const struct ptx_code *run_warpgroup_commit(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    if (!is_together(code, lanes))
        return ptx_stop(lanes, code);
    ptx_becomes_running(lanes, 0);
    copies_commit(GROUPS_OF_PRODUCTS);
    return code + 1;
}

static const struct ptx_code *run_warpgroup_wait(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    if (!is_together(code, lanes))
        return ptx_stop(lanes, code);
    ptx_becomes_running(lanes, 0);
    const unsigned groups = copies_groups_before(GROUPS_OF_PRODUCTS, (unsigned)code->number);
    if (!copies_done(GROUPS_OF_PRODUCTS, groups, false))
        return ptx_request_clock(code, lanes); /* the lanes ask again */
    copies_learn(GROUPS_OF_PRODUCTS, groups, false);
    return code + 1;
}

static void decode_shared(struct ptx_decoder *decoder, struct shared_matrix *matrix, unsigned number,
                          const struct element *type, const struct shape *s, enum matrix which)
{
    struct fragment *f = &matrix->f;
    const unsigned words = matrix->lines * BYTES_OF_K / 4;
    matrix->descriptor = ptx_operand_at(decoder, number, '8');
    matrix->is_divided = which == MATRIX_A;
    f->type = type;
    f->count = words / PTX_LANES;
    f->per_register = 32 / type->bits;
    f->elements =
        ptx_allocate(decoder->routine->function->module, words * f->per_register * sizeof *f->elements);
    for (unsigned r = 0; r < f->count; r++)
        f->at[r] = r * PTX_LANES * 4;
    for (unsigned e = 0; e < words * f->per_register; e++) {
        const unsigned lane = e % PTX_LANES, j = e / PTX_LANES % f->per_register,
                       r = e / PTX_LANES / f->per_register, at = (r * PTX_LANES + lane) * f->per_register + j,
                       line = matrix->is_turned ? at % matrix->lines : at / s->k,
                       k = matrix->is_turned ? at / matrix->lines : at % s->k;
        f->elements[e] = (uint16_t)(which == MATRIX_A ? line * s->k + k : k * s->n + line);
    }
}

/* wgmma.mma_async d, a, descriptor of b, adds {, factor of a, factor of b {, a is turned}, b is turned}; a is
 * a descriptor or a group of registers. Only f16 and bf16 can be turned. */
static void decode_warpgroup_product(struct ptx_decoder *decoder, struct ptx_code *code)
{
    struct warpgroup_product *of = ptx_allocate(decoder->routine->function->module, sizeof *of);
    struct product *p = &of->product;
    struct shape *s = &p->shape;
    const struct element *types[4] = {0};
    const unsigned type_count = elements_of(decoder, types), count = decoder->statement->argument_count;
    *s = shape_of(decoder);
    of->a_is_shared = ptx_argument_of(decoder, 1)->kind != PTX_IS_GROUP;
    if (type_count != 3 || s->m != 4 * ROWS_OF_WARP || s->n % 8 || s->n > MOST_LINES ||
        s->k * types[1]->bits != 8 * BYTES_OF_K || types[1]->bits != types[2]->bits)
        ptx_unsupported(decoder, "its shape with its types is not known");
    s->m = ROWS_OF_WARP;
    p->number = types[1]->number;
    p->saturates = ptx_has(decoder, "satfinite");
    of->adds = ptx_operand_at(decoder, 3, 'p');
    if (count > 5)
        of->negates = ptx_number_of(decoder, ptx_argument_of(decoder, 4)) !=
                      ptx_number_of(decoder, ptx_argument_of(decoder, 5));
    if (count > 6)
        of->b.is_turned = ptx_number_of(decoder, ptx_argument_of(decoder, count - 1)) != 0;
    if (count > 7)
        of->a.is_turned = ptx_number_of(decoder, ptx_argument_of(decoder, 6)) != 0;
    of->a.lines = ROWS_OF_WARP;
    of->b.lines = s->n;
    decode_fragment(decoder, &p->d, ptx_argument_of(decoder, 0), types[0], MATRIX_C, s);
    if (of->a_is_shared)
        decode_shared(decoder, &of->a, 1, types[1], s, MATRIX_A);
    else
        decode_fragment(decoder, &p->a, ptx_argument_of(decoder, 1), types[1], MATRIX_A, s);
    decode_shared(decoder, &of->b, 2, types[2], s, MATRIX_B);
    code->more = of;
}

/* ---- wmma.load and wmma.store ---- */

/* An access of a lane to its part of a matrix, in as many requests as are needed. */
struct matrix_access {
    struct ptx_access access;
    struct fragment fragment;
    ptx_operand stride; /* distance from one row or column to the next, in elements */
    /* Is the matrix C in columns? Its fragments are the same for rows and columns, so each element is
     * accessed on its own then. */
    bool is_split;
};

/* Returns the address of a lane's access with this number. */
static uint64_t matrix_address(const struct ptx_code *code, const struct ptx_lanes *lanes, unsigned l,
                               unsigned number)
{
    const struct matrix_access *of = code->more;
    const struct fragment *f = &of->fragment;
    unsigned line, first, parts = of->is_split ? f->chunk * f->per_register : 1;
    unsigned bits = f->type->number == IS_BITS ? 32 : f->type->bits;
    uint64_t stride = (uint64_t)PTX_AT(const uint32_t, lanes, of->stride)[l] * f->type->bits / 8;
    wmma_place(f, number / parts, l, &line, &first);
    first += number % parts;
    return ptx_address(code, lanes, l) +
           (of->is_split ? first * stride + line * bits / 8 : line * stride + first * bits / 8);
}

static unsigned accesses_of(const struct matrix_access *of)
{
    return of->is_split ? of->fragment.count * of->fragment.per_register
                        : of->fragment.count / of->fragment.chunk;
}

static const struct ptx_code *run_matrix_access(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    FOR_EACH_LANE(l, lanes->mask) lanes->warp->addresses[l] = matrix_address(code, lanes, l, lanes->stage);
    ptx_request_access(code, lanes);
    return ptx_stop(lanes, code);
}

/* An access of a matrix fragment is made as several accesses, which are numbered from 0. Copies the bytes of
 * access `number`: to the lane's registers if `is_load` is true, or else from them. */
static void copy_part(const struct matrix_access *of, const struct ptx_lanes *lanes, unsigned l,
                      unsigned number, unsigned char *bytes, bool is_load)
{
    const struct fragment *f = &of->fragment;
    unsigned size = of->access.bytes, width = f->type->bits == 64 ? 8 : 4, at = number * size;
    for (unsigned done = 0, more; done < size; done += more, at += more) {
        unsigned char *slot =
            (unsigned char *)&PTX_AT(uint32_t, lanes, f->at[at / width])[l * width / 4] + at % width;
        more = size - done < width ? size - done : width;
        memcpy(is_load ? slot : bytes + done, is_load ? bytes + done : slot, more);
    }
}

static const struct ptx_code *finish_matrix_access(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    const struct matrix_access *of = code->more;
    unsigned number = lanes->stage - 1;
    unsigned char bytes[16];
    bool is_load = of->access.kind == REQUEST_LOAD;
    FOR_EACH_LANE(l, lanes->mask)
    {
        if (!is_load)
            copy_part(of, lanes, l, number, bytes, false);
        ptx_move(code, lanes, l, lanes->warp->addresses[l], bytes);
        if (is_load)
            copy_part(of, lanes, l, number, bytes, true);
    }
    return lanes->stage < accesses_of(of) ? run_matrix_access(code, lanes) : code + 1;
}

static void begin_access(struct ptx_decoder *decoder, struct ptx_code *code, struct ptx_access *access,
                         enum request_kind kind, unsigned bytes, const struct ptx_argument *address)
{
    access->kind = kind;
    access->space = ptx_space_of(decoder);
    access->bytes = bytes;
    access->plain = true;
    access->strength = (struct strength){SCOPE_THREAD, ORDER_RELAXED};
    code->more = access;
    ptx_decode_address(decoder, code, access, address);
}

static void decode_matrix_access(struct ptx_decoder *decoder, struct ptx_code *code)
{
    bool is_load = ptx_has(decoder, "load");
    struct matrix_access *of = ptx_allocate(decoder->routine->function->module, sizeof *of);
    struct fragment *f = &of->fragment;
    const struct element *types[4] = {0};
    struct shape s = shape_of(decoder);
    const char *name = decoder->parts[2];
    enum matrix matrix = *name == 'a' ? MATRIX_A : *name == 'b' ? MATRIX_B : MATRIX_C;
    if (elements_of(decoder, types) != 1)
        ptx_unsupported(decoder, "its type is not known");
    bool is_col = s.a_is_col; /* the opcode names one layout only */
    s.of_wmma = true;
    s.b_is_row = !is_col;
    if (types[0]->number == IS_BITS && s.k % 32 == 0 && matrix != MATRIX_C)
        s.k /= 32;
    decode_fragment(decoder, f, ptx_argument_of(decoder, is_load ? 0 : 1), types[0], matrix, &s);
    of->is_split = matrix == MATRIX_C && is_col;
    unsigned lead = of->is_split ? s.m : types[0]->number == IS_BITS ? 32 * f->line : f->line;
    of->stride = decoder->statement->argument_count > 2 ? ptx_operand_at(decoder, 2, '4')
                                                        : ptx_constant(decoder, lead, '4');
    unsigned part = f->chunk * (types[0]->bits == 64 ? 8 : 4);
    begin_access(decoder, code, &of->access, is_load ? REQUEST_LOAD : REQUEST_STORE,
                 of->is_split ? types[0]->bits / 8 : part, ptx_argument_of(decoder, is_load ? 1 : 0));
}

/* ---- ldmatrix, stmatrix and movmatrix: matrices of 8 rows of 8 elements of 16 bits ---- */

struct rows {
    struct ptx_access access;
    unsigned count; /* number of matrices */
    ptx_operand at[4];
    bool turns; /* .trans */
};

/* The rows of the matrices, as lanes give their addresses. */
typedef uint16_t elements[4][8][8];

/* Returns the place of element j of lane l in a matrix. */
static uint16_t *element_at(uint16_t (*matrix)[8], bool turns, unsigned l, unsigned j)
{
    unsigned row = l / 4, column = l % 4 * 2 + j;
    return turns ? &matrix[column][row] : &matrix[row][column];
}

static void read_rows(const struct ptx_lanes *lanes, const struct rows *rows, elements matrices)
{
    for (unsigned i = 0; i < rows->count; i++)
        for (unsigned l = 0; l < PTX_LANES; l++)
            for (unsigned j = 0; j < 2; j++)
                *element_at(matrices[i], rows->turns, l, j) =
                    (uint16_t)(PTX_AT(const uint32_t, lanes, rows->at[i])[l] >> 16 * j);
}

static void write_rows(const struct ptx_lanes *lanes, const struct rows *rows, elements matrices)
{
    for (unsigned i = 0; i < rows->count; i++)
        for (unsigned l = 0; l < PTX_LANES; l++)
            PTX_AT(uint32_t, lanes, rows->at[i])
    [l] = (uint32_t)*element_at(matrices[i], rows->turns, l, 0) |
          (uint32_t)*element_at(matrices[i], rows->turns, l, 1) << 16;
}

/* Lanes that give no address request what an earlier lane does, so that all lanes wait for the access. */
static const struct ptx_code *run_rows(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    const struct rows *rows = code->more;
    if (!is_together(code, lanes))
        return ptx_stop(lanes, code);
    FOR_EACH_LANE(l, lanes->mask)
    lanes->warp->addresses[l] = ptx_address(code, lanes, l % (8 * rows->count));
    ptx_request_access(code, lanes);
    return ptx_stop(lanes, code);
}

static const struct ptx_code *finish_rows(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    const struct rows *rows = code->more;
    bool is_load = rows->access.kind == REQUEST_LOAD;
    elements matrices = {0};
    if (has_met(lanes))
        return code;
    if (!is_load)
        read_rows(lanes, rows, matrices);
    for (unsigned l = 0; l < 8 * rows->count && l < lanes->warp->lane_count; l++)
        ptx_move(code, lanes, l, lanes->warp->addresses[l], matrices[l / 8][l % 8]);
    if (is_load)
        write_rows(lanes, rows, matrices);
    return code + 1;
}

static const struct ptx_code *run_turn(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    struct rows from = {.count = 1, .at = {code->a}}, to = {.count = 1, .at = {code->d}, .turns = true};
    elements matrices;
    if (!is_together(code, lanes))
        return ptx_stop(lanes, code);
    read_rows(lanes, &from, matrices);
    write_rows(lanes, &to, matrices);
    return code + 1;
}

static void decode_rows(struct ptx_decoder *decoder, struct ptx_code *code)
{
    struct rows *rows = ptx_allocate(decoder->routine->function->module, sizeof *rows);
    bool is_load = decoder->operation->writes;
    unsigned count;
    const struct ptx_argument *values = ptx_items_of(ptx_argument_of(decoder, is_load ? 0 : 1), &count);
    rows->count = ptx_has(decoder, "x4") ? 4 : ptx_has(decoder, "x2") ? 2 : 1;
    rows->turns = ptx_has(decoder, "trans");
    if (rows->count != count)
        ptx_unsupported(decoder, "this number of registers does not fit its matrices");
    for (unsigned i = 0; i < rows->count; i++)
        rows->at[i] = ptx_operand_of(decoder, &values[i], '4');
    begin_access(decoder, code, &rows->access, is_load ? REQUEST_LOAD : REQUEST_STORE, BYTES_OF_ROW,
                 ptx_argument_of(decoder, is_load ? 1 : 0));
}

#define OTHER_MATRICES .refusal = "sm_90 has matrices of m8n8 and .b16 alone"
const struct ptx_operation ptx_matrix_operations[] = {
    {"mma|wmma|wgmma", "sp|sp::ordered_metadata", .refusal = "sparse matrices are not known"},
    {"mma|wmma", "block_scale|kind::f8f6f4", .refusal = "sm_90 does not have it"},
    {"mma|wmma", "rz|rm|rp", .refusal = "only rounding to nearest is known"},
    {"wmma", "load|store", .run = run_matrix_access, .finish = finish_matrix_access,
     .decode = decode_matrix_access, .writes = true},
    {"mma|wmma", .run = run_product, .finish = ptx_finish_meeting, .decode = decode_product, .writes = true},
    {"ldmatrix|stmatrix|movmatrix", .without = "m8n8", OTHER_MATRICES},
    {"ldmatrix|stmatrix|movmatrix", .without = "b16", OTHER_MATRICES},
    {"ldmatrix", .run = run_rows, .finish = finish_rows, .decode = decode_rows, .writes = true},
    {"stmatrix", .run = run_rows, .finish = finish_rows, .decode = decode_rows},
    {"movmatrix", .operands = "4:4", .run = run_turn, .finish = ptx_finish_meeting, .writes = true},
    /* Its first argument is read, too, so it does not count as a result. */
    {"wgmma", "fence", .run = ptx_nothing},
    {"wgmma", "commit_group", .run = run_warpgroup_commit, .finish = ptx_finish_meeting},
    {"wgmma", "wait_group", .operands = ":#", .run = run_warpgroup_wait, .finish = ptx_finish_meeting},
    {"wgmma", "mma_async", .run = run_warpgroup_product, .finish = ptx_finish_meeting,
     .decode = decode_warpgroup_product},
    {"tcgen05", .refusal = "sm_90 does not have it"},
    {.names = NULL}};
