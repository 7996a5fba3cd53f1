/*
 * Tests PTX's instructions for matrices against products that the host computes. The elements are small
 * integers, so that each order of additions gives the same sum. Prints a line for each case, and ends with
 * status 1 if one is wrong. The program also runs on a GPU of sm_90.
 * One file because all cases share the bits of elements, the random numbers and the way to judge.
 */
#include "judge.cuh"

#include <cmath>
#include <cstdint>
#include <mma.h>

static uint32_t drawn(uint32_t below)
{
    static uint32_t state = 12345;
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
}

/* ---- bits of small integers ---- */

/* Returns the bits of a number that the type holds exactly. */
static uint32_t float_bits(float x, int exponent_bits, int fraction_bits)
{
    int exponent;
    float fraction = frexpf(fabsf(x), &exponent) * 2 - 1;
    uint32_t sign = (uint32_t)(x < 0) << (exponent_bits + fraction_bits);
    if (x == 0)
        return 0;
    return sign | (uint32_t)(exponent - 1 + (1 << (exponent_bits - 1)) - 1) << fraction_bits |
           (uint32_t)ldexpf(fraction, fraction_bits);
}

static float float_value(uint32_t bits, int exponent_bits, int fraction_bits)
{
    int exponent = (int)(bits >> fraction_bits & ((1u << exponent_bits) - 1));
    float fraction = (float)(bits & ((1u << fraction_bits) - 1));
    float size = exponent
                     ? ldexpf(1 + ldexpf(fraction, -fraction_bits), exponent - (1 << (exponent_bits - 1)) + 1)
                     : 0;
    return bits >> (exponent_bits + fraction_bits) & 1 ? -size : size;
}

struct type {
    const char *name;
    int bits, exponent, fraction; /* an integer has no exponent */
    int least, range;             /* number of elements that are drawn at random */
};
static const type types[] = {
    {"f16", 16, 5, 10, -4, 9},      {"bf16", 16, 8, 7, -4, 9},  {"tf32", 32, 8, 23, -4, 9},
    {"e4m3", 8, 4, 3, -4, 9},       {"e5m2", 8, 5, 2, -3, 7},   {"f32", 32, 8, 23, -90, 181},
    {"s32", 32, 0, 0, -900, 1801},  {"s8", 8, 0, 0, -128, 256}, {"u8", 8, 0, 0, 0, 256},
    {"s4", 4, 0, 0, -8, 16},        {"u4", 4, 0, 0, 0, 16},     {"b1", 1, 0, 0, 0, 2},
    {"f64", 64, 11, 52, -500, 1000}};

static const type *type_named(const char *name)
{
    for (const type &t : types)
        if (strcmp(t.name, name) == 0)
            return &t;
    return nullptr;
}

/* Registers of 32 bits of each lane. An f64 has two. */
struct registers {
    uint32_t of[32][16];
};

/* Set, or return, element i of a lane; the matrix's registers must be 0 at first. */
static void put(const type *t, uint32_t *words, int i, int64_t value)
{
    const double wide = (double)value;
    const uint32_t bits = t->exponent ? float_bits((float)value, t->exponent, t->fraction) : (uint32_t)value;
    if (t->bits == 64)
        memcpy(words + 2 * i, &wide, sizeof wide);
    else
        words[i * t->bits / 32] |= (t->bits < 32 ? bits & ((1u << t->bits) - 1) : bits) << i * t->bits % 32;
}

static int64_t taken(const type *t, const uint32_t *words, int i)
{
    double wide;
    memcpy(&wide, words + 2 * i % 16, sizeof wide);
    if (t->bits == 64)
        return (int64_t)wide;
    const uint32_t word = words[i * t->bits / 32] >> i * t->bits % 32,
                   bits = t->bits < 32 ? word & ((1u << t->bits) - 1) : word;
    return t->exponent ? (int64_t)float_value(bits, t->exponent, t->fraction) : (int32_t)bits;
}

/* ---- mma ---- */

#define MMA(text)                                                                                            \
    if (number == __COUNTER__ - first) {                                                                     \
        asm volatile("{ .reg .pred p; " text "}"                                                             \
                     :                                                                                       \
                     : "l"(to), "l"(from[0].of[lane]), "l"(from[1].of[lane]), "l"(from[2].of[lane])          \
                     : "memory");                                                                            \
    }
/* Registers of 32 bits, or of 64 if the instruction is of f64. */
#define NARROW(name, d, a, b, c)                                                                             \
    ".reg .b32 a<4>, b<4>, c<8>, d<8>;"                                                                      \
    "ld.global.v4.b32 {a0, a1, a2, a3}, [%1]; ld.global.v4.b32 {b0, b1, b2, b3}, [%2];"                      \
    "ld.global.v4.b32 {c0, c1, c2, c3}, [%3]; ld.global.v4.b32 {c4, c5, c6, c7}, [%3+16];"                   \
    "mov.b32 d4, 0; mov.b32 d5, 0; mov.b32 d6, 0; mov.b32 d7, 0; mov.b32 d2, 0;"                             \
    "mov.b32 d3, 0; mov.b32 d1, 0; mma.sync.aligned." name " " d ", " a ", " b ", " c ";"                    \
    "st.global.v4.b32 [%0], {d0, d1, d2, d3}; st.global.v4.b32 [%0+16], {d4, d5, d6, d7};"
