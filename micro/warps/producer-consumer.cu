/*
 * What does it cost a warp to hand data to another warp of its block? This is the loop of Li 2015, Listing
 * 10,
 *
 *     for (i = 0; i < 32 * N; i++) A[i + 32] = A[i] + independent_computation(i);
 *
 * with one warp for each 32 iterations, so that all N warps run at once and wait for each other in a chain
 * (Figure 4, Tables 1 and 2). The reduction phase is measured in cycles of the multiprocessor, from the first
 * warp's start to the last warp's end. The result is the median over the rounds of a run.
 *
 *     build/gpu/micro-producer-consumer --threads 64-512:32 --variant packed-word,warp-barrier
 */
#include "base/failure.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "harness/check.h"
#include "harness/device.h"
#include "harness/experiment.h"
#include "harness/launch.cuh"
#include "harness/memory.h"
#include "micro/warps/channels.cuh"
#include "harness/measurement.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_WARPS 32

/* The independent computation of Li 2015, Listing 10: it returns immediately, as in the paper's
 * measurements. */
static inline __host__ __device__ unsigned independent_computation(unsigned i)
{
    return i;
}

/* Returns the first warp's input value of a lane in a round. It differs from round to round, so that a value
 * left from the preceding round is wrong. */
static inline __host__ __device__ unsigned first_value(unsigned lane, unsigned round)
{
    return lane * 40503u + round * 7919u;
}

static inline __host__ __device__ unsigned mix(unsigned sum, unsigned value)
{
    return sum * 31 + value;
}

struct span {
    long long start, stop;
};

/* Executes all rounds with a channel. sums[tid] becomes a mixture of all values that the thread sent; `spans`
 * ([round][warp]) becomes the start and stop time of each warp. */
template <class Channel>
__global__ void producer_consumer(unsigned rounds, unsigned *sums, span *spans)
{
    Channel channel;
    channel.open();
    __syncthreads();
    unsigned sum = 0, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    for (unsigned round = 0; round < rounds; round++) {
        channel.begin(first_value(threadIdx.x, round), round);
        __syncthreads();
        long long start = clock64();
        unsigned value = channel.receive() + independent_computation(threadIdx.x);
        channel.send(value);
        channel.finish();
        long long stop = clock64();
        sum = mix(sum, value);
        if (threadIdx.x % 32 == 0)
            spans[round * warps + warp] = {start, stop};
        __syncthreads();
    }
    sums[threadIdx.x] = sum;
}

enum scheme {
    NONE,
    SYNCTHREADS,
    ATOM_LOCK,
    WARP_BARRIER,
    SHARED_LOCK,
    TINY_LOCK,
    WARP_VOTE,
    PACKED_WORD,
    MBARRIER
};

#define LOCK_BITS "lock bits in shared memory: Fermi, on the memory machine"

static const struct variant schemes[] = {
    VARIANT(NONE, "none", "no synchronization: the computation time, and wrong results"),
    VARIANT(SYNCTHREADS, "syncthreads", "__syncthreads after each link of the chain", .ordered = true),
    VARIANT(ATOM_LOCK, "atom-lock", "a spin lock for each thread (Li 2015, Listing 11)", .ordered = true,
            .capability = 12),
    VARIANT(WARP_BARRIER, "warp-barrier",
            "a named barrier for each link, bar.sync and bar.arrive (Listing 12)", .ordered = true,
            .capability = 20),
    VARIANT(SHARED_LOCK, "shared-lock", "a spin lock for each warp (section 5)", .ordered = true,
            .capability = 12),
    VARIANT(TINY_LOCK, "tiny-lock", "the data words' own lock bits (Listing 13)", .ordered = true,
            .special = LOCK_BITS),
    VARIANT(WARP_VOTE, "warp-vote", "a lock bit for each warp and a vote (Listing 9)", .ordered = true,
            .special = LOCK_BITS),
    VARIANT(PACKED_WORD, "packed-word", "value and epoch in one 64-bit word", .ordered = true),
    VARIANT(MBARRIER, "mbarrier", "an mbarrier for each warp, arrive and try_wait", .ordered = true,
            .capability = 90),
};

static struct {
    unsigned *sums;
    span *spans, *host_spans;
    size_t span_count;
} bench;

/* Calls `call` with an object of the channel type that belongs to the scheme. */
template <class Call>
static void with_channel(int scheme, Call call)
{
    switch (scheme) {
    case SYNCTHREADS:
        return call(SyncthreadsChannel());
    case ATOM_LOCK:
        return call(AtomLock());
    case WARP_BARRIER:
        return call(WarpBarrier());
    case SHARED_LOCK:
        return call(SharedLock());
#ifdef GPUSYNC_MACHINE
    case TINY_LOCK:
        return call(TinyLock());
    case WARP_VOTE:
        return call(WarpVote());
#endif
    case PACKED_WORD:
        return call(PackedWord());
    case MBARRIER:
        return call(MbarrierChannel());
    default:
        return call(NoChannel());
    }
}

static bool can_do(const struct variant *v)
{
    return (v->id != TINY_LOCK && v->id != WARP_VOTE) || device_has_lock_bits();
}

/* The largest number of links between two warps if each link is a named barrier: a block has 16 named
 * barriers, and __syncthreads uses one. The chain consists of whole warps. */
#define MOST_LINKS 15
static void check_threads(const struct variant *v, unsigned threads)
{
    if (threads % 32)
        fail(EXIT_BAD_INPUT, "--threads %u: the chain is of whole warps of 32 threads", threads);
    if (v->id == WARP_BARRIER && threads / 32 > MOST_LINKS + 1)
        fail(EXIT_CANNOT, "warp-barrier: a block has named barriers for a chain of %d warps, not of %u",
             MOST_LINKS + 1, threads / 32);
}

