/*
 * What do a register, a shuffle, a shared-memory access and __syncthreads cost? The loops of Wang, Xie and
 * Cong 2017, Listing 1, run in one block and are timed in cycles for ten numbers of iterations; the latency
 * of an iteration is the slope of the line through these times (Equations 1 to 4, Figure 3).
 *
 *     build/gpu/micro-latency
 *     build/gpu/micro-latency --variant shuffle,shared --size 500-5000:500
 */
#include "base/random.h"
#include "harness/check.h"
#include "harness/device.h"
#include "harness/experiment.h"
#include "harness/launch.cuh"
#include "harness/memory.h"
#include "harness/measurement.h"
#include "sync/convergence.cuh"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WARP 32
#define MOST_THREADS 1024

/*
 * The parameters of a loop. Every loop computes a product whose factors depend on each other. The first
 * factor of each thread comes from memory, because the compiler removes a shuffle of a value that it knows to
 * be equal in all lanes.
 */
struct latency_loop {
    /* [threads]: 1 before the loop; after it the loop's product, which is 1 if nothing went wrong */
    float *out;
    long long *cycles; /* duration of the loop in clock cycles */
    unsigned iterations;
    int source; /* for a shuffle its lane, stride or mask; for __syncthreads the number of warps */
    int one;    /* always 1, which the compiler does not know */
};

struct Register {
    __device__ float operator()(const latency_loop &, float a) const
    {
        dependent_instructions(1);
        return a * a;
    }
};
/* A shuffle from lane `source`. The lane is drawn at random each time that the point is measured, as Wang,
 * Xie and Cong 2017 do. */
struct Shuffle {
    __device__ float operator()(const latency_loop &q, float a) const
    {
        return a * __shfl_sync(0xffffffffu, a, q.source);
    }
};
struct ShuffleUp {
    __device__ float operator()(const latency_loop &q, float a) const
    {
        return a * __shfl_up_sync(0xffffffffu, a, (unsigned)q.source);
    }
};
struct ShuffleDown {
    __device__ float operator()(const latency_loop &q, float a) const
    {
        return a * __shfl_down_sync(0xffffffffu, a, (unsigned)q.source);
    }
};
struct ShuffleXor {
    __device__ float operator()(const latency_loop &q, float a) const
    {
        return a * __shfl_xor_sync(0xffffffffu, a, q.source);
    }
};

template <class Step>
__global__ void latency_of(latency_loop q)
{
    Step step;
    float a = q.out[threadIdx.x];
    long long start = clock64();
    for (unsigned i = 0; i < q.iterations; i++)
        a = step(q, a);
    long long stop = clock64();
    q.out[threadIdx.x] = a;
    if (threadIdx.x == 0)
        *q.cycles = stop - start;
}

/* Follows a chain of pointers through shared memory. With `barrier`, each iteration also has a __syncthreads.
 * Wang, Xie and Cong 2017 subtract a multiplication from the time of each load (Equation 3). The
 * multiplication of `a` does not wait for the load; with `multiplies`, a second multiplication waits for
 * it. */
template <bool barrier, bool multiplies>
__global__ void shared_latency(latency_loop q)
{
    volatile int *next = dynamic_shared<int>();
    for (unsigned i = threadIdx.x; i < WARP; i += blockDim.x)
        next[i] = (int)(i + 1) % WARP;
    __syncthreads();
    int at = 0;
    float a = q.out[threadIdx.x];
    long long start = clock64();
    for (unsigned i = 0; i < q.iterations; i++) {
        if (multiplies)
            dependent_instructions(1);
        at = next[multiplies ? at * q.one : at];
        a *= at < WARP ? 1.0f : 2.0f;
        if (barrier)
            __syncthreads();
    }
    long long stop = clock64();
    q.out[threadIdx.x] = at == (int)(q.iterations % WARP) ? a : 0;
    if (threadIdx.x == 0)
        *q.cycles = stop - start;
}

enum { REGISTER, SHUFFLE, UP, DOWN, XOR, SHARED, SHARED_MULTIPLIED, SYNC };

#define STRIDE(loop, stride, text)                                                                           \
    {                                                                                                        \
        .id = loop | stride << 8, .name = text "-" #stride, .summary = "and a " text ", stride " #stride,    \
        .ordered = true, .capability = 30                                                                    \
    }
#define STRIDES(loop, text)                                                                                  \
    STRIDE(loop, 1, text), STRIDE(loop, 2, text), STRIDE(loop, 4, text), STRIDE(loop, 8, text),              \
        STRIDE(loop, 16, text)
#define WARPS(warps, needed)                                                                                 \
    {                                                                                                        \
        .id = SYNC | warps << 8, .name = "syncthreads-" #warps,                                              \
        .summary = "shared, and __syncthreads of " #warps " warps", .ordered = true, .capability = needed    \
    }