#define WIDE(name, d, a, b, c)                                                                               \
    ".reg .f64 a<8>, b<8>, c<8>, d<8>;"                                                                      \
    "ld.global.v2.f64 {a0, a1}, [%1]; ld.global.v2.f64 {a2, a3}, [%1+16];"                                   \
    "ld.global.v2.f64 {a4, a5}, [%1+32]; ld.global.v2.f64 {a6, a7}, [%1+48];"                                \
    "ld.global.v2.f64 {b0, b1}, [%2]; ld.global.v2.f64 {b2, b3}, [%2+16];"                                   \
    "ld.global.v2.f64 {c0, c1}, [%3]; ld.global.v2.f64 {c2, c3}, [%3+16];"                                   \
    "mov.f64 d2, 0d0000000000000000; mov.f64 d3, 0d0000000000000000;"                                        \
    "mma.sync.aligned." name " " d ", " a ", " b ", " c ";"                                                  \
    "st.global.v2.f64 [%0], {d0, d1}; st.global.v2.f64 [%0+16], {d2, d3};"
#define CASES                                                                                                \
    X(NARROW, "m16n8k8.row.col.f32.f16.f16.f32", 4, 2, 1, 4)                                                 \
    X(NARROW, "m16n8k16.row.col.f32.f16.f16.f32", 4, 4, 2, 4)                                                \
    X(NARROW, "m16n8k8.row.col.f16.f16.f16.f16", 2, 2, 1, 2)                                                 \
    X(NARROW, "m16n8k16.row.col.f16.f16.f16.f16", 2, 4, 2, 2)                                                \
    X(NARROW, "m16n8k8.row.col.f32.bf16.bf16.f32", 4, 2, 1, 4)                                               \
    X(NARROW, "m16n8k16.row.col.f32.bf16.bf16.f32", 4, 4, 2, 4)                                              \
    X(NARROW, "m16n8k4.row.col.f32.tf32.tf32.f32", 4, 2, 1, 4)                                               \
    X(NARROW, "m16n8k8.row.col.f32.tf32.tf32.f32", 4, 4, 2, 4)                                               \
    X(NARROW, "m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 4, 2, 4)                                              \
    X(NARROW, "m16n8k32.row.col.f32.e4m3.e5m2.f32", 4, 4, 2, 4)                                              \
    X(NARROW, "m16n8k16.row.col.f32.e5m2.e4m3.f32", 4, 2, 1, 4)                                              \
    X(NARROW, "m16n8k32.row.col.f16.e5m2.e5m2.f16", 2, 4, 2, 2)                                              \
    X(NARROW, "m8n8k16.row.col.s32.s8.s8.s32", 2, 1, 1, 2)                                                   \
    X(NARROW, "m8n8k16.row.col.satfinite.s32.u8.s8.s32", 2, 1, 1, 2)                                         \
    X(NARROW, "m16n8k16.row.col.s32.s8.u8.s32", 4, 2, 1, 4)                                                  \
    X(NARROW, "m16n8k32.row.col.s32.u8.u8.s32", 4, 4, 2, 4)                                                  \
    X(NARROW, "m16n8k32.row.col.satfinite.s32.s8.s8.s32", 4, 4, 2, 4)                                        \
    X(NARROW, "m8n8k32.row.col.s32.s4.u4.s32", 2, 1, 1, 2)                                                   \
    X(NARROW, "m16n8k32.row.col.s32.s4.s4.s32", 4, 2, 1, 4)                                                  \
    X(NARROW, "m16n8k64.row.col.satfinite.s32.u4.s4.s32", 4, 4, 2, 4)                                        \
    X(NARROW, "m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 2, 1, 1, 2)                                         \
    X(NARROW, "m8n8k128.row.col.s32.b1.b1.s32.and.popc", 2, 1, 1, 2)                                         \
    X(NARROW, "m16n8k128.row.col.s32.b1.b1.s32.xor.popc", 4, 2, 1, 4)                                        \
    X(NARROW, "m16n8k256.row.col.s32.b1.b1.s32.and.popc", 4, 4, 2, 4)                                        \
    X(NARROW, "m8n8k4.row.row.f32.f16.f16.f32", 8, 2, 2, 8)                                                  \
    X(NARROW, "m8n8k4.row.col.f32.f16.f16.f32", 8, 2, 2, 8)                                                  \
    X(NARROW, "m8n8k4.col.row.f16.f16.f16.f16", 4, 2, 2, 4)                                                  \
    X(NARROW, "m8n8k4.col.col.f16.f16.f16.f16", 4, 2, 2, 4)                                                  \
    X(WIDE, "m8n8k4.row.col.f64.f64.f64.f64", 2, 1, 1, 2)                                                    \
    X(WIDE, "m16n8k4.row.col.f64.f64.f64.f64", 4, 2, 1, 4)                                                   \
    X(WIDE, "m16n8k8.row.col.f64.f64.f64.f64", 4, 4, 2, 4)                                                   \
    X(WIDE, "m16n8k16.row.col.f64.f64.f64.f64", 4, 8, 4, 4)
