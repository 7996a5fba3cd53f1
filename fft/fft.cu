/*
 * FFT of one complex single-precision sequence of N = 2^m values, in m steps with a barrier between two steps
 * (Xiao and Feng 2010, section VI-A; Figures 10a to 13a).
 *
 *     build/gpu/fft --variant lock-free-fence,counter,cpu-implicit --blocks 9-30 --size 262144
 *
 * --algorithm few-barriers is the fastest form, with one barrier in all, or two for more than 2^24 values
 * (fft/few_barriers.cuh, fft/three_passes.cuh); its variant `dataflow` has no barrier.
 *
 * The steps have Stockham's radix-2 form: a step reads one array and writes the other in an order that needs
 * no bit reversal at the end. After step s, 2^(s+1) adjacent values belong to one sub-transform.
 */
#include "base/failure.h"
#include "base/log_2.h"
#include "base/memory.h"
#include "fft/on_device.cuh"
#include "fft/reference.h"
#include "fft/shapes.cuh"
#include "harness/check.h"
#include "harness/memory.h"
#include "harness/step_bench.cuh"

#ifdef GPUSYNC_CUFFT
#include <cufft.h>
#endif
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct FftStep {
    /* `input` has the N values, `twiddles` has exp(-2 pi i k / N) for k < N / 2 */
    const float2 *input, *twiddles;
    float2 *work[2];
    unsigned n;
    int steps;
    /* sign and scale are -1 and 1 / N for the inverse transform, 1 and 1 for the forward transform */
    float sign, scale;

    __device__ void operator()(int s)
    {
        const float2 *from = s == 0 ? input : work[(s + 1) & 1];
        float2 *to = work[s & 1];
        unsigned stride = 1u << s, half = n / 2;
        float factor = s == steps - 1 ? scale : 1.0f;
        for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < half; i += gridDim.x * blockDim.x) {
            unsigned within = i & (stride - 1), group = i - within; /* group = p * stride */
            float2 a = from[i], b = from[i + half], w = twiddles[group];
            float re = a.x - b.x, im = a.y - b.y, wi = w.y * sign;
            to[within + 2 * group] = make_float2((a.x + b.x) * factor, (a.y + b.y) * factor);
            to[within + 2 * group + stride] =
                make_float2((re * w.x - im * wi) * factor, (re * wi + im * w.x) * factor);
        }
    }
};

static struct {
    unsigned n;
    int steps;
    bool inverse;
    /* complex values: real and imaginary parts in turn */
    float *host_input, *host_output, *host_twiddles, *expected;
    float2 *input, *twiddles, *work[2];
    unsigned *parity; /* the parities that struct few_arrays describes, on the device */
    step_bench<FftStep> loop;
    bool is_library; /* whether the prepared variant is cuFFT */
    /* whether the signal is made and the transform is checked on the device (fft/on_device.cuh); then the
     * arrays of the host are NULL */
    bool on_device;
    unsigned long long seed;
} bench;

/* the most values that the host transforms for comparison */
#define MOST_ON_HOST (1 << 22)

static struct {
    int direction, algorithm;
} settings;

/* The ids of the variants that are not step loops. The ids below SYNC_METHODS are the methods' ids, and
 * belong to the step loops. */
enum { CUFFT = SYNC_METHODS, DATAFLOW, FASTEST, COPY };
static const struct variant beyond_steps[] = {
    VARIANT(CUFFT, "cufft", "cuFFT, for comparison; forward", .ordered = true,
            .special = "a GPU, and cuFFT when it was built"),
    VARIANT(DATAFLOW, "dataflow", "no barrier: a block waits only for the values that it needs",
            .ordered = true, .resident = true, .capability = 30, .special = "--algorithm few-barriers"),
    VARIANT(FASTEST, "fastest", "dataflow up to 2^20 values, the counter's one or two barriers from there on",
            .ordered = true, .resident = true, .capability = 30, .special = "--algorithm few-barriers"),
    VARIANT(COPY, "copy", "a copy of the values: what an FFT takes at least where memory decides",
            .ordered = true, .unchecked = true, .special = "a GPU, whose memory it measures")};

/* Returns the id of the variant that runs for v. This is v's own id, except for `fastest`, which stands for
 * two variants: dataflow up to 2^20 values, and one barrier above, because a barrier takes less time than
 * waiting for that many single values (docs/experiments.md has the times by size). */
