/*
 * The pair hidden Markov model of GATK's HaplotypeCaller: how likely is a read, given a haplotype? There are
 * many small pairs. PH1 and PH2 of Wang, Xie and Cong 2017 (sections III to V, Figure 9b) give each block one
 * pair, with shared memory (PH1) or shuffles (PH2) between threads; our own kernel has several pairs for each
 * warp. NAME+copies includes the time of the copies to and from the device, as the paper does.
 *
 *     build/gpu/pairhmm --size 25600
 *     build/gpu/pairhmm --size 189 --batches 100
 *     build/gpu/pairhmm --input pairs.txt --variant shuffle --output likelihoods.txt
 */
#include "harness/batches.h"
#include "harness/check.h"
#include "harness/device.h"
#include "harness/experiment.h"
#include "harness/kernel_facts.cuh"
#include "harness/memory.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "pairhmm/blocked.cuh"
#include "pairhmm/plan.h"
#include "pairhmm/pools.h"
#include "pairhmm/reference.h"
#include "pairhmm/shared.cuh"
#include "pairhmm/shuffle.cuh"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LONG_BLOCKS_PER_SM 16
#define COPYING_WARPS 64

static struct {
    struct pairhmm_tasks tasks;
    pairhmm_plan plan; /* the plan of the variant that is prepared */
    pairhmm_pools pools;
    double *expected; /* the expected likelihoods, in input order */
    Cell<double> *borders;
    redo_counts *redo;
    arrival_counts *arrivals;
    int border_pitch, sm_count;
    bool in_double;
    const struct variant *variant;
} bench;

/* ---- the problem ---- */

static struct {
    int batches, precision;
    const char *lengths;
} settings;

static void get_tasks(const char *file, long long size, unsigned long long seed)
{
    struct length_range reads, haplotypes;
    read_length_ranges(settings.lengths, 100000, &reads, &haplotypes);
    if (file)
        pairhmm_read_tasks(file, &bench.tasks);
    else
        pairhmm_generate_tasks((size_t)size, (size_t)settings.batches, reads, haplotypes, seed, &bench.tasks);
}

static void expect(size_t p)
{
    bench.expected[p] = pairhmm_sequential(&bench.tasks, &bench.tasks.pairs[p]);
}

static void reference(void)
{
    parallel_for(bench.tasks.pair_count, expect);
}

static long long open_problem(const char *file, long long size, unsigned long long seed)
{
    struct pairhmm_tasks *t = &bench.tasks;
    bench.in_double = settings.precision == 1;
    get_tasks(file, size, seed);
    bench.expected = (double *)allocate(t->pair_count * sizeof *bench.expected);
    pools_open(t, &bench.pools);
    return file ? (long long)t->pair_count : size;
}

static void close_problem(void)
{
    pools_close(&bench.pools);
    free(bench.expected);
    pairhmm_free_plan(&bench.plan);
    pairhmm_free_tasks(&bench.tasks);
}

/* ---- a point ---- */

static bool is_blocked(void)
{
    return bench.variant->id & BATCH_BLOCKED;
}

static bool copies(void)
{
    return bench.variant->id & BATCH_COPIES;
}

/* Returns the largest number of rows for each lane with which the tables of BLOCKED_BLOCKS_PER_SM blocks fit
 * into a multiprocessor's shared memory. */
static unsigned most_blocked_rows(void)
{
    int device, bytes;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
    unsigned rows = BLOCKED_MOST_4;
    while (rows &&
           BLOCKED_BLOCKS_PER_SM * (blocked_shared_bytes(blocked_entries(rows)) + 1024) > (size_t)bytes)
        rows--;
    return rows;
}

static struct pairhmm_plan make_plan(void)
{
    struct pairhmm_plan plan;
    struct pairhmm_manner manner = {0, bench.sm_count, copies()};
    if (is_blocked() && !bench.in_double)
        manner.most_rows = most_blocked_rows();
    pairhmm_make_plan(&bench.tasks, manner, &plan);
    return plan;
}