#define LIST1(r) "{" r "0}"
#define LIST2(r) "{" r "0, " r "1}"
#define LIST4(r) "{" r "0, " r "1, " r "2, " r "3}"
#define LIST8(r) "{" r "0, " r "1, " r "2, " r "3, " r "4, " r "5, " r "6, " r "7}"

__global__ void multiply(int number, const registers *from, registers *result)
{
    const uint32_t lane = threadIdx.x;
    uint32_t *to = result->of[lane];
    enum { first = __COUNTER__ + 1 };
    if (lane & 16) /* these lanes come to the instruction later */
#pragma unroll 1
        for (int i = 0; i < 100; i++)
            atomicAdd(to, 1);
#define X(kind, name, d, a, b, c) MMA(kind(name, LIST##d("d"), LIST##a("a"), LIST##b("b"), LIST##c("c")))
    CASES
#undef X
}

struct product {
    char name[80];
    int m, n, k, blocks, counts[4];
    const type *of[4]; /* the types of d, a, b and c */
    bool a_is_col, b_is_row, saturates;
};

static product product_of(const char *name, int d, int a, int b, int c)
{
    product p = {};
    int seen = 0, layouts = 0;
    char copy[80];
    p.counts[0] = d, p.counts[1] = a, p.counts[2] = b, p.counts[3] = c;
    snprintf(p.name, sizeof p.name, "%s", name);
    snprintf(copy, sizeof copy, "%s", name);
    for (char *part = strtok(copy, "."); part; part = strtok(nullptr, ".")) {
        if (*part == 'm')
            sscanf(part, "m%dn%dk%d", &p.m, &p.n, &p.k);
        else if (type_named(part))
            p.of[seen++] = type_named(part);
        else if (strcmp(part, "row") == 0 || strcmp(part, "col") == 0)
            (layouts++ ? p.b_is_row : p.a_is_col) = (*part == 'r') == (layouts == 2);
        else if (strcmp(part, "satfinite") == 0)
            p.saturates = true;
    }
    p.blocks = p.k == 4 && p.of[1]->bits == 16 ? 4 : 1;
    return p;
}

/* Element i of a lane, as "Matrix Fragments" in the PTX manual says: sets its row, column and block. */
static void place(const product &p, int matrix, int lane, int i, int *block, int *row, int *column)
{
    int group = lane >> 2, in_group = lane & 3, bits = p.of[matrix]->bits,
        in_register = bits < 32 ? 32 / bits : 1;
    *block = 0;
    if (p.blocks == 4) {
        int high = lane < 16 ? 0 : 4;
        *block = group & 3;
        if (matrix == 1) {
            *row = p.a_is_col ? i + high : in_group + high;
            *column = p.a_is_col ? in_group : i;
        } else if (matrix == 2) {
            *row = p.b_is_row ? in_group : i;
            *column = p.b_is_row ? i + high : in_group + high;
        } else if (bits == 32) {
            *row = (lane & 1) + (i & 2) + high;
            *column = (i & 4) + (lane & 2) + (i & 1);
        } else {
            *row = in_group + high;
            *column = i;
        }
        return;
    }
    int reg = i / in_register, rest = i % in_register;
    if (matrix == 1) {
        bool lower = p.m == 16 && reg % 2;
        *row = lower ? group + 8 : group;
        *column = in_group * in_register + rest + (p.m == 16 ? reg / 2 : reg) * 4 * in_register;
    } else if (matrix == 2) {
        *row = in_group * in_register + rest + reg * 4 * in_register;
        *column = group;
    } else {
        *row = i < 2 ? group : group + 8;
        *column = in_group * 2 + (i & 1);
    }
}

static int64_t matrices[4][4][4096]; /* d, a, b, c of each block, by rows */

static void move(const product &p, int matrix, registers *of, bool packs)
{
    const type *t = p.of[matrix];
    int columns = matrix == 1 ? p.k : p.n, in_register = t->bits < 32 ? 32 / t->bits : 1;
    for (int lane = 0; lane < 32; lane++)
        for (int i = 0; i < p.counts[matrix] * in_register; i++) {
            int block, row, column;
            place(p, matrix, lane, i, &block, &row, &column);
            int64_t *element = &matrices[matrix][block][row * columns + column];
            if (packs)
                put(t, of->of[lane], i, *element);
            else
                *element = taken(t, of->of[lane], i);
        }
}