static int doing(const struct variant *v, long long size)
{
    if (v->id != FASTEST)
        return v->id;
    return size <= 1 << 20 ? (int)DATAFLOW : (int)SYNC_COUNTER;
}

template <class Shape>
static step_bench<typename step_of_shape<Shape>::type> few;

/* Returns how many blocks of a kernel without any barrier can be resident on a multiprocessor; the FFT in
 * three passes has no such kernel. */
template <class Shape>
static int resident_by_dataflow(unsigned threads)
{
    if constexpr (Shape::STEPS > 2)
        return 1;
    else
        return resident_blocks_per_sm(fft_by_dataflow<Shape>, threads, Shape::SHARED_BYTES);
}

static bool has_few_barriers(void)
{
    return settings.algorithm == 1;
}

static unsigned few_threads(long long size)
{
    unsigned threads = 0;
    if (!has_few_barriers())
        return 0;
    with_few_shape(log_2(size), [&](auto shape) { threads = decltype(shape)::THREADS; });
    return threads;
}

static int resident_blocks(const struct variant *v, unsigned threads, long long size, int sm_count)
{
    int blocks = 0;
    if (!has_few_barriers())
        return step_resident_blocks<FftStep>(v, threads, size, sm_count);
    with_few_shape(log_2(size), [&](auto shape) {
        typedef decltype(shape) Shape;
        if (doing(v, size) == DATAFLOW)
            blocks = sm_count * resident_by_dataflow<Shape>(threads);
        else
            blocks = steps_resident_blocks<typename step_of_shape<Shape>::type>(
                (sync_id)doing(v, size), threads, Shape::SHARED_BYTES, sm_count);
    });
    return blocks;
}

/* Returns the number of blocks with which `fastest` transforms: one on each multiprocessor, which was
 * measured to be best on an H200 and an H100. On the memory machine --blocks decides it, as for other
 * variants. */
static unsigned blocks_of(const struct variant *v, long long size, int sm_count)
{
    if (v->id != FASTEST || device_is_machine())
        return 0;
    int resident = resident_blocks(v, few_threads(size), size, sm_count);
    return (unsigned)(resident < sm_count ? resident : sm_count);
}

static few_arrays arrays_of_few(void)
{
    return {bench.input, bench.work[0], bench.work[1], bench.parity, bench.inverse};
}

/* The FFT in three passes synchronises twice in a launch, and its kernel, which all methods share, begins a
 * barrier anew each time. The barriers with kernels of their own allow that; others keep state. */
static void need_stateless(const struct variant *v)
{
    bool own = sync_methods[v->id].way != ONE_LAUNCH;
    with_barrier((sync_id)v->id, [&](auto barrier) { own |= has_own_kernel<decltype(barrier)>; });
    if (!own)
        cannot_measure("%s transforms up to 2^%d values here", v->name, MOST_IN_TWO_PASSES);
}

static void prepare_few(const struct point *p)
{
    struct point barrier = *p;
    barrier.variant = &sync_variants[doing(p->variant, p->size)];
    with_few_shape(bench.steps, [&](auto shape) {
        typedef decltype(shape) Shape;
        typedef step_of_shape<Shape> steps;
        if (Shape::STEPS > 2)
            need_stateless(barrier.variant);
        few<Shape>.prepare(&barrier, steps::make(arrays_of_few()), Shape::STEPS, Shape::SHARED_BYTES);
    });
}

static void run_few(const struct point *p)
{
    with_few_shape(bench.steps, [&](auto shape) {
        typedef decltype(shape) Shape;
        launch_shape how = {p->blocks, p->threads, Shape::SHARED_BYTES, false, runs_begin_early()};
        if constexpr (Shape::STEPS <= 2)
            if (doing(p->variant, p->size) == DATAFLOW) {
                CHECK(launch(fft_by_dataflow<Shape>, how, harness_stream(), arrays_of_few()));
                return;
            }
        steps_run(few<Shape>.plan);
    });
}

static size_t bytes(void)
{
    return bench.n * sizeof(float2);
}

static void reference(void)
{
    if (bench.on_device)
        return;
    fft_sequential(bench.host_input, bench.expected, bench.n, bench.host_twiddles, bench.inverse);
}