/* Returns whether one launch does all parts of the plan. If a run includes the copies, this launch itself
 * copies the input, and writes its results to memory that the host reads. */
static bool runs_at_once(void)
{
    return is_blocked() && !bench.in_double;
}

/* Returns parts first..end - 1 of the plan as one part. This is possible because their ranges of pairs and of
 * warps follow each other. */
static struct pairhmm_part joined(const struct pairhmm_plan *plan, size_t first, size_t end)
{
    struct pairhmm_part all = plan->parts[first];
    for (const struct pairhmm_part *p = &plan->parts[first + 1]; p < &plan->parts[end]; p++) {
        all.range.pairs += p->range.pairs;
        all.warps += p->warps;
        all.entries = p->entries > all.entries ? p->entries : all.entries;
    }
    return all;
}

template <class T>
struct Kernel {
    void (*call)(PairhmmInput<T>);
    unsigned threads;
    size_t shared_bytes;
};

template <class T>
static Kernel<T> kernel_of(int class_number)
{
    static const Kernel<T> shuffle[] = {{pairhmm_shuffle<T, 1, false>, 32, 0},
                                        {pairhmm_shuffle<T, 2, false>, 32, 0},
                                        {pairhmm_shuffle<T, 3, false>, 32, 0},
                                        {pairhmm_shuffle<T, 4, false>, 32, 0},
                                        {pairhmm_shuffle<T, 4, true>, 32, 0}};
    static const Kernel<T> shared[] = {
        {pairhmm_shared<T, 32, false>, SHARED_THREADS, sizeof(LineBuffers<T, 32>)},
        {pairhmm_shared<T, 64, false>, SHARED_THREADS, sizeof(LineBuffers<T, 64>)},
        {pairhmm_shared<T, 96, false>, SHARED_THREADS, sizeof(LineBuffers<T, 96>)},
        {pairhmm_shared<T, 128, false>, SHARED_THREADS, sizeof(LineBuffers<T, 128>)},
        {pairhmm_shared<T, 128, true>, SHARED_THREADS, sizeof(LineBuffers<T, 128>)}};
    return (bench.variant->id & (BATCH_SHUFFLE | BATCH_BLOCKED) ? shuffle : shared)[class_number];
}

static unsigned blocked_blocks(const struct pairhmm_part *part)
{
    return (unsigned)(part->warps + BLOCKED_WARPS - 1) / BLOCKED_WARPS;
}

static void shape(struct point *p, int sm_count)
{
    bench.sm_count = sm_count;
    bench.variant = p->variant;
    struct pairhmm_plan plan = make_plan();
    struct pairhmm_part all = joined(&plan, 0, runs_at_once() ? plan.part_count : 1);
    p->threads = all.warps ? 32 * BLOCKED_WARPS : kernel_of<float>(0).threads;
    p->blocks = all.warps ? blocked_blocks(&all) : (unsigned)all.range.pairs;
    pairhmm_free_plan(&plan);
}

static unsigned most_long_blocks(void)
{
    return (unsigned)(bench.sm_count * LONG_BLOCKS_PER_SM);
}

static void prepare(const struct point *p)
{
    bench.variant = p->variant;
    /* The preceding point's plan is freed only here, because that point's answers are written after its
     * runs. */
    pairhmm_free_plan(&bench.plan);
    bench.plan = make_plan();
    bench.border_pitch = 0;
    for (size_t i = 0; i < bench.tasks.pair_count; i++)
        if (bench.tasks.pairs[i].haplotype_length >= bench.border_pitch)
            bench.border_pitch = bench.tasks.pairs[i].haplotype_length + 1;
    allocate_on_device(bench.borders,
                       (size_t)most_long_blocks() * (size_t)bench.border_pitch * sizeof *bench.borders);
    allocate_on_device(bench.redo, sizeof *bench.redo);
    CHECK(cudaMemset(bench.redo, 0, sizeof *bench.redo));
    allocate_on_device(bench.arrivals, sizeof *bench.arrivals);
    pools_arrange(&bench.pools, &bench.tasks, &bench.plan, copies());
}