static void draw(const product &p, int matrix)
{
    for (auto &block : matrices[matrix])
        for (int64_t &element : block) {
            element = p.of[matrix]->least + (int64_t)drawn((uint32_t)p.of[matrix]->range);
            if (p.saturates && matrix == 3)
                element = element & 1 ? INT32_MAX - 5 : INT32_MIN + 5;
        }
}

static int64_t sum_of(const product &p, int block, int row, int column)
{
    int64_t sum = matrices[3][block][row * p.n + column];
    for (int k = 0; k < p.k; k++) {
        int64_t a = matrices[1][block][row * p.k + k], b = matrices[2][block][k * p.n + column];
        sum += p.of[1]->bits > 1 ? a * b : strstr(p.name, "and") ? a & b : a ^ b;
    }
    if (p.saturates)
        return sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : sum;
    return p.of[0]->exponent ? sum : (int32_t)sum;
}

static void test_products()
{
    static const product products[] = {
#define X(kind, name, d, a, b, c) product_of(name, d, a, b, c),
        CASES
#undef X
    };
    registers *all = managed<registers>(4);
    for (int number = 0; number < (int)(sizeof products / sizeof *products); number++) {
        const product &p = products[number];
        memset(all, 0, 4 * sizeof *all);
        for (int matrix = 1; matrix < 4; matrix++) {
            draw(p, matrix);
            move(p, matrix, &all[matrix], true);
        }
        multiply<<<1, 32>>>(number, all + 1, all);
        ended(p.name);
        move(p, 0, &all[0], false);
        bool is_right = true;
        for (int block = 0; block < p.blocks; block++)
            for (int i = 0; i < p.m * p.n; i++)
                is_right = is_right && matrices[0][block][i] == sum_of(p, block, i / p.n, i % p.n);
        need(is_right, p.name);
    }
}

/* ---- ldmatrix, stmatrix, movmatrix ---- */

#define LOAD(i, num, trans, registers)                                                                       \
    asm volatile("ldmatrix.sync.aligned.m8n8." num trans ".shared.b16 {" registers "}, [%4];"                \
                 : "=r"(r[i][0]), "=r"(r[i][1]), "=r"(r[i][2]), "=r"(r[i][3])                                \
                 : "r"(address)                                                                              \
                 : "memory");
#define STORE(num, trans, registers)                                                                         \
    asm volatile("stmatrix.sync.aligned.m8n8." num trans ".shared.b16 [%0], {" registers "};"                \
                 :                                                                                           \
                 : "r"(address), "r"(values[0]), "r"(values[1]), "r"(values[2]), "r"(values[3])              \
                 : "memory");

/* The rows of the matrices are not in the order of the lanes that give their addresses. */
static __host__ __device__ int row_at(int row)
{
    return (row * 5 + 3) % 32;
}

__global__ void move_matrices(uint32_t (*loaded)[32][4], uint16_t (*stored)[32][8], uint32_t *turned)
{
    __shared__ __align__(16) uint16_t rows[32][8];
    uint32_t lane = threadIdx.x, r[6][4] = {}, values[4], d;
    for (int i = 0; i < 8; i++)
        rows[row_at((int)lane)][i] = (uint16_t)(lane * 8 + i);
    for (uint32_t i = 0; i < 4; i++)
        values[i] = (lane * 2 + i * 64) | (lane * 2 + i * 64 + 1) << 16;
    uint32_t address = (uint32_t)__cvta_generic_to_shared(rows[row_at((int)lane)]);
    __syncwarp();
    LOAD(0, "x1", "", "%0")
    LOAD(1, "x1", ".trans", "%0")
    LOAD(2, "x2", "", "%0, %1")
    LOAD(3, "x2", ".trans", "%0, %1")
    LOAD(4, "x4", "", "%0, %1, %2, %3")
    LOAD(5, "x4", ".trans", "%0, %1, %2, %3")
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < (k < 2 ? 1 : k < 4 ? 2 : 4); i++)
            loaded[k][lane][i] = r[k][i];
    for (int k = 0; k < 6; k++) {
        for (int i = 0; i < 8; i++)
            rows[lane][i] = 0xffff;
        __syncwarp();
        if (k == 0)
            STORE("x1", "", "%1")
        if (k == 1)
            STORE("x1", ".trans", "%1")
        if (k == 2)
            STORE("x2", "", "%1, %2")
        if (k == 3)
            STORE("x2", ".trans", "%1, %2")
        if (k == 4)
            STORE("x4", "", "%1, %2, %3, %4")
        if (k == 5)
            STORE("x4", ".trans", "%1, %2, %3, %4")
        __syncwarp();
        for (int i = 0; i < 8; i++)
            stored[k][lane][i] = rows[row_at((int)lane)][i];
        __syncwarp();
    }
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(d) : "r"(values[0]));
    turned[lane] = d;
}

