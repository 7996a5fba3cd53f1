/*
 * Many short alignments, with back-trace matrix and CIGARs, as GATK's HaplotypeCaller needs them. SW1 and SW2
 * of Wang, Xie and Cong 2017 (sections III to V, Figures 9a and 10) give each block one task and exchange
 * scores through shared memory (SW1) or by shuffles (SW2); our own kernel has many rows for each lane.
 * NAME+copies includes the time of the copies to and from the device, as the paper does.
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
#include "harness/streams.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "swat/batch/blocked_kernel.cuh"
#include "swat/batch/batch_kernels.cuh"
#include "swat/batch/plan.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#define TRACE_THREADS 64
/* number of tasks of a batch's first part; it is small because the first kernel waits until they are
 * copied */
#define FIRST_PIECE 1600
#define MOST_LETTERS 100000

static struct {
    struct sw_tasks tasks;
    struct sw_trace *expected, *answers; /* the expected answers, and the answers of the last verified run */
    sw_plan plan;                        /* the plan of the variant that is prepared */
    sw_pools pools;
    int sm_count;
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
    sw_pools_open(t, &bench.pools);
    bench.expected = (struct sw_trace *)allocate(t->task_count * sizeof *bench.expected);
    bench.answers = (struct sw_trace *)allocate(t->task_count * sizeof *bench.answers);
    return file ? (long long)t->task_count : size;
}

static void close_problem(void)
{
    forget(bench.expected);
    forget(bench.answers);
    free(bench.expected);
    free(bench.answers);
    sw_pools_close(&bench.pools);
    sw_free_plan(&bench.plan);
    sw_free_tasks(&bench.tasks);
}

/* ---- a point ---- */

struct FillKernel {
    void (*call)(SwInput);
    size_t shared_bytes;
};

static FillKernel fill_kernel(void)
{
    if (bench.variant->id & (BATCH_SHUFFLE | BATCH_BLOCKED))
        return {sw_fill<ByShuffle>, sizeof(SwShared) + ByShuffle::shared_bytes()};
    return {sw_fill<ByShared>, sizeof(SwShared) + ByShared::shared_bytes()};
}

static bool is_blocked(void)
{
    return bench.variant->id & BATCH_BLOCKED;
}

static bool copies_count(void)
{
    return bench.variant->id & BATCH_COPIES;
}

static sw_plan make_plan(void)
{
    sw_plan plan;
    sw_manner manner = {is_blocked(), is_blocked() && copies_count() ? (size_t)FIRST_PIECE : 0,
                        (size_t)bench.sm_count * BLOCKED_BLOCKS_PER_SM * BLOCKED_WARPS};
    sw_make_plan(&bench.tasks, manner, &plan);
    return plan;
}

/* Returns the number of blocks that the blocked kernel gets for a part; all of them can be resident at
 * once. */
static unsigned blocked_blocks(const sw_plan *plan, const sw_part *part)
{
    unsigned blocks = (unsigned)((sw_part_warps(part) + BLOCKED_WARPS - 1) / BLOCKED_WARPS);
    unsigned most =
        (unsigned)bench.sm_count * (unsigned)resident_blocks_per_sm(sw_blocked, BLOCKED_THREADS,
                                                                    BLOCKED_WARPS * plan->room.shared_bytes);
    return blocks < most ? blocks : most;
}

static void shape(struct point *p, int sm_count)
{
    bench.sm_count = sm_count;
    bench.variant = p->variant;
    sw_plan plan = make_plan();
    const sw_part *part = &plan.parts[0];
    p->threads = part->blocked ? BLOCKED_THREADS : STRIP;
    p->blocks = part->blocked ? blocked_blocks(&plan, part) : (unsigned)part->range.tasks;
    sw_free_plan(&plan);
}

static void prepare(const struct point *p)
{
    bench.variant = p->variant;
    /* The preceding point's plan is freed only here, because that point's answers are written after its
     * runs. */
    sw_free_plan(&bench.plan);
    bench.plan = make_plan();
    size_t warps = 0;
    for (size_t i = 0; i < bench.plan.part_count; i++) {
        size_t of_part = (size_t)blocked_blocks(&bench.plan, &bench.plan.parts[i]) * BLOCKED_WARPS;
        warps = of_part > warps ? of_part : warps;
    }
    int sides = is_blocked() && bench.plan.part_count > 1 ? SIDE_STREAMS : 1;
    sw_pools_arrange(&bench.pools, &bench.tasks, &bench.plan, sides, warps);
}

