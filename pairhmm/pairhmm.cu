/*
 * The pair hidden Markov model of GATK's HaplotypeCaller: how likely is a read, given a haplotype?
 * Many small pairs, a block each, with shared memory (PH1) or shuffles (PH2) between threads (Wang,
 * Xie and Cong 2017, sections III to V, Figure 9b). NAME+copies counts the copies to and from the
 * device, as the paper does.
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
#include "pairhmm/reference.h"
#include "pairhmm/shared.cuh"
#include "pairhmm/shuffle.cuh"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Length classes: reads of up to 32, 64, 96 and 128 letters, longer ones, and those for which float is too coarse. */
#define CLASSES 6
#define LONG_CLASS 4
#define DOUBLE_CLASS 5
#define LONG_BLOCKS_PER_SM 16
#define FLOAT_TOLERANCE 1e-5 /* in log10, as GATK's own tests ask of float */

static int class_of(const struct pairhmm_tasks *tasks, const pairhmm_pair *pair)
{
    int class_number = (pair->read_length - 1) / 32;
    if (class_number < LONG_CLASS)
        return class_number;
    return pairhmm_float_error(tasks, pair) < FLOAT_TOLERANCE ? LONG_CLASS : DOUBLE_CLASS;
}

/* A batch's pairs of each class stand together, from starts[c] to starts[c + 1]. */
struct class_starts {
    unsigned starts[CLASSES + 1];
};

/* What is copied to the device and back: in memory that the device can reach, and on the device. */
struct copies {
    read_letter *reads;
    unsigned char *haplotypes;
    pairhmm_pair *pairs;
    double *results;
};

static struct {
    struct pairhmm_tasks tasks;
    class_starts *classes; /* of each batch */
    size_t *place;         /* where a pair of the input stands in copies.pairs */
    double *expected;      /* in input order */
    copies host, device;
    float *phred_float;
    double *phred_double;
    unsigned *redo; /* its count, then the pairs */
    Cell<double> *borders;
    int border_pitch, sm_count;
    bool in_double;
    const struct variant *variant;
} bench;

/* ---- the problem ---- */

/* Stable: pairs of one class keep their order. */
static void sort_into_classes(size_t number)
{
    const struct pairhmm_batch *b = &bench.tasks.batches[number];
    class_starts *classes = &bench.classes[number];
    unsigned at = (unsigned)b->first;
    for (int c = 0; c < CLASSES; c++) {
        classes->starts[c] = at;
        for (size_t p = b->first; p < b->first + b->pairs; p++)
            if (class_of(&bench.tasks, &bench.tasks.pairs[p]) == c) {
                bench.place[p] = at;
                bench.host.pairs[at++] = bench.tasks.pairs[p];
            }
    }
    classes->starts[CLASSES] = at;
}

static void make_room(size_t letters, size_t haplotype_letters, size_t pairs)
{
    allocate_pinned(bench.host.reads, letters * sizeof(read_letter));
    allocate_pinned(bench.host.haplotypes, haplotype_letters);
    allocate_pinned(bench.host.pairs, pairs * sizeof(pairhmm_pair));
    allocate_pinned(bench.host.results, pairs * sizeof(double));
    allocate_on_device(bench.device.reads, letters * sizeof(read_letter));
    allocate_on_device(bench.device.haplotypes, haplotype_letters);
    allocate_on_device(bench.device.pairs, pairs * sizeof(pairhmm_pair));
    allocate_on_device(bench.device.results, pairs * sizeof(double));
    allocate_on_device(bench.redo, (pairs + 1) * sizeof *bench.redo);
}

