/*
 * What does a barrier across all blocks cost? This is the micro-benchmark of Xiao and Feng 2010, section V-C
 * (Figure 8), and of Feng and Xiao 2010, section VI (Figure 3): each thread computes the mean of two floats,
 * then all blocks synchronize; the papers run 10,000 rounds. Scaling is weak, so the computation takes
 * equally long for any number of blocks.
 *
 *     build/gpu/micro-barrier --variant lock-free,cpu-implicit --blocks 1-30
 *
 * Each barrier is verified in a separate run with another step, micro/barrier/payload.cuh.
 */
#include "base/memory.h"
#include "harness/experiment.h"
#include "harness/memory.h"
#include "harness/placement.cuh"
#include "harness/steps.cuh"
#include "harness/timer.h"
#include "micro/barrier/barrier_fits.h"
#include "micro/barrier/payload.cuh"
#include "sync/tuned.cuh"

#include <stdlib.h>
#include <string.h>

struct MeanStep {
    const float *a, *b;
    float *mean;

    __device__ void operator()(int)
    {
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        mean[i] = (a[i] + b[i]) / 2;
    }
};

/* A step without work, for timing one part of a barrier alone. */
struct EmptyStep {
    __device__ void operator()(int) {}
};

/* AtomicPart and SyncthreadsPart are barriers reduced to one part of the lock-based barrier: scenarios 2 and
 * 3 of Feng and Xiao 2010, section VI. */

struct AtomicPart {
    unsigned *counter;
    __device__ void begin(gpusync_grid_barrier m) { counter = barrier_counter(m); }
    __device__ void sync()
    {
        if (threadIdx.x == 0)
            atomicAdd(counter, 1u);
        compiler_barrier();
    }
    __device__ void end() {}
};

struct SyncthreadsPart {
    __device__ void begin(gpusync_grid_barrier) {}
    __device__ void sync() { __syncthreads(); }
    __device__ void end() {}
};

enum { PART_ATOMIC = SYNC_METHODS, PART_SYNCTHREADS, COUNTER_TUNED, VARIANTS };

/* Returns the synchronization method of the variant's step loop. */
static sync_id method_of(const struct variant *v)
{
    return v->id < SYNC_METHODS ? (sync_id)v->id : v->id == COUNTER_TUNED ? SYNC_COUNTER : SYNC_NONE;
}

/* counter-tuned cannot run on the machine, where all cache lines are equally fast. */
static bool can_do(const struct variant *v)
{
    return v->id != COUNTER_TUNED || !device_is_machine();
}

static struct {
    size_t elements;
    float *host_a, *host_b;
    float *a, *b, *mean;
    unsigned *boards, *errors;
    gpusync_grid_barrier memory;
    int steps;
    launch_shape shape;
    steps_plan<MeanStep> plan;
} bench;

/* The largest number of rounds of a method that launches a kernel in each round. A launch takes long and its
 * time varies little, so few rounds are enough. */
#define MOST_LAUNCHES 500
static int rounds_of(const struct point *p)
{
    bool launches = p->variant->id < SYNC_METHODS && sync_methods[p->variant->id].way != ONE_LAUNCH;
    return (int)(launches && p->size > MOST_LAUNCHES ? MOST_LAUNCHES : p->size);
}