static void release(void)
{
    CHECK(cudaFree(bench.borders));
    CHECK(cudaFree(bench.redo));
    CHECK(cudaFree(bench.arrivals));
}

/* ---- a run ---- */

static double *results(void)
{
    return runs_at_once() && copies() ? bench.pools.host.results : bench.pools.device.results;
}

template <class T>
static PairhmmInput<T> make_input(const T *phred)
{
    return {bench.pools.device.reads,
            bench.pools.device.haplotypes,
            bench.pools.device.pairs,
            phred,
            0,
            0,
            false,
            results(),
            bench.redo,
            bench.pools.redo,
            (Cell<T> *)bench.borders,
            bench.border_pitch};
}

static const float *phred_float(void)
{
    return bench.pools.ratios + BLOCKED_RATIO_1;
}

template <class T>
static void launch_class(PairhmmInput<T> q, int class_number, unsigned first, unsigned count)
{
    Kernel<T> kernel = kernel_of<T>(class_number);
    q.first = first;
    q.count = count;
    unsigned blocks = class_number == LONG_CLASS && count > most_long_blocks() ? most_long_blocks() : count;
    launch_shape shape = {blocks, kernel.threads, kernel.shared_bytes, false,
                          q.again && device_has_programmatic_launch()};
    CHECK(launch(kernel.call, shape, harness_stream(), q));
}

template <class T>
static void launch_classes(const struct pairhmm_part *part, const T *phred)
{
    const unsigned *starts = part->starts;
    for (int k = 0; k <= LONG_CLASS; k++)
        if (starts[k + 1] > starts[k])
            launch_class(make_input(phred), k, starts[k], starts[k + 1] - starts[k]);
    if (starts[PAIRHMM_CLASSES] > starts[DOUBLE_CLASS])
        launch_class(make_input(bench.pools.phred), LONG_CLASS, starts[DOUBLE_CLASS],
                     starts[PAIRHMM_CLASSES] - starts[DOUBLE_CLASS]);
}

/* Launches the blocked kernel for all of its classes in a part at once. */
static void launch_blocked(const struct pairhmm_part *part, const Arrivals &arrivals)
{
    BlockedInput in = {make_input(phred_float()),
                       bench.pools.device.warps + part->first_warp,
                       (unsigned)part->warps,
                       part->entries,
                       bench.plan.gcp,
                       arrivals};
    launch_shape shape = {blocked_blocks(part), 32 * BLOCKED_WARPS, blocked_shared_bytes(in.entries), false,
                          false};
    CHECK(launch(pairhmm_blocked, shape, harness_stream(), in));
}

/* Computes again, in double, the pairs whose float results were too low; there are at most `pairs` such
 * pairs. */
static void launch_again(size_t pairs)
{
    PairhmmInput<double> q = make_input(bench.pools.phred);
    q.again = true;
    launch_class(q, LONG_CLASS, 0, (unsigned)pairs);
}

static void run_part(size_t number)
{
    const struct pairhmm_part *part = &bench.plan.parts[number];
    if (copies())
        pools_copy_in(&bench.pools, part, harness_stream());
    if (bench.in_double)
        launch_classes(part, bench.pools.phred);
    else {
        launch_classes(part, phred_float());
        launch_again(part->range.pairs);
    }
    if (copies())
        pools_copy_out(&bench.pools, part, harness_stream());
}

/* Returns the number of warps that copy input: at most as many as there are resident blocks, because these
 * warps wait for each other. */