static void release(void)
{
    sw_pools_clear(&bench.pools);
}

/* ---- a run ---- */

static void launch_blocked(const sw_part *part, const sw_side *s, cudaStream_t stream)
{
    size_t shared_bytes = bench.plan.room.shared_bytes;
    BlockedInput q = {bench.pools.device.letters,
                      bench.pools.device.tasks,
                      s->blocked_back,
                      bench.plan.room.back_words,
                      s->ends,
                      bench.pools.device.found,
                      s->next,
                      s->pool,
                      s->pool + 1,
                      (unsigned)part->range.first,
                      (unsigned)part->blocked,
                      (unsigned)part->wide,
                      (unsigned)(part->narrow / BLOCKED_MOST_TASKS),
                      (unsigned)shared_bytes,
                      bench.plan.room.letters};
    launch_shape shape = {blocked_blocks(&bench.plan, part), BLOCKED_THREADS, BLOCKED_WARPS * shared_bytes,
                          false, false};
    CHECK(cudaMemsetAsync(s->next, 0, sizeof *s->next, stream));
    CHECK(launch(sw_blocked, shape, stream, q));
}

/* Launches SW1 or SW2 for the tasks that the blocked kernel does not take. If the variant is SW1 or SW2,
 * these are all tasks. */
static void launch_general(const sw_part *part, const sw_side *s, cudaStream_t stream)
{
    unsigned first = (unsigned)(part->range.first + part->blocked),
             count = (unsigned)(part->range.tasks - part->blocked);
    FillKernel fill = fill_kernel();
    SwInput q = {bench.pools.device.letters,
                 bench.pools.device.tasks,
                 bench.pools.places,
                 s->back,
                 s->borders,
                 bench.pools.device.found,
                 s->pool,
                 s->pool + 1,
                 first,
                 count};
    launch_shape blocks = {count, STRIP, fill.shared_bytes, false, false};
    launch_shape threads = {(count + TRACE_THREADS - 1) / TRACE_THREADS, TRACE_THREADS, 0, false, false};
    CHECK(launch(fill.call, blocks, stream, q));
    CHECK(launch(sw_trace_back, threads, stream, q));
}

static void run_part(const sw_part *part, const sw_side *s, cudaStream_t stream)
{
    if (copies_count())
        sw_copy_in(&bench.pools, part, stream);
    CHECK(cudaMemsetAsync(s->pool, 0, sizeof(unsigned), stream));
    if (part->blocked)
        launch_blocked(part, s, stream);
    if (part->blocked < part->range.tasks)
        launch_general(part, s, stream);
    if (copies_count())
        sw_copy_out(&bench.pools, part, s, stream);
}

/* Runs parts first..end - 1 of the plan. A single part runs on the harness's stream. Several parts overlap on
 * side streams; the alignment elements of a part are copied to the host when the next part needs its side
 * stream, or at the end. */
static void run_parts(size_t first, size_t end)
{
    size_t count = end - first, sides = count > 1 ? (size_t)bench.pools.side_count : 1;
    bool fork = sides > 1;
    if (fork)
        fork_streams();
    for (size_t n = 0; n < count + sides; n++) {
        int number = (int)(n % sides);
        const sw_side *s = &bench.pools.sides[number];
        cudaStream_t stream = fork ? side_stream(number) : harness_stream();
        if (copies_count() && n >= sides && n - sides < count)
            sw_copy_elements_out(&bench.pools, s, stream);
        if (n < count)
            run_part(&bench.plan.parts[first + n], s, stream);
    }
    if (fork)
        join_streams();
}

static void run_batch(size_t number)
{
    run_parts(bench.plan.first_part[number], bench.plan.first_part[number + 1]);
}

static void run(const struct point *)
{
    run_parts(0, bench.plan.part_count);
}

/* Returns the trace of task `i`, whose part must be the last one that was copied to the host, by side 0. The
 * caller frees the elements. */