static void fill_inputs(unsigned long long seed)
{
    for (size_t i = 0; i < bench.elements; i++) {
        bench.host_a[i] = (float)((i * 2654435761u + seed) % 1000003u);
        bench.host_b[i] = (float)((i * 2246822519u + seed) % 999983u);
    }
    size_t bytes = bench.elements * sizeof(float);
    CHECK(cudaMemcpy(bench.a, bench.host_a, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(bench.b, bench.host_b, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(bench.mean, 0xff, bytes));
}

static void prepare(const struct point *p)
{
    bench.elements = (size_t)p->blocks * p->threads;
    bench.steps = rounds_of(p);
    bench.shape = {p->blocks, p->threads, 0, false, false};
    size_t bytes = bench.elements * sizeof(float);
    bench.host_a = (float *)allocate(bytes);
    bench.host_b = (float *)allocate(bytes);
    allocate_on_device(bench.a, bytes);
    allocate_on_device(bench.b, bytes);
    allocate_on_device(bench.mean, bytes);
    allocate_on_device(bench.boards, 2 * bytes);
    allocate_on_device(bench.errors, sizeof(unsigned));
    if (p->variant->id == COUNTER_TUNED)
        CHECK(gpusync_grid_barrier_create_tuned(&bench.memory, p->blocks, harness_stream()));
    else
        CHECK(gpusync_grid_barrier_create(&bench.memory, p->blocks));
    fill_inputs(p->seed);
    MeanStep step = {bench.a, bench.b, bench.mean};
    bench.plan = steps_prepare(method_of(p->variant), step, bench.steps, bench.shape, bench.memory);
}

static void release(void)
{
    steps_release(&bench.plan);
    CHECK(cudaFree(bench.a));
    CHECK(cudaFree(bench.b));
    CHECK(cudaFree(bench.mean));
    CHECK(cudaFree(bench.boards));
    CHECK(cudaFree(bench.errors));
    CHECK(gpusync_grid_barrier_destroy(&bench.memory));
    free(bench.host_a);
    free(bench.host_b);
}

static void run(const struct point *p)
{
    if (p->variant->id == PART_ATOMIC) {
        steps_plan<EmptyStep> plan = {SYNC_NONE, {}, bench.steps, bench.shape, bench.memory, NULL};
        launch_step_loop<AtomicPart>(plan);
    } else if (p->variant->id == PART_SYNCTHREADS) {
        launch_step_loop<SyncthreadsPart>(bench.plan);
    } else {
        steps_run(bench.plan);
    }
}

static unsigned count_wrong_means(void)
{
    unsigned wrong = 0;
    size_t bytes = bench.elements * sizeof(float);
    float *mean = (float *)allocate(bytes);
    CHECK(cudaMemcpy(mean, bench.mean, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < bench.elements; i++)
        wrong += mean[i] != (bench.host_a[i] + bench.host_b[i]) / 2;
    free(mean);
    return wrong;
}

/* The largest number of rounds in which a barrier is verified. More rounds would find no more errors, and
 * would take long if each round is a launch. */
#define MOST_PAYLOAD_ROUNDS 2000
static int payload_rounds(void)
{
    return bench.steps < MOST_PAYLOAD_ROUNDS ? bench.steps : MOST_PAYLOAD_ROUNDS;
}

static unsigned count_payload_errors(sync_id method)
{
    unsigned errors;
    CHECK(cudaMemset(bench.errors, 0, sizeof(unsigned)));
    CHECK(cudaMemset(bench.boards, 0xff, 2 * bench.elements * sizeof(unsigned)));
    PayloadStep step = {bench.boards, bench.errors};
    int rounds = payload_rounds();
    steps_plan<PayloadStep> plan = steps_prepare(method, step, rounds, bench.shape, bench.memory);
    steps_run(plan);
    wait_for_device();
    CHECK(cudaMemcpy(&errors, bench.errors, sizeof errors, cudaMemcpyDeviceToHost));
    steps_release(&plan);
    return errors;
}

static struct verdict check(const struct point *p)
{
    struct verdict verdict;
    verdict.wrong = count_payload_errors(method_of(p->variant));
    verdict.wrong += count_wrong_means();
    verdict.compared = (unsigned long long)bench.elements * (unsigned long long)payload_rounds();
    verdict.correct = verdict.wrong == 0;
    return verdict;
}

/* Returns how many blocks can be resident both with the kernel that is timed and with the kernel that
 * verifies the barrier. */
static int resident_blocks(const struct variant *variant, unsigned threads, long long, int sm_count)
{
    int mean = steps_resident_blocks<MeanStep>(method_of(variant), threads, 0, sm_count);
    int payload = steps_resident_blocks<PayloadStep>(method_of(variant), threads, 0, sm_count);
    return mean < payload ? mean : payload;
}

static double operations(const struct point *p)
{
    return rounds_of(p);
}

int main(int argc, char **argv)
{
    static struct variant variants[VARIANTS];
    memcpy(variants, sync_variants, sizeof sync_variants);
    variants[PART_ATOMIC] = {.id = PART_ATOMIC,
                             .name = "atomic-part",
                             .summary = "only one atomicAdd for each block and round",
                             .unchecked = true};
    variants[PART_SYNCTHREADS] = {.id = PART_SYNCTHREADS,
                                  .name = "syncthreads-part",
                                  .summary = "the loop with __syncthreads only",
                                  .unchecked = true};
    variants[COUNTER_TUNED] = {.id = COUNTER_TUNED,
                               .name = "counter-tuned",
                               .summary = "counter, in the fastest of several places in memory",
                               .ordered = true,
                               .resident = true,
                               .capability = 70,
                               .special = "a GPU"};
    struct experiment experiment = {
        .name = "micro-barrier",
        .question = "what does a barrier across all blocks cost?",
        .variants = variants,
        .variant_count = VARIANTS,
        .any_warp_size = true,
        .can_do = can_do,
        .size_means = "rounds: barriers in one run",
        .size_repeats = true,
        .gpu_sizes = "1000",
        .machine_sizes = "20",
        .gpu_runs = 3, /* the number of runs in Xiao and Feng 2010 and in Feng and Xiao 2010 */
        .launches = {.threads = "256", .resident_blocks = resident_blocks},
        .describe = describe_placement,
        .analyse = fit_barrier_times,
    };
    return run_experiment(argc, argv, experiment);
}