static unsigned copiers_among(const struct pairhmm_part *all)
{
    unsigned blocks = blocked_blocks(all),
             resident =
                 (unsigned)(bench.sm_count * resident_blocks_per_sm(pairhmm_blocked, 32 * BLOCKED_WARPS,
                                                                    blocked_shared_bytes(all->entries)));
    blocks = blocks < resident ? blocks : resident;
    return blocks < COPYING_WARPS ? blocks : COPYING_WARPS;
}

/* Returns how the input of a part arrives: in chunks, each of which is for the same number of warps. The last
 * chunk also has the input of pairs that the blocked kernel does not take. */
static Arrivals arrivals_of(const struct pairhmm_part *all)
{
    unsigned first[POOL_ARRAYS], end[POOL_ARRAYS];
    Arrivals arrivals = {0, copiers_among(all), bench.arrivals};
    pools_arrays(&bench.pools.host, (void **)arrivals.from);
    pools_arrays(&bench.pools.device, (void **)arrivals.to);
    pools_vectors_before(&bench.pools, all->range.first, all->first_warp, first);
    for (unsigned i = 0; i < POOL_ARRAYS; i++)
        /* a part that begins within a vector needs this whole vector */
        first[i] -= first[i] > 0;
    size_t most = ARRIVING_CHUNKS, chunks = all->warps < most ? all->warps : most;
    for (size_t chunk = 1; chunk <= chunks; chunk++) {
        size_t warp = all->first_warp + all->warps * chunk / chunks;
        const struct blocked_warp *last = &bench.plan.warps[warp - 1];
        size_t place = chunk < chunks ? last->first + last->count : all->range.first + all->range.pairs;
        pools_vectors_before(&bench.pools, place, warp, end);
        arrivals.add(first, end, (unsigned)(warp - all->first_warp));
        memcpy(first, end, sizeof first);
    }
    return arrivals;
}

/* Runs parts first..end - 1 of the plan: launches the blocked kernel once for all of them, and then the other
 * kernels for each part. If no warp of the blocked kernel has work, this kernel, whose warps would copy the
 * input, is not launched; then each part's input is copied before the part's other kernels. */
static void run_at_once(size_t first, size_t end)
{
    struct pairhmm_part all = joined(&bench.plan, first, end);
    if (all.warps && copies())
        CHECK(cudaMemsetAsync(bench.arrivals, 0, sizeof *bench.arrivals, harness_stream()));
    if (all.warps)
        launch_blocked(&all, copies() ? arrivals_of(&all) : Arrivals());
    for (size_t p = first; p < end; p++) {
        if (!all.warps && copies())
            pools_copy_in(&bench.pools, &bench.plan.parts[p], harness_stream());
        launch_classes(&bench.plan.parts[p], phred_float());
    }
    launch_again(all.range.pairs);
}

static void run_parts(size_t first, size_t end)
{
    if (runs_at_once())
        run_at_once(first, end);
    else
        for (size_t p = first; p < end; p++)
            run_part(p);
}

static void run_batch(size_t number)
{
    run_parts(number, number + 1);
}

static void run(const struct point *)
{
    run_parts(0, bench.plan.part_count);
}

static struct verdict check(const struct point *)
{
    struct verdict verdict = {true, 0, bench.tasks.pair_count};
    double tolerance = bench.in_double ? 1e-9 : FLOAT_TOLERANCE;
    if (!copies())
        CHECK(cudaMemcpy(bench.pools.host.results, bench.pools.device.results,
                         bench.tasks.pair_count * sizeof(double), cudaMemcpyDeviceToHost));
    for (size_t p = 0; p < bench.tasks.pair_count; p++) {
        double result = bench.pools.host.results[bench.plan.place[p]], expected = bench.expected[p];
        /* if a likelihood is too low for double, both numbers may be minus infinity */
        bool equal = result == expected;
        verdict.wrong += !(equal || fabs(result - expected) <= tolerance);
    }
    verdict.correct = verdict.wrong == 0;
    return verdict;
}