static void make_phred_tables(void)
{
    double table[PHRED_LEVELS];
    float narrow[PHRED_LEVELS];
    pairhmm_phred_table(table);
    for (int q = 0; q < PHRED_LEVELS; q++)
        narrow[q] = (float)table[q];
    allocate_on_device(bench.phred_double, sizeof table);
    allocate_on_device(bench.phred_float, sizeof narrow);
    CHECK(cudaMemcpy(bench.phred_double, table, sizeof table, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(bench.phred_float, narrow, sizeof narrow, cudaMemcpyHostToDevice));
}

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

static void copy_in(const struct pairhmm_batch *b)
{
    cudaStream_t stream = harness_stream();
    CHECK(cudaMemcpyAsync(bench.device.reads + b->read_at, bench.host.reads + b->read_at,
                          b->read_letters * sizeof(read_letter), cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyAsync(bench.device.haplotypes + b->haplotype_at, bench.host.haplotypes + b->haplotype_at,
                          b->haplotype_letters, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyAsync(bench.device.pairs + b->first, bench.host.pairs + b->first,
                          b->pairs * sizeof(pairhmm_pair), cudaMemcpyHostToDevice, stream));
}

static void copy_out(const struct pairhmm_batch *b)
{
    CHECK(cudaMemcpyAsync(bench.host.results + b->first, bench.device.results + b->first,
                          b->pairs * sizeof(double), cudaMemcpyDeviceToHost, harness_stream()));
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
    bench.classes = (class_starts *)allocate(t->batch_count * sizeof *bench.classes);
    bench.place = (size_t *)allocate(t->pair_count * sizeof *bench.place);
    bench.expected = (double *)allocate(t->pair_count * sizeof *bench.expected);
    make_room(t->read_letters, t->haplotype_letters, t->pair_count);
    make_phred_tables();
    memcpy(bench.host.reads, t->reads, t->read_letters * sizeof(read_letter));
    memcpy(bench.host.haplotypes, t->haplotypes, t->haplotype_letters);
    for (size_t b = 0; b < t->batch_count; b++)
        sort_into_classes(b);
    return file ? (long long)t->pair_count : size;
}

static void close_problem(void)
{
    CHECK(cudaFreeHost(bench.host.reads));
    CHECK(cudaFreeHost(bench.host.haplotypes));
    CHECK(cudaFreeHost(bench.host.pairs));
    CHECK(cudaFreeHost(bench.host.results));
    CHECK(cudaFree(bench.device.reads));
    CHECK(cudaFree(bench.device.haplotypes));
    CHECK(cudaFree(bench.device.pairs));
    CHECK(cudaFree(bench.device.results));
    CHECK(cudaFree(bench.redo));
    CHECK(cudaFree(bench.phred_float));
    CHECK(cudaFree(bench.phred_double));
    free(bench.classes);
    free(bench.place);
    free(bench.expected);
    pairhmm_free_tasks(&bench.tasks);
}

/* ---- a point ---- */

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
    return (bench.variant->id & BATCH_SHUFFLE ? shuffle : shared)[class_number];
}

static void shape(struct point *p, int sm_count)
{
    bench.sm_count = sm_count;
    bench.variant = p->variant;
    p->threads = kernel_of<float>(0).threads;
    p->blocks = (unsigned)bench.tasks.batches[0].pairs;
}

static unsigned most_long_blocks(void)
{
    return (unsigned)(bench.sm_count * LONG_BLOCKS_PER_SM);
}

static void prepare(const struct point *p)
{
    bench.variant = p->variant;
    bench.border_pitch = 0;
    for (size_t i = 0; i < bench.tasks.pair_count; i++)
        if (bench.tasks.pairs[i].haplotype_length >= bench.border_pitch)
            bench.border_pitch = bench.tasks.pairs[i].haplotype_length + 1;
    allocate_on_device(bench.borders,
                       most_long_blocks() * (size_t)bench.border_pitch * sizeof *bench.borders);
    for (size_t b = 0; b < bench.tasks.batch_count; b++)
        copy_in(&bench.tasks.batches[b]);
    CHECK(cudaMemset(bench.device.results, 0xff, bench.tasks.pair_count * sizeof(double)));
}

static void release(void)
{
    CHECK(cudaFree(bench.borders));
}

template <class T>
static PairhmmInput<T> make_input(const T *phred)
{
    return {bench.device.reads,
            bench.device.haplotypes,
            bench.device.pairs,
            phred,
            NULL,
            NULL,
            0,
            0,
            bench.device.results,
            bench.redo,
            bench.redo + 1,
            (Cell<T> *)bench.borders,
            bench.border_pitch};
}

template <class T>
static void launch_class(PairhmmInput<T> q, int class_number, unsigned first, unsigned count)
{
    Kernel<T> kernel = kernel_of<T>(class_number);
    q.first = first;
    q.count = count;
    unsigned blocks = class_number == LONG_CLASS && count > most_long_blocks() ? most_long_blocks() : count;
    launch_shape shape = {blocks, kernel.threads, kernel.shared_bytes, false, false};
    CHECK(launch(kernel.call, shape, harness_stream(), q));
}

template <class T>
static void launch_classes(const class_starts *c, const T *phred)
{
    for (int k = 0; k <= LONG_CLASS; k++)
        if (c->starts[k + 1] > c->starts[k])
            launch_class(make_input(phred), k, c->starts[k], c->starts[k + 1] - c->starts[k]);
    if (c->starts[CLASSES] > c->starts[DOUBLE_CLASS])
        launch_class(make_input(bench.phred_double), LONG_CLASS, c->starts[DOUBLE_CLASS],
                     c->starts[CLASSES] - c->starts[DOUBLE_CLASS]);
}

/* The pairs whose float results were too low, in double. */
static void launch_again(const class_starts *c)
{
    PairhmmInput<double> q = make_input(bench.phred_double);
    q.which = bench.redo + 1;
    q.which_count = bench.redo;
    launch_class(q, LONG_CLASS, 0, c->starts[CLASSES] - c->starts[0]);
}

static void run_batch(size_t number)
{
    const struct pairhmm_batch *b = &bench.tasks.batches[number];
    const class_starts *classes = &bench.classes[number];
    if (bench.variant->id & BATCH_COPIES)
        copy_in(b);
    if (bench.in_double)
        launch_classes(classes, bench.phred_double);
    else {
        CHECK(cudaMemsetAsync(bench.redo, 0, sizeof *bench.redo, harness_stream()));
        launch_classes(classes, bench.phred_float);
        launch_again(classes);
    }
    if (bench.variant->id & BATCH_COPIES)
        copy_out(b);
}

static void run(const struct point *)
{
    for (size_t b = 0; b < bench.tasks.batch_count; b++)
        run_batch(b);
}

static struct verdict check(const struct point *)
{
    struct verdict verdict = {true, 0, bench.tasks.pair_count};
    double tolerance = bench.in_double ? 1e-9 : FLOAT_TOLERANCE;
    CHECK(cudaMemcpy(bench.host.results, bench.device.results, bench.tasks.pair_count * sizeof(double),
                     cudaMemcpyDeviceToHost));
    for (size_t p = 0; p < bench.tasks.pair_count; p++) {
        double result = bench.host.results[bench.place[p]], expected = bench.expected[p];
        bool equal = result == expected; /* both may be too low for double: minus infinity */
        verdict.wrong += !(equal || fabs(result - expected) <= tolerance);
    }
    verdict.correct = verdict.wrong == 0;
    return verdict;
}

static void write_answers(FILE *file)
{
    for (size_t p = 0; p < bench.tasks.pair_count; p++)
        fprintf(file, "%.14g\n", bench.host.results[bench.place[p]]);
}

static double cells_of(size_t number)
{
    const struct pairhmm_batch *b = &bench.tasks.batches[number];
    double cells = 0;
    for (size_t p = b->first; p < b->first + b->pairs; p++)
        cells += (double)bench.tasks.pairs[p].read_length * bench.tasks.pairs[p].haplotype_length;
    return cells;
}

/* Three updates, of M, I and D, are one cell, as in the paper. */
static double operations(const struct point *)
{
    return cells_of_batches(bench.tasks.batch_count, cells_of);
}

/* The class whose kernel takes most pairs. */
static int main_class(void)
{
    size_t pairs[CLASSES] = {0};
    int most = 0;
    for (size_t p = 0; p < bench.tasks.pair_count; p++)
        pairs[class_of(&bench.tasks, &bench.tasks.pairs[p])]++;
    for (int c = 1; c < CLASSES; c++)
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
    if (bench.in_double)
        describe_kernel<double>(json);
    else
        describe_kernel<float>(json);
    describe_batches(json, bench.tasks.batch_count, run_batch, cells_of);
}

int main(int argc, char **argv)
{
    static const struct extra_option options[] = {
        {.name = "batches",
         .help = "how many batches are generated; several have 1 to 2 N - 1 pairs each",
         .standard = "1",
         .least = 1,
         .most = 100000,
         .number = &settings.batches},
        {.name = "lengths",
         .help = "READSxHAPLOTYPES: ranges of the generated lengths",
         .standard = "50-100x250-350",
         .text = &settings.lengths},
        {.name = "precision",
         .help = "float (in double: reads of more than 128 letters, and again what is too low) or double",
         .standard = "float",
         .choices = "float,double",
         .number = &settings.precision},
        {}};
    struct variant variants[BATCH_VARIANTS];
    struct experiment e = {};
    make_batch_variants(variants, "PH1: 128 threads, line buffers in shared memory",
                        "PH2: a warp, values in registers and by shuffle");
    e.name = "pairhmm";
    e.family = FAMILY_BATCHES;
    e.question = "the pair hidden Markov model: what do shuffles gain over shared memory?";
    e.variants = variants;
    e.variant_count = BATCH_VARIANTS;
    e.size_means = "pairs of a read and a haplotype in a generated batch";
    e.gpu_sizes = "100,200,400,800,1600,3200,6400,12800,25600";
    e.machine_sizes = "4";
    e.gpu_runs = 3;
    e.options = options;
    e.can_do = can_do_batch_variant;
    e.launches.shape = shape;
    e.problem.open = open_problem;
    e.problem.close = close_problem;
    e.problem.reference = reference;
    e.prepare = prepare;
    e.run = run;
    e.check = check;
    e.release = release;
    e.problem.write_answers = write_answers;
    e.operations = operations;
    e.describe = describe;
    return experiment_main(argc, argv, &e);
}