static void test_moves()
{
    auto loaded = managed<uint32_t[32][4]>(6);
    auto stored = managed<uint16_t[32][8]>(6);
    uint32_t *turned = managed<uint32_t>(32);
    move_matrices<<<1, 32>>>(loaded, stored, turned);
    ended("ldmatrix");
    bool loads_right = true, stores_right = true, turns_right = true;
    for (uint32_t k = 0; k < 6; k++)
        for (uint32_t lane = 0; lane < 32; lane++) {
            uint32_t count = k < 2 ? 1 : k < 4 ? 2 : 4;
            for (uint32_t i = 0; i < 4; i++)
                for (uint32_t j = 0; j < 2; j++) {
                    uint32_t row = lane / 4, column = lane % 4 * 2 + j;
                    uint32_t element = k % 2 ? column * 8 + row : row * 8 + column;
                    uint32_t wanted = i < count ? i * 64 + element : 0;
                    loads_right = loads_right && (loaded[k][lane][i] >> 16 * j & 0xffff) == wanted;
                }
            for (uint32_t column = 0; column < 8; column++) {
                uint32_t row = lane % 8, holder = k % 2 ? column * 8 + row : row * 8 + column;
                uint32_t wanted = lane / 8 < count ? lane / 8 * 64 + holder : 0xffff;
                stores_right = stores_right && stored[k][lane][column] == wanted;
            }
        }
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t j = 0; j < 2; j++)
            turns_right =
                turns_right && (turned[lane] >> 16 * j & 0xffff) == (lane % 4 * 2 + j) * 8 + lane / 4;
    need(loads_right, "ldmatrix");
    need(stores_right, "stmatrix");
    need(turns_right, "movmatrix");
}

/* ---- wmma ---- */

using namespace nvcuda;

template <class T>
struct store_of {
    typedef T type;
};
template <>
struct store_of<wmma::precision::tf32> {
    typedef float type;
};

template <int M, int N, int K, class T, class S, class LA, class LB>
__global__ void multiply_tiles(const typename store_of<T>::type *a, const typename store_of<T>::type *b,
                               const S *c, S *d, int lda, int ldb, int ldc, bool c_is_col, float scale)
{
    wmma::fragment<wmma::matrix_a, M, N, K, T, LA> x;
    wmma::fragment<wmma::matrix_b, M, N, K, T, LB> y;
    wmma::fragment<wmma::accumulator, M, N, K, S> z;
    auto layout = c_is_col ? wmma::mem_col_major : wmma::mem_row_major;
    wmma::load_matrix_sync(x, a, (unsigned)lda);
    wmma::load_matrix_sync(y, b, (unsigned)ldb);
    wmma::load_matrix_sync(z, c, (unsigned)ldc, layout);
    for (int i = 0; i < x.num_elements; i++)
        x.x[i] = (typename store_of<T>::type)((float)x.x[i] * scale);
    wmma::mma_sync(z, x, y, z);
    wmma::store_matrix_sync(d, z, (unsigned)ldc, layout);
}

template <class LA>
constexpr bool is_row = std::is_same_v<LA, wmma::row_major>;

template <int M, int N, int K, class T, class S, class LA, class LB>
static void test_tiles(const char *name)
{
    typedef typename store_of<T>::type store;
    const int lda = (is_row<LA> ? K : M) + 16, ldb = (is_row<LB> ? N : K) + 16;
    store *a = managed<store>(2048), *b = managed<store>(2048);
    S *c = managed<S>(2048), *d = managed<S>(2048);
    bool is_right = true;
    for (int c_is_col = 0; c_is_col < 2; c_is_col++) {
        const int ldc = (c_is_col ? M : N) + 16;
        for (int i = 0; i < 2048; i++) {
            int least = std::is_unsigned_v<store> ? 0 : -4;
            a[i] = (store)(float)((int)drawn(9) + least);
            b[i] = (store)(float)((int)drawn(9) + least);
            c[i] = (S)(float)((int)drawn(99) - 50);
        }
        multiply_tiles<M, N, K, T, S, LA, LB><<<1, 32>>>(a, b, c, d, lda, ldb, ldc, c_is_col, 2);
        ended(name);
        for (int m = 0; m < M; m++)
            for (int n = 0; n < N; n++) {
                int at = c_is_col ? n * ldc + m : m * ldc + n;
                float sum = (float)c[at];
                for (int k = 0; k < K; k++)
                    sum += 2 * (float)a[is_row<LA> ? m * lda + k : k * lda + m] *
                           (float)b[is_row<LB> ? k * ldb + n : n * ldb + k];
                is_right = is_right && (float)d[at] == sum;
            }
    }
    need(is_right, name);
}

/* Single bits and 4 bits: only rows of A and columns of B. */
template <class T, class F>
__global__ void multiply_parts(const void *a, const void *b, int *d)
{
    constexpr int K = std::is_same_v<T, wmma::experimental::precision::b1> ? 128 : 32;
    wmma::fragment<wmma::matrix_a, 8, 8, K, T, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 8, 8, K, T, wmma::col_major> y;
    wmma::fragment<wmma::accumulator, 8, 8, K, int> z;
    wmma::load_matrix_sync(x, (const F *)a, K);
    wmma::load_matrix_sync(y, (const F *)b, K);
    wmma::fill_fragment(z, 7);
    if constexpr (K == 128)
        wmma::bmma_sync(z, x, y, z);
    else
        wmma::mma_sync(z, x, y, z);
    wmma::store_matrix_sync(d, z, 8, wmma::mem_row_major);
}

