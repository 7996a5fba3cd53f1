/*
 * Many short alignments as GATK's HaplotypeCaller asks for them, a block each, with back-trace
 * matrix and CIGARs: through shared memory (SW1) or by shuffles (SW2) (Wang, Xie and Cong 2017,
 * sections III to V, Figures 9a and 10). NAME+copies counts the copies to and from the device, as
 * the paper does.
 *
 *     build/gpu/swat-batch --size 3200
 *     build/gpu/swat-batch --size 4 --batches 200
 *     build/gpu/swat-batch --input tasks.tsv --variant shuffle --output alignments.tsv
 */
#include "harness/batches.h"
#include "harness/check.h"
#include "harness/device.h"
#include "harness/experiment.h"
#include "harness/kernel_facts.cuh"
#include "harness/memory.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "swat/batch_kernels.cuh"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#define TRACE_THREADS 64
#define MOST_LETTERS 100000
#define MOST_CELLS_OF_BATCH (1ull << 31) /* a gigabyte of back-trace */

/* What is copied to the device and back: in memory that the device can reach, and on the device. */
struct copies {
    unsigned char *letters;
    sw_task *tasks;
    sw_found *found;
    unsigned *pool; /* its first word: how many others are in use */
};

static struct {
    struct sw_tasks tasks;
    struct sw_trace *expected, *answers; /* the answers that the last verified run left */
    copies host, device;
    sw_place *places;
    uint32_t *back;
    int *borders;
    size_t pool_words;
    const struct variant *variant;
} bench;

/* ---- the problem ---- */

static struct {
    int batches;
    const char *lengths, *scores, *strategy;
} settings;

static void get_tasks(const char *file, long long size, unsigned long long seed)
{
    struct length_range references, alternates;
    struct sw_scores scores = sw_read_scores(settings.scores);
    enum overhang strategy = sw_read_strategy(settings.strategy);
    read_length_ranges(settings.lengths, MOST_LETTERS, &references, &alternates);
    if (file)
        sw_read_tasks(file, scores, strategy, &bench.tasks);
    else
        sw_generate_tasks((size_t)size, (size_t)settings.batches, references, alternates, scores, strategy,
                          seed, &bench.tasks);
    sw_cut_batches(&bench.tasks, MOST_CELLS_OF_BATCH);
}

/* A task's elements are no more than twice its shorter sequence has letters, and two. */
static size_t most_elements(const sw_task *t)
{
    int shorter = t->reference_length < t->alternate_length ? t->reference_length : t->alternate_length;
    return 2 * (size_t)shorter + 2;
}

/* A batch's memory: places in its back-trace matrices and borders, and words of its pool of elements. */
struct room {
    sw_place end;
    size_t pool;
};