static struct sw_trace trace_of(size_t i)
{
    const sw_found *f = &bench.pools.host.found[bench.plan.place[i]];
    struct sw_trace trace = {f->score, f->i, f->j, f->end_i, f->end_j, f->element_count, NULL};
    bool sane = (size_t)f->element_at + f->element_count < bench.pools.pool_words;
    trace.element_count = sane ? trace.element_count : 0;
    trace.elements = (struct sw_element *)allocate((trace.element_count + 1) * sizeof *trace.elements);
    for (size_t e = 0; e < trace.element_count; e++) {
        unsigned word = bench.pools.sides[0].host_pool[1 + f->element_at + e];
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

/* Compares score, both ends and every element of each task with the sequential ones. The parts share the
 * memory for elements, so each part is run once more, and compared before the next one. */
static struct verdict check(const struct point *)
{
    struct verdict verdict = {true, 0, bench.tasks.task_count};
    const sw_side *side = &bench.pools.sides[0];
    forget(bench.answers);
    for (size_t p = 0; p < bench.plan.part_count; p++) {
        const struct sw_batch *range = &bench.plan.parts[p].range;
        if (bench.plan.part_count > 1)
            run_parts(p, p + 1);
        sw_copy_out(&bench.pools, &bench.plan.parts[p], side, harness_stream());
        sw_copy_elements_out(&bench.pools, side, harness_stream());
        CHECK(cudaStreamSynchronize(harness_stream()));
        for (size_t i = range->first; i < range->first + range->tasks; i++) {
            bench.answers[i] = trace_of(i);
            verdict.wrong += !equal(&bench.answers[i], &bench.expected[i]);
        }
    }
    verdict.correct = verdict.wrong == 0;
    return verdict;
}

/* Writes a line for each task: offset, CIGAR, score. */
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
    if (bench.plan.parts[0].blocked)
        add_kernel_facts(json, sw_blocked, BLOCKED_THREADS, BLOCKED_WARPS * bench.plan.room.shared_bytes,
                         BLOCKED_MOST_ROWS_A_LANE);
    else
        add_kernel_facts(json, fill.call, STRIP, fill.shared_bytes, 1);
    describe_batches(json, bench.tasks.batch_count, run_batch, cells_of);
}

int main(int argc, char **argv)
{
    static const struct extra_option options[] = {
        OPTION_OF_NUMBER("batches", 1, 100000, "1", &settings.batches,
                         "how many batches are generated; several have 1 to 2 N - 1 tasks each"),
        OPTION_OF_TEXT("lengths", "300-512x64-600", &settings.lengths,
                       "REFERENCExALTERNATE: ranges of the generated lengths"),
        OPTION_OF_TEXT("scores", "NEW_SW", &settings.scores,
                       "NEW_SW, ALIGNMENT_TO_BEST_HAPLOTYPE, STANDARD_NGS, ORIGINAL_DEFAULT or "
                       "MATCH,MISMATCH,OPEN,EXTEND"),
        OPTION_OF_TEXT("strategy", "SOFTCLIP", &settings.strategy,
                       "SOFTCLIP, INDEL, LEADING_INDEL or IGNORE: the treatment of overhangs"),
        {}};
    struct variant variants[MOST_BATCH_VARIANTS];
    int variant_count =
        make_batch_variants(variants, "SW1: line buffers in shared memory", "SW2: registers and shuffles",
                            "ours: half a warp or a whole one a task, many rows a lane");
    struct experiment e = {
        .name = "swat-batch",
        .question = "many short alignments: what do shuffles gain over shared memory?",
        .family = FAMILY_BATCHES,
        .variants = variants,
        .variant_count = variant_count,
        .left_out = batch_variants_left_out(),
        .can_do = can_do_batch_variant,
        .options = options,
        .size_means = "tasks in a generated batch",
        .gpu_sizes = "100,200,400,800,1600,3200,6400,12800,25600",
        .machine_sizes = "2",
        .gpu_runs = 3,
        .launches = {.shape = shape},
        .problem = {open_problem, close_problem, reference, NULL, write_answers},
        .describe = describe,
    };
    return run_experiment(argc, argv, e);
}
