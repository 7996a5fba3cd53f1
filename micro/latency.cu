/*
 * What do a register, a shuffle, a shared-memory access and __syncthreads cost? The loops of Wang, Xie and
 * Cong 2017, Listing 1, in one block, timed in cycles for ten numbers of iterations; the latency of an
 * iteration is the slope of the line through them (Equations 1 to 4, Figure 3).
 *
 *     build/gpu/micro-latency
 *     build/gpu/micro-latency --variant shuffle,shared --size 500-5000:500
 */
#include "harness/check.h"
#include "harness/device.h"
#include "harness/experiment.h"
#include "harness/launch.cuh"
#include "micro/point_line.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WARP 32
#define MOST_THREADS 1024

/*
 * Every loop has a factor that depends on the one before. Each thread's first one comes from memory, for the
 * compiler leaves out a shuffle of what it knows to be the same in all lanes.
 */
struct latency_loop {
    float *out;        /* [threads]: ones; the product, which is 1 where nothing went wrong */
    long long *cycles; /* of the loop */
    unsigned iterations;
    int source; /* the shuffles' lane, stride or mask; the number of warps */
};

struct Register {
    __device__ float operator()(const latency_loop &, float a) const { return a * a; }
};
/* A lane drawn at random, as in the paper, once a run. */
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

/* A chain of pointers through shared memory; with `barrier`, also a __syncthreads in each iteration. */
template <bool barrier>
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
        at = next[at];
        a *= at < WARP ? 1.0f : 2.0f;
        if (barrier)
            __syncthreads();
    }
    long long stop = clock64();
    q.out[threadIdx.x] = at == (int)(q.iterations % WARP) ? a : 0;
    if (threadIdx.x == 0)
        *q.cycles = stop - start;
}

enum { REGISTER, SHUFFLE, UP, DOWN, XOR, SHARED, SYNC };

#define SHUFFLES 30, "compute capability 3.0 (shuffles)"
#define STRIDES(id, name, text)                                                                              \
    {id | 1 << 8, name "-1", text ", stride 1", true, false, true, SHUFFLES},                                \
        {id | 2 << 8, name "-2", text ", stride 2", true, false, true, SHUFFLES},                            \
        {id | 4 << 8, name "-4", text ", stride 4", true, false, true, SHUFFLES},                            \
        {id | 8 << 8, name "-8", text ", stride 8", true, false, true, SHUFFLES},                            \
    {                                                                                                        \
        id | 16 << 8, name "-16", text ", stride 16", true, false, true, SHUFFLES                            \
    }
#define WARPS(warps, capability, needs)                                                                      \
    {                                                                                                        \
        SYNC | warps << 8, "syncthreads-" #warps, "shared, and __syncthreads of " #warps " warps", true,     \
            false, true, capability, needs                                                                   \
    }

/* The id's low byte is the loop, the rest its source. id, name, what it is, ordered, resident, checked, needs
 */
static const struct variant loops[] = {
    {REGISTER, "register", "a multiplication of a register", true, false, true, 0, NULL},
    {SHUFFLE | 19 << 8, "shuffle", "and a shuffle from a lane drawn at random", true, false, true, SHUFFLES},
    STRIDES(UP, "shuffle-up", "and a shuffle up"),
    STRIDES(DOWN, "shuffle-down", "and a shuffle down"),
    STRIDES(XOR, "shuffle-xor", "and a shuffle by exclusive or"),
    {SHARED, "shared", "a chain of pointers through shared memory, one thread", true, false, true, 0, NULL},
    WARPS(1, 0, NULL),
    WARPS(2, 0, NULL),
    WARPS(4, 0, NULL),
    WARPS(8, 0, NULL),
    WARPS(16, 0, NULL),
    WARPS(32, 20, "compute capability 2.0 (blocks of 1,024 threads)"),
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
    p->threads = loop_of(p->variant) == SHARED ? 1 : WARP;
    if (loop_of(p->variant) == SYNC)
        p->threads = (unsigned)(WARP * source_of(p->variant));
}

static void prepare(const struct point *p)
{
    bench.iterations = (unsigned)p->size;
    bench.source = source_of(p->variant);
    CHECK(cudaMalloc((void **)&bench.out, MOST_THREADS * sizeof *bench.out));
    CHECK(cudaMalloc((void **)&bench.cycles, sizeof *bench.cycles));
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
    void (*kernels[])(latency_loop) = {latency_of<Register>,    latency_of<Shuffle>,    latency_of<ShuffleUp>,
                                       latency_of<ShuffleDown>, latency_of<ShuffleXor>, shared_latency<false>,
                                       shared_latency<true>};
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
    verdict.correct = verdict.wrong == 0;
    return verdict;
}

static double operations(const struct point *p)
{
    return (double)p->size;
}

/*
 * The latency in the paper's convention, in which a register takes one cycle: Equations 1 and 2 for shuffles,
 * 3 for shared memory, 4 for __syncthreads.
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
    struct experiment e = {};
    e.name = "micro-latency";
    e.question = "what do a register, a shuffle, a shared-memory access and __syncthreads cost?";
    e.variants = loops;
    e.variant_count = sizeof loops / sizeof *loops;
    e.size_means = "iterations of the loop";
    e.gpu_sizes = "1000-10000:1000";
    e.machine_sizes = "30-300:30";
    e.gpu_runs = 9;
    e.shape = shape;
    e.prepare = prepare;
    e.run = run;
    e.measured = measured;
    e.measured_unit = "cycles";
    e.check = check;
    e.release = release;
    e.operations = operations;
    e.analyse = analyse;
    return experiment_main(argc, argv, &e);
}
