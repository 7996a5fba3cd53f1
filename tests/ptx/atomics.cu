/*
 * Tests PTX's atomics on f16, bf16, vectors, 16 and 128 bits, reductions by asynchronous copies, and alloca.
 * Prints a line for each case, and ends with status 1 if one is wrong. The program also runs on a GPU of
 * sm_90.
 */
#include "judge.cuh"

#include <cstdint>

enum { F16_1 = 0x3c00, F16_2 = 0x4000, F16_32 = 0x5000, BF16_1 = 0x3f80, BF16_32 = 0x4200, LANES = 32 };

/* A row is a name, an instruction with the address %0 and the operand %1 that each lane executes, the word
 * before, and the word after. */
#define ROWS                                                                                                 \
    ROW("f16", "red.global.add.noftz.f16 [%0], h;", 0x77770000, 0x77770000 | F16_32)                         \
    ROW("f16, large", "red.global.add.noftz.f16 [%0], h;", 0x00007bff, 0x00007bff)                           \
    ROW("f16, a NaN", "red.global.add.noftz.f16 [%0], h;", 0x00007e00, 0x00007fff)                           \
    ROW("f16x2", "red.global.add.noftz.f16x2 [%0], h2;", 0, F16_32 << 16 | F16_32)                           \
    ROW("bf16", "red.global.add.noftz.bf16 [%0], b;", 0, BF16_32)                                            \
    ROW("bf16x2", "red.global.add.noftz.bf16x2 [%0], b2;", 0, BF16_32 << 16 | BF16_32)                       \
    ROW("vector of f16", "red.global.v2.f16.add.noftz [%0], {h, h};", F16_1 << 16, 0x5020u << 16 | F16_32)   \
    ROW("least of a vector", "red.global.v2.f16.min.noftz [%0], {h, h};", 0xbc004000, 0xbc003c00)            \
    ROW("greatest of a vector", "red.global.v2.bf16.max.noftz [%0], {b, b};", 0xbf804000, 0x3f804000)        \
    ROW("least of zeros", "red.global.v2.f16.min.noftz [%0], {z, z};", 0x80000000, 0x80000000)               \
    ROW("greatest of zeros", "red.global.v2.f16.max.noftz [%0], {z, z};", 0x80000000, 0)                     \
    ROW("greatest of a NaN and a number", "red.global.v2.f16.max.noftz [%0], {h, z};", 0x7e007e00, F16_1)    \
    ROW("16 bits, swapped", "{ .reg .b16 o; atom.global.cas.b16 o, [%0], 5, h; }", 0x70005, 0x70000 | F16_1) \
    ROW("16 bits, not swapped", "{ .reg .b16 o; atom.global.cas.b16 o, [%0], 5, h; }", 0x70006, 0x70006)     \
    ROW("vector of f32", "red.global.add.v2.f32 [%0], {f, f};", 0x40000000, 0x42080000)

__global__ void change_words(uint32_t *words)
{
    int row = 0;
    const uint32_t one = threadIdx.x < 32;
#define ROW(name, text, before, after)                                                                       \
    asm volatile("{ .reg .b16 h, b, z; .reg .b32 h2, b2; .reg .f32 f; mov.b16 z, 0;"                         \
                 "cvt.rn.f16.u32 h, %1; mov.b32 h2, {h, h};"                                                 \
                 "cvt.rn.f32.u32 f, %1; cvt.rn.bf16.f32 b, f; mov.b32 b2, {b, b}; " text " }"                \
                 :                                                                                           \
                 : "l"(words + 4 * row), "r"(one)                                                            \
                 : "memory");                                                                                \
    row++;
    ROWS
#undef ROW
}

static void test_words()
{
    static const struct {
        const char *name;
        uint32_t before, after;
    } rows[] = {
#define ROW(name, text, before, after) {name, before, after},
        ROWS
#undef ROW
    };
    constexpr int COUNT = (int)(sizeof rows / sizeof(rows[0]));
    auto words = managed<uint32_t[4]>(COUNT);
    for (int r = 0; r < COUNT; r++)
        words[r][0] = rows[r].before;
    change_words<<<1, LANES>>>(words[0]);
    ended("atomics");
    for (int r = 0; r < COUNT; r++) {
        need(words[r][0] == rows[r].after, rows[r].name);
        if (words[r][0] != rows[r].after)
            printf("    %x is not %x\n", words[r][0], rows[r].after);
    }
}

/* ---- results of vectors and of 128 bits ---- */

__global__ void get_results(float *floats, uint64_t *wide, uint64_t *results)
{
    if (threadIdx.x)
        return;
    asm volatile("{ .reg .f32 a, b, c, d; atom.global.add.v4.f32 {a, b, c, d}, [%0], {%1, %2, %3, %4};"
                 "st.global.v4.f32 [%0+16], {a, b, c, d}; }"
                 :
                 : "l"(floats), "f"(1.0f), "f"(2.0f), "f"(3.0f), "f"(4.0f)
                 : "memory");
#define SWAP(text, number)                                                                                   \
    asm volatile(                                                                                            \
        "{ .reg .b128 old, a, b, c; mov.b128 a, {%1, %2}; mov.b128 b, {%2, %1}; mov.b128 c, a;" text         \
        "st.global.b128 [%3], old; }"                                                                        \
        :                                                                                                    \
        : "l"(wide), "l"(11ull), "l"(22ull), "l"(results + 2 * number)                                       \
        : "memory");
    SWAP("atom.global.exch.b128 old, [%0], a;", 0)
    SWAP("atom.global.cas.b128 old, [%0], b, b;", 1)
    SWAP("atom.global.cas.b128 old, [%0], c, b;", 2)
    SWAP("mov.b128 old, b;", 3)
    /* two families of registers with one name, each in a scope of its own */
    uint64_t low, more;
    asm volatile("{ .reg .b32 q<2>; cvt.u32.u64 q1, %1; cvt.u64.u32 %0, q1; }"
                 : "=l"(low)
                 : "l"(results[0] << 32 | 5));
    asm volatile("{ .reg .b64 q<2>; add.u64 q1, %1, 1; mov.b64 %0, q1; }"
                 : "=l"(more)
                 : "l"(results[0] << 32));
    results[8] = low, results[9] = more;
}