static void write_answers(FILE *file)
{
    for (size_t p = 0; p < bench.tasks.pair_count; p++)
        fprintf(file, "%.14g\n", bench.pools.host.results[bench.plan.place[p]]);
}

static double cells_of(size_t number)
{
    const struct pairhmm_batch *b = &bench.tasks.batches[number];
    double cells = 0;
    for (size_t p = b->first; p < b->first + b->pairs; p++)
        cells += (double)bench.tasks.pairs[p].read_length * bench.tasks.pairs[p].haplotype_length;
    return cells;
}

/* Returns the number of cells; M, I and D of a place are one cell, as in Wang, Xie and Cong 2017. */
static double operations(const struct point *)
{
    return cells_of_batches(bench.tasks.batch_count, cells_of);
}

/* Returns the number of the length class that has the most pairs. */
static int main_class(void)
{
    size_t pairs[PAIRHMM_CLASSES] = {0};
    int most = 0;
    for (size_t p = 0; p < bench.plan.part_count; p++)
        for (int c = 0; c < PAIRHMM_CLASSES; c++)
            pairs[c] += bench.plan.parts[p].starts[c + 1] - bench.plan.parts[p].starts[c];
    for (int c = 1; c < PAIRHMM_CLASSES; c++)
        most = pairs[c] > pairs[most] ? c : most;
    return most < LONG_CLASS ? most : LONG_CLASS;
}

template <class T>
static void describe_kernel(cJSON *json)
{
    Kernel<T> kernel = kernel_of<T>(main_class());
    add_kernel_facts(json, kernel.call, kernel.threads, kernel.shared_bytes,
                     bench.variant->id & BATCH_SHUFFLE ? main_class() + 1 : 1);
}

static void describe(const struct point *, cJSON *json)
{
    struct pairhmm_part all = joined(&bench.plan, 0, bench.plan.part_count);
    if (all.warps)
        add_kernel_facts(json, pairhmm_blocked, 32 * BLOCKED_WARPS, blocked_shared_bytes(all.entries),
                         bench.plan.warps[all.warps / 2].class_.rows);
    else if (bench.in_double)
        describe_kernel<double>(json);
    else
        describe_kernel<float>(json);
    describe_batches(json, bench.tasks.batch_count, run_batch, cells_of);
}

int main(int argc, char **argv)
{
    static const struct extra_option options[] = {
        OPTION_OF_NUMBER("batches", 1, 100000, "1", &settings.batches,
                         "how many batches are generated; several have 1 to 2 N - 1 pairs each"),
        OPTION_OF_TEXT("lengths", "50-100x250-350", &settings.lengths,
                       "READSxHAPLOTYPES: ranges of the generated lengths"),
        OPTION_OF_CHOICE("precision", "float,double", "float", &settings.precision,
                         "float (where float is not accurate enough: double) or double"),
        {}};
    struct variant variants[MOST_BATCH_VARIANTS];
    int variant_count =
        make_batch_variants(variants, "PH1: 128 threads, line buffers in shared memory",
                            "PH2: a warp, values in registers and by shuffle",
                            "ours: several pairs a warp, many rows a lane, few operations a cell");
    struct experiment e = {
        .name = "pairhmm",
        .question = "the pair hidden Markov model: what do shuffles gain over shared memory?",
        .family = FAMILY_BATCHES,
        .variants = variants,
        .variant_count = variant_count,
        .left_out = batch_variants_left_out(),
        .can_do = can_do_batch_variant,
        .options = options,
        .size_means = "pairs of a read and a haplotype in a generated batch",
        .gpu_sizes = "100,200,400,800,1600,3200,6400,12800,25600",
        .machine_sizes = "4",
        .gpu_runs = 3,
        .launches = {.shape = shape},
        .problem = {open_problem, close_problem, reference, NULL, write_answers},
        .describe = describe,
    };
    return run_experiment(argc, argv, e);
}