static void prepare(const struct point *p)
{
    bench.span_count = (size_t)p->size * (p->threads / 32) * p->blocks;
    allocate_on_device(bench.sums, p->threads * sizeof *bench.sums);
    allocate_on_device(bench.spans, bench.span_count * sizeof *bench.spans);
    CHECK(cudaMemset(bench.sums, 0xff, p->threads * sizeof *bench.sums));
    bench.host_spans = (span *)allocate(bench.span_count * sizeof *bench.spans);
}

static void release(void)
{
    CHECK(cudaFree(bench.sums));
    CHECK(cudaFree(bench.spans));
    free(bench.host_spans);
}

static void run(const struct point *p)
{
    with_channel(p->variant->id, [&](auto channel) {
        typedef decltype(channel) Channel;
        launch_shape shape = {1, p->threads, Channel::bytes(p->threads), false, false};
        CHECK(launch(producer_consumer<Channel>, shape, harness_stream(), (unsigned)p->size, bench.sums,
                     bench.spans));
    });
}

static double cycles_of_round(const span *spans, unsigned warps)
{
    long long first = spans[0].start, last = spans[0].stop;
    for (unsigned w = 1; w < warps; w++) {
        first = spans[w].start < first ? spans[w].start : first;
        last = spans[w].stop > last ? spans[w].stop : last;
    }
    return (double)(last - first);
}

static double measured(const struct point *p)
{
    unsigned warps = p->threads / 32;
    CHECK(cudaMemcpy(bench.host_spans, bench.spans, bench.span_count * sizeof *bench.spans,
                     cudaMemcpyDeviceToHost));
    double *cycles = (double *)allocate((size_t)p->size * sizeof *cycles);
    for (long long round = 0; round < p->size; round++)
        cycles[round] = cycles_of_round(bench.host_spans + round * warps, warps);
    double median = summarize(cycles, (size_t)p->size).median;
    free(cycles);
    return median;
}

/* Executes the loop of Li 2015, Listing 10, as printed, for every round. */
static void sequential(const struct point *p, unsigned *sums)
{
    unsigned *a = (unsigned *)allocate((p->threads + 32) * sizeof *a);
    memset(sums, 0, p->threads * sizeof *sums);
    for (unsigned round = 0; round < p->size; round++) {
        for (unsigned i = 0; i < 32; i++)
            a[i] = first_value(i, round);
        for (unsigned i = 0; i < p->threads; i++) {
            a[i + 32] = a[i] + independent_computation(i);
            sums[i] = mix(sums[i], a[i + 32]);
        }
    }
    free(a);
}

static struct verdict check(const struct point *p)
{
    struct verdict verdict = {true, 0, p->threads};
    unsigned sums[32 * MOST_WARPS], expected[32 * MOST_WARPS];
    CHECK(cudaMemcpy(sums, bench.sums, p->threads * sizeof *sums, cudaMemcpyDeviceToHost));
    sequential(p, expected);
    for (unsigned i = 0; i < p->threads; i++)
        verdict.wrong += sums[i] != expected[i];
    verdict.correct = verdict.wrong == 0;
    return verdict;
}

static double operations(const struct point *p)
{
    return p->threads / 32;
}

/* Adds to the JSON how many bytes of shared memory the scheme needs beyond the data, as in Table 1 of Li
 * 2015. */
static void describe(const struct point *p, cJSON *json)
{
    with_channel(p->variant->id, [&](auto channel) {
        size_t extra = decltype(channel)::bytes(p->threads) - channel_data_bytes(p->threads);
        cJSON_AddNumberToObject(json, "shared_bytes", (double)extra);
    });
}

/* Fits a line to the cycles of a round over the number of warps; its slope is the time of a link of the
 * chain. */
static cJSON *fit_links(const cJSON *points, const char *name)
{
    struct line line = line_through_points(points, name, "threads");
    if (isnan(line.slope))
        return NULL;
    cJSON *fit = cJSON_CreateObject();
    cJSON_AddNumberToObject(fit, "cycles_per_link", 32 * line.slope);
    cJSON_AddNumberToObject(fit, "constant", line.intercept);
    cJSON_AddNumberToObject(fit, "r2", line.r2);
    return fit;
}

static cJSON *analyse(const cJSON *points, int)
{
    cJSON *analysis = cJSON_CreateObject();
    for (const struct variant &scheme : schemes) {
        cJSON *fit = fit_links(points, scheme.name);
        if (fit)
            cJSON_AddItemToObject(analysis, scheme.name, fit);
    }
    return analysis;
}

int main(int argc, char **argv)
{
    struct experiment e = {
        .name = "micro-producer-consumer",
        .question = "what does it cost a warp to hand data to another warp of its block?",
        .variants = schemes,
        .variant_count = sizeof schemes / sizeof *schemes,
        .can_do = can_do,
        .size_means = "rounds of the loop in one run",
        .size_repeats = true,
        .gpu_sizes = "200",
        .machine_sizes = "2",
        .gpu_runs = 3,
        /* The 16 warps of Li 2015 are the most that the named barriers can serve. */
        .launches = {.threads = "64-512:64", .sweep = SWEEP_ONE_BLOCK, .check = check_threads},
        .measured = measured,
        .measured_unit = "cycles",
        .describe = describe,
        .analyse = analyse,
    };
    return run_experiment(argc, argv, e);
}