template <class T, class F>
static void test_parts(const char *name, int bits, bool is_signed)
{
    uint32_t *host = managed<uint32_t>(64);
    int *d = managed<int>(64);
    for (int i = 0; i < 64; i++)
        host[i] = drawn(1 << 16) << 16 | drawn(1 << 16);
    multiply_parts<T, F><<<1, 32>>>(host, host + 32, d);
    ended(name);
    bool is_right = true;
    for (int i = 0; i < 64; i++) {
        int sum = 7;
        for (int k = 0; k < 128 / bits; k++) {
            int at = k * bits % 32;
            int32_t x = (int32_t)(host[i / 8 * 4 + k * bits / 32] << (32 - bits - at));
            int32_t y = (int32_t)(host[32 + i % 8 * 4 + k * bits / 32] << (32 - bits - at));
            if (is_signed)
                sum += (x >> (32 - bits)) * (y >> (32 - bits));
            else if (bits == 4)
                sum += (int)((uint32_t)x >> 28) * (int)((uint32_t)y >> 28);
            else
                sum += (int)(((uint32_t)x ^ (uint32_t)y) >> 31);
        }
        is_right = is_right && d[i] == sum;
    }
    need(is_right, name);
}

#define ROW wmma::row_major
#define COL wmma::col_major
#define TILES(m, n, k, t, s, a, b)                                                                           \
    test_tiles<m, n, k, t, s, a, b>("wmma " #m " " #n " " #k " " #t " " #s " " #a " " #b);
#define ALL_TILES(k, t, s) TILES(16, 16, k, t, s, ROW, COL) TILES(16, 16, k, t, s, COL, ROW)
#define FLAT_TILES(k, t, s)                                                                                  \
    TILES(32, 8, k, t, s, ROW, ROW)                                                                          \
    TILES(32, 8, k, t, s, COL, COL) TILES(8, 32, k, t, s, ROW, ROW) TILES(8, 32, k, t, s, COL, COL)

/* ---- wgmma ---- */

/* How a matrix is in shared memory (PTX ISA, "Shared Memory Matrix Layout"): a swizzle of 16 (none), 32, 64
 * or 128 bytes. The elements of a row of A or column of B (a line) are contiguous, or those of a k if
 * is_turned. */
struct layout {
    int swizzle;
    bool is_turned;
    int lines, in_chunk; /* number of lines, and of elements in 16 bytes */

    /* Return the distances in bytes that the matrix's descriptor has. */
    __host__ __device__ int leading() const { return swizzle == 16 ? 128 * lines / 8 : 2 * 8 * swizzle; }
    __host__ __device__ int stride() const { return 8 * swizzle; }
    /* Returns the offset of an element in bytes. */
    int at(int line, int k) const
    {
        const int chunk = k / in_chunk, wide = swizzle / 16, eight = line / 8;
        int offset;
        if (is_turned && swizzle == 16)
            offset = eight * stride() + k % 8 * 16 + k / 8 * leading();
        else if (is_turned)
            offset = eight % wide * 16 + eight / wide * leading() + k % 8 * swizzle + k / 8 * stride();
        else
            offset = line % 8 * swizzle + eight * stride() + chunk * (swizzle == 16 ? leading() : 16);
        offset ^= (offset / 128 & (wide - 1)) * 16;
        return offset + (is_turned ? line : k) % in_chunk * 16 / in_chunk;
    }
    __host__ __device__ uint64_t descriptor(unsigned address) const
    {
        const uint64_t kind = swizzle == 16 ? 0 : swizzle == 128 ? 1 : swizzle == 64 ? 2 : 3;
        return address / 16 | (uint64_t)leading() / 16 << 16 | (uint64_t)stride() / 16 << 32 | kind << 62;
    }
};

/* A row: the shape and types, d, a, the operands after b, and the layouts of a and b. */
#define WARPGROUP_CASES                                                                                      \
    X("m64n8k16.f32.f16.f16", D4, "%36", "p, 1, 1, 0, 0", 16, false, 16, false)                              \
    X("m64n8k16.f32.f16.f16", D4, "%36", "p, 1, -1, 0, 0", 32, false, 64, false)                             \
    X("m64n8k16.f16.f16.f16", D2, "%36", "p, -1, -1, 0, 0", 64, false, 128, false)                           \
    X("m64n64k16.f32.bf16.bf16", D32, "%36", "p, 1, 1, 0, 0", 128, false, 32, false)                         \
    X("m64n64k16.f32.f16.f16", D32, "%36", "p, 1, 1, 1, 1", 128, true, 128, true)                            \
    X("m64n64k16.f16.f16.f16", D16, "%36", "p, 1, 1, 1, 1", 64, true, 32, true)                              \
    X("m64n64k16.f32.bf16.bf16", D32, "%36", "p, 1, 1, 1, 1", 32, true, 64, true)                            \
    X("m64n64k16.f32.f16.f16", D32, "%36", "p, 1, 1, 1, 1", 16, true, 16, true)                              \
    X("m64n64k16.f32.f16.f16", D32, A4, "p, 1, 1, 1", 16, false, 128, true)                                  \
    X("m64n8k16.f32.bf16.bf16", D4, A4, "p, -1, 1, 0", 16, false, 128, false)                                \
    X("m64n64k8.f32.tf32.tf32", D32, "%36", "p, 1, 1", 128, false, 128, false)                               \
    X("m64n8k32.f32.e4m3.e5m2", D4, "%36", "p, 1, 1", 32, false, 128, false)                                 \
    X("m64n8k32.f16.e5m2.e5m2", D2, A4, "p, 1, -1", 16, false, 64, false)                                    \
    X("m64n64k32.s32.s8.u8", D32, "%36", "p", 64, false, 128, false)                                         \
    X("m64n8k32.s32.u8.s8.satfinite", D4, A4, "p", 16, false, 128, false)
#define A4 "{%32, %33, %34, %35}"
#define D2 "{%0, %1}"
#define D4 "{%0, %1, %2, %3}"
#define D16 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}"
#define D32                                                                                                  \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                                \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}"
#define INOUT4(i) "+r"(d[i]), "+r"(d[i + 1]), "+r"(d[i + 2]), "+r"(d[i + 3])
#define INOUT16(i) INOUT4(i), INOUT4(i + 4), INOUT4(i + 8), INOUT4(i + 12)

struct warpgroup_registers {
    uint32_t d[128][32], a[128][4];
};
enum { SHARED_BYTES = 16384 }; /* of each matrix */

/* Multiplies the matrices whose bytes in shared memory are `a` and `b`. */
__global__ void multiply_by_warpgroup(int number, const uint4 *a, const uint4 *b, layout of_a, layout of_b,
                                      warpgroup_registers *registers, int adds)
{
    extern __shared__ __align__(1024) uint4 both[];
    enum { CHUNKS = SHARED_BYTES / 16 };
    for (int i = threadIdx.x; i < CHUNKS; i += blockDim.x) {
        both[i] = a[i];
        both[CHUNKS + i] = b[i];
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    const uint64_t descriptor_a = of_a.descriptor((unsigned)__cvta_generic_to_shared(both)),
                   descriptor_b = of_b.descriptor((unsigned)__cvta_generic_to_shared(both + CHUNKS));
    uint32_t d[32];
    const uint32_t *ra = registers->a[threadIdx.x];
    for (int i = 0; i < 32; i++)
        d[i] = registers->d[threadIdx.x][i];
    enum { first = __COUNTER__ + 1 };
#define X(name, list, a, tail, ...)                                                                          \
    if (number == __COUNTER__ - first)                                                                       \
        asm volatile("{ .reg .pred p; setp.ne.b32 p, %38, 0; wgmma.fence.sync.aligned;"                      \
                     "wgmma.mma_async.sync.aligned." name " " list ", " a ", %37, " tail ";"                 \
                     "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; }"                   \
                     : INOUT16(0), INOUT16(16)                                                               \
                     : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "l"(descriptor_a), "l"(descriptor_b), \
                       "r"(adds)                                                                             \
                     : "memory");
    WARPGROUP_CASES
#undef X
    for (int i = 0; i < 32; i++)
        registers->d[threadIdx.x][i] = d[i];
}

/* Returns element i of a lane's registers of d: sets its row and column. */
static void place_sum(int thread, int i, int *row, int *column)
{
    const int lane = thread % 32;
    *row = thread / 32 * 16 + lane / 4 + i / 2 % 2 * 8;
    *column = i / 4 * 8 + lane % 4 * 2 + i % 2;
}

static void test_warpgroup(int number, const char *name, const char *a_operand, const char *tail, layout of_a,
                           layout of_b, bool adds)
{
    static int64_t a[64][32], b[32][64], c[64][64];
    auto bytes = managed<uint8_t[2][SHARED_BYTES]>(1);
    auto registers = managed<warpgroup_registers>(1);
    product p = product_of(name, 0, 4, 0, 0);
    const type *of_d = p.of[0], *types[2] = {p.of[1], p.of[2]};
    const bool in_registers = *a_operand == '{';
    int factors[2] = {1, 1};
    sscanf(tail, "p, %d, %d", &factors[0], &factors[1]);
    of_a.lines = p.m, of_b.lines = p.n;
    of_a.in_chunk = of_b.in_chunk = 128 / types[0]->bits;
    auto draw_of = [](const type *t) { return t->least + (int64_t)drawn((uint32_t)t->range); };
    auto set = [&](int matrix, const layout &l, int line, int k, int64_t value) {
        uint32_t word = 0;
        put(types[matrix], &word, 0, value);
        memcpy(&bytes[0][matrix][l.at(line, k)], &word, (size_t)types[matrix]->bits / 8);
    };
    for (int k = 0; k < p.k; k++) {
        for (int m = 0; m < p.m; m++)
            set(0, of_a, m, k, a[m][k] = draw_of(types[0]));
        for (int n = 0; n < p.n; n++)
            set(1, of_b, n, k, b[k][n] = draw_of(types[1]));
    }
    const int sums = p.n / 2, items = 4 * 32 / types[0]->bits;
    for (int t = 0; t < 128; t++) {
        for (int i = 0; i < sums; i++) {
            int row, column;
            place_sum(t, i, &row, &column);
            c[row][column] = p.saturates ? (t % 2 ? INT32_MAX - 5 : INT32_MIN + 5) : (int)drawn(50) - 25;
            put(of_d, registers->d[t], i, c[row][column]);
        }
        p.m = 16;
        for (int i = 0; in_registers && i < items; i++) {
            int block, row, column;
            place(p, 1, t % 32, i, &block, &row, &column);
            put(types[0], registers->a[t], i, a[t / 32 * 16 + row][column]);
        }
        p.m = 64;
    }
    multiply_by_warpgroup<<<1, 128, 2 * SHARED_BYTES>>>(number, (uint4 *)bytes[0][0], (uint4 *)bytes[0][1],
                                                        of_a, of_b, registers, adds);
    ended(name);
    bool holds = true;
    for (int t = 0; t < 128; t++)
        for (int i = 0; i < sums; i++) {
            int row, column;
            place_sum(t, i, &row, &column);
            int64_t sum = 0;
            for (int k = 0; k < p.k; k++)
                sum += factors[0] * a[row][k] * factors[1] * b[k][column];
            sum += adds ? c[row][column] : 0;
            if (p.saturates)
                sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
            holds = holds && taken(of_d, registers->d[t], i) == sum;
        }
    char what[160];
    snprintf(what, sizeof what, "wgmma %s, a %s, swizzles %d%s and %d%s%s", name,
             in_registers ? "in registers" : "in memory", of_a.swizzle, of_a.is_turned ? " turned" : "",
             of_b.swizzle, of_b.is_turned ? " turned" : "", adds ? "" : ", without c");
    need(holds, what);
}

static void test_warpgroups()
{
    enum { first = __COUNTER__ + 1 };
#define X(name, list, a, tail, swizzle_a, turned_a, swizzle_b, turned_b)                                     \
    {                                                                                                        \
        const int number = __COUNTER__ - first;                                                              \
        for (int adds = 0; adds < 2; adds++)                                                                 \
            test_warpgroup(number, name, a, tail, {swizzle_a, turned_a}, {swizzle_b, turned_b}, adds);       \
    }
    WARPGROUP_CASES
#undef X
}

/* ---- products in functions ---- */

/* Returns 16 in each lane: a product of matrices of ones. */
__noinline__ __device__ static float sixteen(unsigned ones)
{
    float d[4] = {0, 0, 0, 0};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(ones));
    return d[0] + d[1] + d[2] + d[3];
}

/* Two lanes of each warp call the function after the others. */
__global__ static void products_of_late_lanes(unsigned ones, unsigned *count, float *sums)
{
    float sum = 0;
    for (int i = 0; i < 4; i++) {
        if (threadIdx.x % 32 < 2)
            atomicAdd(count, 1);
        sum += sixteen(ones);
    }
    sums[threadIdx.x] = sum;
}

static void test_functions()
{
    unsigned *count = managed<unsigned>(1);
    float *sums = managed<float>(64);
    products_of_late_lanes<<<1, 64>>>(0x3c003c00, count, sums);
    ended("products_of_late_lanes");
    bool holds = *count == 16;
    for (int i = 0; i < 64; i++)
        holds = holds && sums[i] == 4 * 4 * 16;
    need(holds, "products in a function that two lanes call later");
}

int main()
{
    test_functions();
    test_products();
    test_warpgroups();
    test_moves();
    ALL_TILES(16, half, float)
    FLAT_TILES(16, half, float)
    ALL_TILES(16, half, half)
    FLAT_TILES(16, half, half)
    ALL_TILES(16, __nv_bfloat16, float)
    FLAT_TILES(16, __nv_bfloat16, float)
    ALL_TILES(16, signed char, int)
    FLAT_TILES(16, unsigned char, int)
    ALL_TILES(8, wmma::precision::tf32, float)
    TILES(8, 8, 4, double, double, ROW, COL)
    TILES(8, 8, 4, double, double, COL, ROW)
    test_parts<wmma::experimental::precision::s4, int>("wmma of s4", 4, true);
    test_parts<wmma::experimental::precision::u4, unsigned>("wmma of u4", 4, false);
    test_parts<wmma::experimental::precision::b1, unsigned>("wmma of b1", 1, false);
    return failures > 0;
}
