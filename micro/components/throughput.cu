/*
 * How far apart are computation and memory? This program measures Table I of Wang, Xie and Cong 2017: FP32
 * operations, bytes from shared memory and bytes from global memory per second, with enough threads to reach
 * the limit. The result file's analysis contains the rates.
 *
 *     build/gpu/micro-throughput
 */
#include "base/memory.h"
#include "harness/check.h"
#include "harness/device.h"
#include "harness/experiment.h"
#include "harness/launch.cuh"
#include "harness/memory.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#define CHAINS 8 /* number of independent chains of operations in a thread */
#define VECTOR_BYTES 16
#define SHARED_VECTORS 512 /* number of vectors that a block has in shared memory: 8 KiB */

struct __attribute__((aligned(VECTOR_BYTES))) vector {
    unsigned x, y, z, w;
};

/* Measures fused multiply-adds, which keep each chain at 1: a = a * 0.5 + 0.5. */
__global__ void fp32(float *out, unsigned rounds, float half)
{
    float a[CHAINS];
    for (int c = 0; c < CHAINS; c++)
        a[c] = 2 * half;
    for (unsigned i = 0; i < rounds; i++) {
        UNROLL(8)
        for (int c = 0; c < CHAINS; c++)
            a[c] = a[c] * half + half;
    }
    float sum = 0;
    for (int c = 0; c < CHAINS; c++)
        sum += a[c];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* Measures multiply-adds like fp32, but each chain has three registers of its own, all of which must be read:
 * the compiler does not know that the values from shared memory are equal. */
__global__ void fp32_distinct(float *out, unsigned rounds, float half)
{
    float a[CHAINS], factor[CHAINS], summand[CHAINS], *halves = dynamic_shared<float>();
    if (threadIdx.x < 2 * CHAINS)
        halves[threadIdx.x] = half;
    __syncthreads();
    for (int c = 0; c < CHAINS; c++) {
        a[c] = 2 * half;
        factor[c] = halves[c];
        summand[c] = halves[CHAINS + c];
    }
    for (unsigned i = 0; i < rounds; i++) {
        UNROLL(8)
        for (int c = 0; c < CHAINS; c++)
            a[c] = a[c] * factor[c] + summand[c];
    }
    float sum = 0;
    for (int c = 0; c < CHAINS; c++)
        sum += a[c];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* Measures reads of shared memory: each thread reads vectors, and a warp reads 512 bytes in a row. All words
 * are ones. */
__global__ void shared_memory(float *out, unsigned rounds, float)
{
    vector *words = dynamic_shared<vector>();
    for (unsigned i = threadIdx.x; i < SHARED_VECTORS; i += blockDim.x)
        words[i] = {1, 1, 1, 1};
    __syncthreads();
    unsigned sum = 0;
    for (unsigned i = 0; i < rounds; i++) {
        UNROLL(8)
        for (unsigned c = 0; c < CHAINS; c++) {
            const volatile unsigned *v = &words[(threadIdx.x + (i + c) * 32) % SHARED_VECTORS].x;
            unsigned x, y, z, w;
            asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                         : "r"((unsigned)__cvta_generic_to_shared((const void *)v)));
            sum += x & y & z & w;
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = (float)sum / (float)rounds;
}

/* Measures reads of global memory: all threads together read every vector once. All words are odd, and
 * together they are far larger than the caches. */
__global__ void global_memory(float *out, unsigned rounds, const vector *words)
{
    unsigned sum = 0, threads = gridDim.x * blockDim.x;
    const vector *mine = words + blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned i = 0; i < rounds; i++) {
        UNROLL(8)
        for (unsigned c = 0; c < CHAINS; c++) {
            vector v = mine[(size_t)(i * CHAINS + c) * threads];
            sum += v.x & v.y & v.z & v.w & 1;
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = (float)sum / (float)rounds;
}

enum { FP32, FP32_DISTINCT, SHARED_MEMORY, GLOBAL_MEMORY };

static const struct variant kinds[] = {
    VARIANT(FP32, "fp32", "floating-point operations (a fused multiply-add is two)", .ordered = true,
            .special = "instructions that take time: a GPU, or a machine that counts them"),
    VARIANT(FP32_DISTINCT, "fp32-distinct", "fp32 with three registers that no other operation has",
            .ordered = true, .special = "instructions that take time: a GPU, or a machine that counts them"),
    VARIANT(SHARED_MEMORY, "shared-memory", "bytes read from shared memory", .ordered = true),
    VARIANT(GLOBAL_MEMORY, "global-memory", "bytes read from global memory", .ordered = true),
};

static struct {
    float *out;
    vector *words;
} bench;

static void shape(struct point *p, int sm_count)
{
    p->threads = 256;
    p->blocks = (unsigned)sm_count * 8;
}

static bool is_fp32(const struct variant *v)
{
    return v->id == FP32 || v->id == FP32_DISTINCT;
}

static size_t threads_of(const struct point *p)
{
    return (size_t)p->blocks * p->threads;
}

/* Returns the number of rounds of a run. The global memory is read once; the other variants access the same
 * data in every round. */
static unsigned rounds_of(const struct point *p)
{
    return (unsigned)(p->variant->id == GLOBAL_MEMORY ? (p->size + 15) / 16 : p->size);
}

static size_t global_bytes(const struct point *p)
{
    return threads_of(p) * rounds_of(p) * CHAINS * VECTOR_BYTES;
}

static void prepare(const struct point *p)
{
    allocate_on_device(bench.out, threads_of(p) * sizeof *bench.out);
    CHECK(cudaMemset(bench.out, 0, threads_of(p) * sizeof *bench.out));
    bench.words = NULL;
    if (p->variant->id == GLOBAL_MEMORY) {
        allocate_on_device(bench.words, global_bytes(p));
        CHECK(cudaMemset(bench.words, 1, global_bytes(p)));
    }
}

static void release(void)
{
    CHECK(cudaFree(bench.out));
    CHECK(cudaFree(bench.words));
}

static void run(const struct point *p)
{
    launch_shape shape = {p->blocks, p->threads, SHARED_VECTORS * VECTOR_BYTES, false, false};
    if (p->variant->id == GLOBAL_MEMORY) {
        shape.shared_bytes = 0;
        CHECK(launch(global_memory, shape, harness_stream(), bench.out, rounds_of(p),
                     (const vector *)bench.words));
        return;
    }
    void (*const kernels[])(float *, unsigned, float) = {fp32, fp32_distinct, shared_memory};
    CHECK(launch(kernels[p->variant->id], shape, harness_stream(), bench.out, rounds_of(p), 0.5f));
}

/* Checks that every thread has stored the number of its chains. */
static struct verdict check(const struct point *p)
{
    struct verdict verdict = {true, 0, threads_of(p)};
    float *out = (float *)allocate(threads_of(p) * sizeof *out);
    CHECK(cudaMemcpy(out, bench.out, threads_of(p) * sizeof *out, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < threads_of(p); i++)
        verdict.wrong += !(out[i] == CHAINS);
    verdict.correct = verdict.wrong == 0;
    free(out);
    return verdict;
}

static double operations(const struct point *p)
{
    return (double)threads_of(p) * rounds_of(p) * CHAINS * (is_fp32(p->variant) ? 2 : VECTOR_BYTES);
}

static bool can_do(const struct variant *v)
{
    return !is_fp32(v) || device_counts_instructions();
}

/* Returns a JSON object with the rate of each variant: operations or bytes per time unit. If the time unit is
 * a nanosecond, these are billions per second. */
static cJSON *analyse(const cJSON *points, int)
{
    cJSON *rates = cJSON_CreateObject();
    const cJSON *p;
    cJSON_ArrayForEach(p, points)
    {
        double per_operation = cJSON_GetNumberValue(cJSON_GetObjectItem(p, "per_operation"));
        cJSON_AddNumberToObject(rates, cJSON_GetStringValue(cJSON_GetObjectItem(p, "variant")),
                                1 / per_operation);
    }
    return rates;
}

int main(int argc, char **argv)
{
    struct experiment e = {
        .name = "micro-throughput",
        .question = "how many operations and how many bytes of memory in a second?",
        .variants = kinds,
        .variant_count = sizeof kinds / sizeof *kinds,
        .can_do = can_do,
        .size_means = "rounds of each thread (of global memory a sixteenth)",
        .size_repeats = true,
        .gpu_sizes = "4096",
        .machine_sizes = "32",
        .gpu_runs = 3,
        .launches = {.shape = shape},
        .analyse = analyse,
    };
    return run_experiment(argc, argv, e);
}