static room room_of_batch(const struct sw_batch *b, sw_place *places)
{
    room r = {{0, 0}, 1};
    for (size_t i = b->first; i < b->first + b->tasks; i++) {
        const sw_task *task = &bench.tasks.tasks[i];
        places[i] = r.end;
        r.end.back += sw_back_words(task->reference_length, task->alternate_length);
        r.end.border += 2 * ((size_t)task->alternate_length + 1);
        r.pool += most_elements(task);
    }
    return r;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* One batch follows the other on the stream, so all use the same memory. */
static void make_room(void)
{
    const struct sw_tasks *t = &bench.tasks;
    sw_place *places = (sw_place *)allocate(t->task_count * sizeof *places), end = {0, 0};
    bench.pool_words = 0;
    for (size_t b = 0; b < t->batch_count; b++) {
        room r = room_of_batch(&t->batches[b], places);
        end = {larger(end.back, r.end.back), larger(end.border, r.end.border)};
        bench.pool_words = larger(bench.pool_words, r.pool);
    }
    allocate_on_device(bench.places, t->task_count * sizeof *places);
    CHECK(cudaMemcpy(bench.places, places, t->task_count * sizeof *places, cudaMemcpyHostToDevice));
    allocate_on_device(bench.back, end.back * sizeof *bench.back);
    allocate_on_device(bench.borders, end.border * sizeof *bench.borders);
    allocate_pinned(bench.host.letters, t->letter_count);
    allocate_pinned(bench.host.tasks, t->task_count * sizeof(sw_task));
    allocate_pinned(bench.host.found, t->task_count * sizeof(sw_found));
    allocate_pinned(bench.host.pool, bench.pool_words * sizeof(unsigned));
    allocate_on_device(bench.device.letters, t->letter_count);
    allocate_on_device(bench.device.tasks, t->task_count * sizeof(sw_task));
    allocate_on_device(bench.device.found, t->task_count * sizeof(sw_found));
    allocate_on_device(bench.device.pool, bench.pool_words * sizeof(unsigned));
    free(places);
}

static void forget(struct sw_trace *traces)
{
    for (size_t i = 0; i < bench.tasks.task_count; i++)
        free(traces[i].elements);
    memset(traces, 0, bench.tasks.task_count * sizeof *traces);
}

static void expect(size_t i)
{
    bench.expected[i] = sw_sequential(&bench.tasks, &bench.tasks.tasks[i]);
}

static void reference(void)
{
    parallel_for(bench.tasks.task_count, expect);
}

static long long open_problem(const char *file, long long size, unsigned long long seed)
{
    struct sw_tasks *t = &bench.tasks;
    get_tasks(file, size, seed);
    make_room();
    memcpy(bench.host.letters, t->letters, t->letter_count);
    memcpy(bench.host.tasks, t->tasks, t->task_count * sizeof(sw_task));
    bench.expected = (struct sw_trace *)allocate(t->task_count * sizeof *bench.expected);
    bench.answers = (struct sw_trace *)allocate(t->task_count * sizeof *bench.answers);
    memset(bench.answers, 0, t->task_count * sizeof *bench.answers);
    return file ? (long long)t->task_count : size;
}

static void close_problem(void)
{
    forget(bench.expected);
    forget(bench.answers);
    free(bench.expected);
    free(bench.answers);
    CHECK(cudaFree(bench.places));
    CHECK(cudaFree(bench.back));
    CHECK(cudaFree(bench.borders));
    CHECK(cudaFreeHost(bench.host.letters));
    CHECK(cudaFreeHost(bench.host.tasks));
    CHECK(cudaFreeHost(bench.host.found));
    CHECK(cudaFreeHost(bench.host.pool));
    CHECK(cudaFree(bench.device.letters));
    CHECK(cudaFree(bench.device.tasks));
    CHECK(cudaFree(bench.device.found));
    CHECK(cudaFree(bench.device.pool));
    sw_free_tasks(&bench.tasks);
}

/* ---- a point ---- */

struct FillKernel {
    void (*call)(SwInput);
    size_t shared_bytes;
};

static FillKernel fill_kernel(void)
{
    if (bench.variant->id & BATCH_SHUFFLE)
        return {sw_fill<ByShuffle>, sizeof(SwShared) + ByShuffle::shared_bytes()};
    return {sw_fill<ByShared>, sizeof(SwShared) + ByShared::shared_bytes()};
}

static void shape(struct point *p, int)
{
    bench.variant = p->variant;
    p->threads = STRIP;
    p->blocks = (unsigned)bench.tasks.batches[0].tasks;
}

static void copy_in(const struct sw_batch *b)
{
    CHECK(cudaMemcpyAsync(bench.device.letters + b->letter_at, bench.host.letters + b->letter_at, b->letters,
                          cudaMemcpyHostToDevice, harness_stream()));
    CHECK(cudaMemcpyAsync(bench.device.tasks + b->first, bench.host.tasks + b->first,
                          b->tasks * sizeof(sw_task), cudaMemcpyHostToDevice, harness_stream()));
}

/* The number of elements must be known before they can be copied, so this waits. */
static void copy_out(const struct sw_batch *b)
{
    cudaStream_t stream = harness_stream();
    CHECK(cudaMemcpyAsync(bench.host.found + b->first, bench.device.found + b->first,
                          b->tasks * sizeof(sw_found), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaMemcpyAsync(bench.host.pool, bench.device.pool, sizeof(unsigned), cudaMemcpyDeviceToHost,
                          stream));
    CHECK(cudaStreamSynchronize(stream));
    size_t used = bench.host.pool[0], most = bench.pool_words - 1; /* a wrong number must not do harm */
    CHECK(cudaMemcpyAsync(bench.host.pool + 1, bench.device.pool + 1,
                          (used < most ? used : most) * sizeof(unsigned), cudaMemcpyDeviceToHost, stream));
}

static void prepare(const struct point *p)
{
    bench.variant = p->variant;
    for (size_t b = 0; b < bench.tasks.batch_count; b++)
        copy_in(&bench.tasks.batches[b]);
    CHECK(cudaMemset(bench.device.found, 0xff, bench.tasks.task_count * sizeof(sw_found)));
}

static void release(void) {}

static void run_batch(size_t number)
{
    const struct sw_batch *b = &bench.tasks.batches[number];
    FillKernel fill = fill_kernel();
    unsigned count = (unsigned)b->tasks;
    if (bench.variant->id & BATCH_COPIES)
        copy_in(b);
    CHECK(cudaMemsetAsync(bench.device.pool, 0, sizeof(unsigned), harness_stream()));
    SwInput q = {
        bench.device.letters, bench.device.tasks, bench.places,          bench.back,         bench.borders,
        bench.device.found,   bench.device.pool,  bench.device.pool + 1, (unsigned)b->first, count};
    launch_shape blocks = {count, STRIP, fill.shared_bytes, false, false};
    launch_shape threads = {(count + TRACE_THREADS - 1) / TRACE_THREADS, TRACE_THREADS, 0, false, false};
    CHECK(launch(fill.call, blocks, harness_stream(), q));
    CHECK(launch(sw_trace_back, threads, harness_stream(), q));
    if (bench.variant->id & BATCH_COPIES)
        copy_out(b);
}

static void run(const struct point *)
{
    for (size_t b = 0; b < bench.tasks.batch_count; b++)
        run_batch(b);
}

/* Task `i` of the batch that was copied out last. The elements are the caller's to free. */
static struct sw_trace trace_of(size_t i)
{
    const sw_found *f = &bench.host.found[i];
    struct sw_trace trace = {f->score, f->i, f->j, f->end_i, f->end_j, f->element_count, NULL};
    bool sane = (size_t)f->element_at + f->element_count < bench.pool_words;
    trace.element_count = sane ? trace.element_count : 0;
    trace.elements = (struct sw_element *)allocate((trace.element_count + 1) * sizeof *trace.elements);
    for (size_t e = 0; e < trace.element_count; e++) {
        unsigned word = bench.host.pool[1 + f->element_at + e];
        trace.elements[e] = {(enum sw_operation)(word & 3), (int)(word >> 2)};
    }
    return trace;
}

static bool equal(const struct sw_trace *a, const struct sw_trace *b)
{
    if (a->score != b->score || a->i != b->i || a->j != b->j || a->end_i != b->end_i ||
        a->end_j != b->end_j || a->element_count != b->element_count)
        return false;
    for (size_t e = 0; e < a->element_count; e++)
        if (a->elements[e].operation != b->elements[e].operation ||
            a->elements[e].length != b->elements[e].length)
            return false;
    return true;
}

/* Score, both ends and every element. The batches share the pool, so each is run once more. */
static struct verdict check(const struct point *)
{
    struct verdict verdict = {true, 0, bench.tasks.task_count};
    forget(bench.answers);
    for (size_t b = 0; b < bench.tasks.batch_count; b++) {
        const struct sw_batch *batch = &bench.tasks.batches[b];
        if (bench.tasks.batch_count > 1)
            run_batch(b);
        copy_out(batch);
        CHECK(cudaStreamSynchronize(harness_stream()));
        for (size_t i = batch->first; i < batch->first + batch->tasks; i++) {
            bench.answers[i] = trace_of(i);
            verdict.wrong += !equal(&bench.answers[i], &bench.expected[i]);
        }
    }
    verdict.correct = verdict.wrong == 0;
    return verdict;
}

/* offset, CIGAR, score */
static void write_answers(FILE *file)
{
    for (size_t i = 0; i < bench.tasks.task_count; i++) {
        int offset;
        char *cigar = sw_cigar(&bench.tasks, &bench.tasks.tasks[i], &bench.answers[i], &offset);
        fprintf(file, "%d\t%s\t%d\n", offset, cigar, bench.answers[i].score);
        free(cigar);
    }
}

static double cells_of(size_t number)
{
    const struct sw_batch *b = &bench.tasks.batches[number];
    double cells = 0;
    for (size_t i = b->first; i < b->first + b->tasks; i++)
        cells += (double)bench.tasks.tasks[i].reference_length * bench.tasks.tasks[i].alternate_length;
    return cells;
}

static double operations(const struct point *)
{
    return cells_of_batches(bench.tasks.batch_count, cells_of);
}

static void describe(const struct point *, cJSON *json)
{
    FillKernel fill = fill_kernel();
    add_kernel_facts(json, fill.call, STRIP, fill.shared_bytes, 1);
    describe_batches(json, bench.tasks.batch_count, run_batch, cells_of);
}

int main(int argc, char **argv)
{
    static const struct extra_option options[] = {
        {.name = "batches",
         .help = "how many batches are generated; several have 1 to 2 N - 1 tasks each",
         .standard = "1",
         .least = 1,
         .most = 100000,
         .number = &settings.batches},
        {.name = "lengths",
         .help = "REFERENCExALTERNATE: ranges of the generated lengths",
         .standard = "300-512x64-600",
         .text = &settings.lengths},
        {.name = "scores",
         .help = "NEW_SW, ALIGNMENT_TO_BEST_HAPLOTYPE, STANDARD_NGS, ORIGINAL_DEFAULT or "
                 "MATCH,MISMATCH,OPEN,EXTEND",
         .standard = "NEW_SW",
         .text = &settings.scores},
        {.name = "strategy",
         .help = "SOFTCLIP, INDEL, LEADING_INDEL or IGNORE: what becomes of overhangs",
         .standard = "SOFTCLIP",
         .text = &settings.strategy},
        {}};
    struct variant variants[MOST_BATCH_VARIANTS];
    struct experiment e = {};
    int variant_count = make_batch_variants(variants, "SW1: line buffers in shared memory",
                                            "SW2: registers and shuffles", NULL);
    e.name = "swat-batch";
    e.family = FAMILY_BATCHES;
    e.question = "many short alignments: what do shuffles gain over shared memory?";
    e.variants = variants;
    e.variant_count = variant_count;
    e.size_means = "tasks in a generated batch";
    e.gpu_sizes = "100,200,400,800,1600,3200,6400,12800,25600";
    e.machine_sizes = "2";
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