static void test_results()
{
    float *floats = managed<float>(8);
    uint64_t *wide = managed<uint64_t>(2), *results = managed<uint64_t>(10);
    const float wanted[8] = {11, 22, 33, 44, 10, 20, 30, 40};
    const uint64_t wanted_results[10] = {7, 8, 11, 22, 11, 22, 22, 11, 5, (7ull << 32) + 1},
                   wanted_wide[2] = {22, 11};
    memcpy(floats, wanted + 4, 4 * sizeof *floats);
    memcpy(wide, wanted_results, sizeof wanted_wide);
    get_results<<<1, LANES>>>(floats, wide, results);
    ended("results");
    need(memcmp(floats, wanted, sizeof wanted) == 0, "results of a vector");
    need(memcmp(wide, wanted_wide, sizeof wanted_wide) == 0 &&
             memcmp(results, wanted_results, sizeof wanted_results) == 0,
         "128 bits");
}

/* ---- asynchronous reductions ---- */

/* An H200 executes red.async in launches of clusters alone. */
__global__ void __cluster_dims__(2) reduce(uint16_t *halves, uint32_t *words)
{
    __shared__ __align__(16) uint16_t from[2][8];
    __shared__ __align__(8) uint64_t mbarrier;
    __shared__ uint32_t sum;
    if (threadIdx.x || blockIdx.x)
        return;
    uint32_t to = (uint32_t)__cvta_generic_to_shared(&sum),
             at = (uint32_t)__cvta_generic_to_shared(&mbarrier);
    for (int i = 0; i < 8; i++)
        from[0][i] = F16_1, from[1][i] = BF16_1;
    sum = 100;
    asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.proxy.async;" : : "r"(at) : "memory");
#define REDUCE(operation, source, to)                                                                        \
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." operation " [%0], [%1], 16;"          \
                 :                                                                                           \
                 : "l"(to), "r"((uint32_t)__cvta_generic_to_shared(source))                                  \
                 : "memory");
    REDUCE("add.noftz.f16", from[0], halves)
    REDUCE("max.bf16", from[1], halves + 8)
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" : : : "memory");
    asm volatile(
        "{ .reg .b64 s; .reg .pred p; mbarrier.arrive.expect_tx.shared.b64 s, [%1], 8;"
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], 5, [%1];"
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.s32 [%0], 3, [%1];"
        "again: mbarrier.try_wait.shared.b64 p, [%1], s; @!p bra again; }"
        :
        : "r"(to), "r"(at)
        : "memory");
    words[0] = sum;
}

static void test_reductions()
{
    uint16_t *halves = managed<uint16_t>(16);
    uint32_t *sum = managed<uint32_t>(1);
    for (int i = 0; i < 16; i++)
        halves[i] = i < 8 ? F16_1 : (uint16_t)(i % 2 ? 0x4000 : 0xc000);
    reduce<<<2, LANES>>>(halves, sum);
    ended("reductions");
    bool is_right = true;
    for (int i = 0; i < 16; i++)
        is_right = is_right && halves[i] == (i < 8 ? F16_2 : i % 2 ? 0x4000 : BF16_1);
    need(is_right, "cp.reduce.async.bulk");
    need(*sum == 105, "red.async");
}

/* ---- alloca ---- */

__device__ __noinline__ int sum_to(int count)
{
    int *numbers = (int *)alloca((size_t)count * sizeof(int)), sum = 0;
    asm volatile("" : : : "memory"); /* keeps the compiler from removing calls */
    for (int i = 0; i < count; i++)
        numbers[i] = i;
    if (count > 1)
        sum = sum_to(count / 2) * 0;
    for (int i = 0; i < count; i++)
        sum += numbers[count - 1 - i];
    return sum;
}

__global__ void allocate(int *sums)
{
    int count = (int)threadIdx.x * 3 + 1, sum = 0;
    for (int i = 0; i < 200; i++) /* takes too much memory unless each turn frees its own */
        sum = sum_to(count);
    sums[threadIdx.x] = sum;
}

__global__ void allocate_and_restore(int *sums)
{
    int sum = 0, one;
    for (int i = 0; i < 2000; i++) { /* takes too much memory unless each turn frees its own */
        asm volatile("{ .reg .b32 s; .reg .b64 p; stacksave.u32 s; alloca.u64 p, 256; st.local.u32 [p], %1;"
                     "ld.local.u32 %0, [p]; stackrestore.u32 s; }"
                     : "=r"(one)
                     : "r"(i)
                     : "memory");
        sum += one;
    }
    sums[threadIdx.x] = sum;
}

static void test_allocations()
{
    int *sums = managed<int>(64);
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 1 << 14)); /* a GPU's default is 1,024 bytes */
    allocate<<<1, 64>>>(sums);
    compare(
        sums, 64, 1, [](int i, int) { return (3 * i + 1) * 3 * i / 2; }, "alloca");
    allocate_and_restore<<<1, 64>>>(sums);
    compare(
        sums, 64, 1, [](int, int) { return 1999000; }, "stacksave and stackrestore of 32 bits");
}

int main()
{
    test_words();
    test_results();
    test_reductions();
    test_allocations();
    return failures > 0;
}