static long long open_problem(const char *file, long long size, unsigned long long seed)
{
    bench.inverse = settings.direction == 1;
    if (file)
        bench.host_input = read_signal(file, &size);
    if (size < 2 || size > 1 << 28 || (size & (size - 1)))
        fail(EXIT_BAD_INPUT, "%s%ssize %lld: an FFT needs a power of two from 2 to 2^28 values",
             file ? file : "", file ? ": " : "", size);
    if (has_few_barriers() && (log_2(size) < FEW_LEAST || log_2(size) > FEW_MOST))
        fail(EXIT_BAD_INPUT, "size %lld: few-barriers transforms 2^%d to 2^%d values", size, FEW_LEAST,
             FEW_MOST);
    bench.on_device = !file && !device_is_machine() && size > MOST_ON_HOST;
    bench.seed = seed;
    if (!file && !bench.on_device)
        bench.host_input = generate_signal((size_t)size, seed);
    bench.n = (unsigned)size;
    while (1u << bench.steps < bench.n)
        bench.steps++;
    allocate_on_device(bench.input, bytes());
    allocate_on_device(bench.work[0], bytes());
    allocate_on_device(bench.work[1], bytes());
    if (bench.on_device) {
        look_at_all(make_signal{bench.input, seed}, bench.n);
    } else {
        bench.host_output = (float *)allocate(bytes());
        bench.expected = (float *)allocate(bytes());
        CHECK(cudaMemcpy(bench.input, bench.host_input, bytes(), cudaMemcpyHostToDevice));
    }
    if (bench.on_device && has_few_barriers())
        return size; /* neither the kernels nor the check need a table of twiddles */
    allocate_on_device(bench.twiddles, bytes() / 2);
    bench.host_twiddles = make_twiddles(bench.n);
    CHECK(cudaMemcpy(bench.twiddles, bench.host_twiddles, bytes() / 2, cudaMemcpyHostToDevice));
    return size;
}

/* The signal, two arrays to work with, twiddles, and what cuFFT needs: as much as the signal. */
static size_t bytes_of_problem(long long size)
{
    return (size_t)size * 5 * sizeof(float2) + ((size_t)1 << 28);
}

static void close_problem(void)
{
    CHECK(cudaFree(bench.input));
    CHECK(cudaFree(bench.work[0]));
    CHECK(cudaFree(bench.work[1]));
    CHECK(cudaFree(bench.twiddles));
    free(bench.host_input);
    free(bench.host_output);
    free(bench.expected);
    free(bench.host_twiddles);
    bench = {};
}

/* ---- the library ---- */

static bool is_cufft(const struct point *p)
{
    return p->variant->id == CUFFT;
}

static float2 *output_array(void)
{
    return bench.work[has_few_barriers() ? 1 : (bench.steps - 1) & 1];
}

#ifdef GPUSYNC_CUFFT

static cufftHandle library_plan;

static void check_cufft(cufftResult result)
{
    char reason[REASON_BYTES];
    snprintf(reason, sizeof reason, "its error %d", (int)result);
    need_library("cuFFT", result == CUFFT_SUCCESS, reason);
}

static void prepare_cufft(void)
{
    check_cufft(cufftPlan1d(&library_plan, (int)bench.n, CUFFT_C2C, 1));
    check_cufft(cufftSetStream(library_plan, harness_stream()));
}
static void run_cufft(void)
{
    check_cufft(cufftExecC2C(library_plan, bench.input, output_array(), CUFFT_FORWARD));
}
static void release_cufft(void)
{
    check_cufft(cufftDestroy(library_plan));
}

static bool has_cufft(void)
{
    return settings.direction == 0;
}

#else

static void prepare_cufft(void) {}
static void run_cufft(void) {}
static void release_cufft(void) {}
static bool has_cufft(void)
{
    return false;
}

#endif

static bool can_do(const struct variant *v)
{
    if (v->id == COPY)
        return !device_is_machine();
    return v->id == CUFFT ? has_cufft() : v->id < SYNC_METHODS || has_few_barriers();
}

/* ---- a point ---- */