/* The low byte of a variant's id is the number of its loop; the other bytes are the loop's `source`. */
static const struct variant loops[] = {
    VARIANT(REGISTER, "register", "a multiplication of a register", .ordered = true),
    VARIANT(SHUFFLE, "shuffle", "and a shuffle from a lane drawn at random", .ordered = true,
            .capability = 30),
    STRIDES(UP, "shuffle-up"),
    STRIDES(DOWN, "shuffle-down"),
    STRIDES(XOR, "shuffle-xor"),
    VARIANT(SHARED, "shared", "a chain of pointers through shared memory, one thread", .ordered = true),
    VARIANT(SHARED_MULTIPLIED, "shared-multiplied", "shared, with a multiplication between two loads",
            .ordered = true),
    WARPS(1, 0),
    WARPS(2, 0),
    WARPS(4, 0),
    WARPS(8, 0),
    WARPS(16, 0),
    WARPS(32, 20), /* blocks of 1,024 threads need compute capability 2.0 */
};

static int loop_of(const struct variant *v)
{
    return v->id & 0xff;
}

static int source_of(const struct variant *v)
{
    return v->id >> 8;
}

static latency_loop bench;

static void shape(struct point *p, int)
{
    p->blocks = 1;
    int loop = loop_of(p->variant);
    p->threads = loop == SHARED || loop == SHARED_MULTIPLIED ? 1 : WARP;
    if (loop == SYNC)
        p->threads = (unsigned)(WARP * source_of(p->variant));
}

static void prepare(const struct point *p)
{
    bench.iterations = (unsigned)p->size;
    bench.source = source_of(p->variant);
    bench.one = 1;
    if (loop_of(p->variant) == SHUFFLE) {
        static unsigned long long visits;
        struct random drawn = {p->seed + visits++};
        bench.source = (int)(random_next(&drawn) % WARP);
    }
    allocate_on_device(bench.out, MOST_THREADS * sizeof *bench.out);
    allocate_on_device(bench.cycles, sizeof *bench.cycles);
    float ones[MOST_THREADS];
    for (float &one : ones)
        one = 1;
    CHECK(cudaMemcpy(bench.out, ones, sizeof ones, cudaMemcpyHostToDevice));
}

static void release(void)
{
    CHECK(cudaFree(bench.out));
    CHECK(cudaFree(bench.cycles));
}

static void run(const struct point *p)
{
    void (*kernels[])(latency_loop) = {latency_of<Register>,        latency_of<Shuffle>,
                                       latency_of<ShuffleUp>,       latency_of<ShuffleDown>,
                                       latency_of<ShuffleXor>,      shared_latency<false, false>,
                                       shared_latency<false, true>, shared_latency<true, false>};
    launch_shape shape = {1, p->threads, WARP * sizeof(int), false, false};
    CHECK(launch(kernels[loop_of(p->variant)], shape, harness_stream(), bench));
}

static double measured(const struct point *)
{
    long long cycles;
    CHECK(cudaMemcpy(&cycles, bench.cycles, sizeof cycles, cudaMemcpyDeviceToHost));
    return (double)cycles;
}

static struct verdict check(const struct point *p)
{
    struct verdict verdict = {true, 0, p->threads};
    float out[MOST_THREADS];
    CHECK(cudaMemcpy(out, bench.out, p->threads * sizeof *out, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < p->threads; i++)
        verdict.wrong += !(out[i] == 1);
    /* the product does not show whether the loop ran, so check its time */
    verdict.wrong += !(measured(p) > 0 && measured(p) < 1e15);
    verdict.correct = verdict.wrong == 0;
    return verdict;
}

static double operations(const struct point *p)
{
    return (double)p->size;
}

/*
 * Returns the latency in the convention of Wang, Xie and Cong 2017, in which a register takes one cycle: by
 * their Equations 1 and 2 for shuffles, 3 for shared memory, and 4 for __syncthreads.
 */
static double latency(int loop, double slope, double register_slope, double shared_slope)
{
    if (loop == SYNC)
        return slope - shared_slope;
    return 1 + slope - register_slope;
}

static cJSON *analyse(const cJSON *points, int)
{
    cJSON *analysis = cJSON_CreateObject();
    double register_slope = line_through_points(points, "register", "size").slope,
           shared_slope = line_through_points(points, "shared", "size").slope;
    for (const struct variant &v : loops) {
        struct line line = line_through_points(points, v.name, "size");
        if (isnan(line.slope))
            continue;
        cJSON *json = cJSON_AddObjectToObject(analysis, v.name);
        double paper = latency(loop_of(&v), line.slope, register_slope, shared_slope);
        cJSON_AddNumberToObject(json, "cycles_per_iteration", line.slope);
        cJSON_AddNumberToObject(json, "constant", line.intercept);
        if (!isnan(line.r2))
            cJSON_AddNumberToObject(json, "r2", line.r2);
        if (!isnan(paper))
            cJSON_AddNumberToObject(json, "latency", paper);
    }
    return analysis;
}

int main(int argc, char **argv)
{
    struct experiment e = {
        .name = "micro-latency",
        .question = "what do a register, a shuffle, a shared-memory access and __syncthreads cost?",
        .variants = loops,
        .variant_count = sizeof loops / sizeof *loops,
        .size_means = "iterations of the loop",
        .size_repeats = true,
        .gpu_sizes = "1000-10000:1000",
        .machine_sizes = "30-300:30",
        .gpu_runs = 3,
        .launches = {.shape = shape},
        .measured = measured,
        .measured_unit = "cycles",
        .analyse = analyse,
    };
    return run_experiment(argc, argv, e);
}