static void prepare(const struct point *p)
{
    CHECK(cudaMemset(bench.work[0], 0xff, bytes()));
    CHECK(cudaMemset(bench.work[1], 0xff, bytes()));
    bench.is_library = is_cufft(p);
    if (bench.is_library)
        return prepare_cufft();
    if (p->variant->id == COPY)
        return;
    if (doing(p->variant, p->size) == DATAFLOW) {
        if (p->size > 1 << MOST_IN_TWO_PASSES)
            cannot_measure("dataflow transforms up to 2^%d values", MOST_IN_TWO_PASSES);
        allocate_on_device(bench.parity, (size_t)p->blocks * sizeof *bench.parity);
        CHECK(cudaMemset(bench.parity, 0, (size_t)p->blocks * sizeof *bench.parity));
        return;
    }
    if (has_few_barriers())
        return prepare_few(p);
    FftStep step = {bench.input,
                    bench.twiddles,
                    {bench.work[0], bench.work[1]},
                    bench.n,
                    bench.steps,
                    bench.inverse ? -1.0f : 1.0f,
                    bench.inverse ? 1.0f / (float)bench.n : 1.0f};
    bench.loop.prepare(p, step, bench.steps);
}

static void run(const struct point *p)
{
    if (is_cufft(p))
        run_cufft();
    else if (p->variant->id == COPY)
        CHECK(cudaMemcpyAsync(output_array(), bench.input, bytes(), cudaMemcpyDeviceToDevice,
                              harness_stream()));
    else if (has_few_barriers())
        run_few(p);
    else
        steps_run(bench.loop.plan);
}

static void release(void)
{
    CHECK(cudaFree(bench.parity));
    bench.parity = NULL;
    if (bench.is_library)
        release_cufft();
    else if (has_few_barriers())
        with_few_shape(bench.steps, [](auto shape) { few<decltype(shape)>.release(); });
    else
        bench.loop.release();
}

/* Compares the transform with the sequential one. It is right if its relative L2 distance from it is below
 * 1e-6 log2 N. Single values are counted as wrong if they differ by more than 1e-5 of the largest value. */
static struct verdict check(const struct point *)
{
    struct verdict verdict = {true, 0, bench.n};
    if (bench.on_device) {
        verdict.wrong = wrong_transforms(bench.input, output_array(), bench.steps, bench.inverse, bench.seed);
        verdict.compared = OUTPUTS_SELECTED + 2;
        verdict.correct = verdict.wrong == 0;
        return verdict;
    }
    CHECK(cudaMemcpy(bench.host_output, output_array(), bytes(), cudaMemcpyDeviceToHost));
    verdict.correct = relative_distance(bench.host_output, bench.expected, bench.n) < 1e-6 * bench.steps;
    float largest = 0;
    for (size_t i = 0; i < 2 * (size_t)bench.n; i++)
        largest = fabsf(bench.expected[i]) > largest ? fabsf(bench.expected[i]) : largest;
    for (size_t i = 0; i < 2 * (size_t)bench.n; i++)
        verdict.wrong += !(fabsf(bench.host_output[i] - bench.expected[i]) <= 1e-5f * largest);
    return verdict;
}

static void write_answers(FILE *file)
{
    if (bench.on_device) {
        bench.host_output = (float *)allocate(bytes());
        CHECK(cudaMemcpy(bench.host_output, output_array(), bytes(), cudaMemcpyDeviceToHost));
    }
    for (size_t i = 0; i < bench.n; i++)
        fprintf(file, "%.9g %.9g\n", (double)bench.host_output[2 * i], (double)bench.host_output[2 * i + 1]);
}

static double operations(const struct point *)
{
    double steps = bench.steps;
    if (has_few_barriers())
        with_few_shape(bench.steps, [&](auto shape) { steps = decltype(shape)::STEPS; });
    return steps;
}

int main(int argc, char **argv)
{
    static const struct extra_option options[] = {
        OPTION_OF_CHOICE("direction", "forward,inverse", "forward", &settings.direction,
                         "forward or inverse"),
        OPTION_OF_CHOICE("algorithm", "stockham,few-barriers", "stockham", &settings.algorithm,
                         "stockham (a barrier between each two of log2 N steps) or few-barriers"),
        {}};
    struct experiment e = {
        .name = "fft",
        .question = "the FFT of one sequence under every barrier",
        .begins_early = true,
        .any_warp_size = true,
        .can_do = can_do,
        .options = options,
        .size_means = "values, a power of two",
        .gpu_sizes = "262144",
        .machine_sizes = "32768",
        .launches = {.threads = "448", /* the number of threads of Xiao and Feng 2010 */
                     .resident_blocks = resident_blocks,
                     .threads_of = few_threads,
                     .blocks_of = blocks_of},
        .problem = {open_problem, close_problem, reference, reference, write_answers, bytes_of_problem,
                    &bench.on_device},
    };
    make_step_experiment(&e, beyond_steps, 4);
    return run_experiment(argc, argv, e);
}
