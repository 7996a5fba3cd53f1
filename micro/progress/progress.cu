/*
 * Which small programs end on this device, and which wait for ever? A program's threads are blocks here, each
 * alone on its multiprocessor, and many instances of it run side by side: with all blocks resident; with more
 * blocks than are resident; and while a second grid holds three quarters of the multiprocessors. Each block
 * interprets the instructions of a file (micro/progress/program.h). A thread that has not ended within
 * --patience gives up, which counts as "does not end"; so does a thread that begins only after another has
 * given up.
 *
 *     build/gpu/micro-progress --programs micro/progress/examples
 *     build/machine/micro-progress --device h100 --variant alone,crowded
 *
 * A block that has begun makes progress (libcu++, Execution model; since compute capability 7.0). So a
 * program that ends under OBE must end everywhere, and one that ends under Fair must end where all blocks are
 * resident. Anything else is a wrong result. If further programs end, the device does more than anybody
 * promises; the JSON records this for each program. Each access follows a fence, so that memory is
 * sequentially consistent and the scheduler alone decides.
 */
#include "base/failure.h"
#include "base/memory.h"
#include "micro/progress/decide.h"
#include "harness/check.h"
#include "harness/device.h"
#include "harness/experiment.h"
#include "harness/launch.cuh"
#include "harness/memory.h"
#include "harness/timer.h"
#include "micro/progress/interpreter.cuh"
#include "sync/grid_barrier.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The variants: which other blocks and grids compete with a program's blocks ---- */

enum crowd { ALONE, CROWDED, BESIDE };

struct scene {
    const char *name, *summary;
    enum crowd crowd;
    bool reversed;
};

static const scene scenes[] = {
    {"alone", "all blocks are resident; an instance's are neighbours, in the order of its threads", ALONE,
     false},
    {"alone-reversed", "as alone, the last thread first", ALONE, true},
    {"crowded", "an instance for each resident block; all first threads, then all second ones, ...", CROWDED,
     false},
    {"crowded-reversed", "as crowded, all last threads first", CROWDED, true},
    {"beside", "as many blocks as are resident, in the order of crowded, while another grid holds 3/4",
     BESIDE, false},
    {"beside-reversed", "as beside, all last threads first", BESIDE, true},
};
#define SCENES (sizeof scenes / sizeof *scenes)

static struct variant variants[SCENES];

static void make_variants(void)
{
    for (unsigned i = 0; i < SCENES; i++) {
        struct variant *v = &variants[i];
        v->id = (int)i;
        v->name = scenes[i].name;
        v->summary = scenes[i].summary;
        v->ordered = v->waits = true;
        v->capability = 70;
    }
}

static const scene *scene_of(const struct point *p)
{
    return &scenes[p->variant->id];
}

/* ---- The programs ---- */

#define STANDARD_PATIENCE MACHINE_OR_GPU("100", "20000")
static const char *folder;
static int patience;

struct subject {
    char *name; /* path of the program's file, below the folder */
    Program program;
    unsigned ends; /* progress models under which the program ends, one bit each */
    bool has_barrier;
};

static struct {
    struct subject *subjects;
    unsigned count;
    size_t shared_bytes;
    unsigned fit; /* number of blocks that fit on an empty device */
    Program *programs;
    unsigned *counts;
    Bench bench;
    unsigned holders;
    /* a word for each block of the second grid: in `begun` (host memory) whether it has begun, in `signs`
     * that it is alive */
    unsigned *begun, *signs;
    cudaStream_t second;
    double took_ns;
} state;

static Program encoded(const struct progress_program *p)
{
    Program out = {};
    out.threads = (unsigned)p->thread_count;
    out.locations = (unsigned)p->location_count;
    memcpy(out.memory, p->initial, sizeof out.memory);
    for (int t = 0; t < p->thread_count; t++) {
        const struct progress_thread *thread = &p->threads[t];
        out.length[t] = thread->count;
        memcpy(out.registers[t], thread->initial, sizeof out.registers[t]);
        for (int i = 0; i < thread->count; i++) {
            const struct progress_instruction *from = &thread->code[i];
            Instruction *to = &out.code[t][i];
            to->kind = (unsigned char)from->kind;
            to->location = (unsigned char)from->location;
            to->destination = (unsigned char)from->destination;
            to->is_register = from->operand.is_register;
            to->target = (unsigned char)from->target;
            to->value = from->operand.value;
        }
    }
    return out;
}

static void read_subject(const char *path, struct subject *out)
{
    struct progress_program *program = progress_read(path);
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    out->name = copy_text(path + length + 1);
    out->program = encoded(program);
    out->ends = progress_verdicts(program);
    out->has_barrier = program->barrier_count > 0;
    free(program);
}

static long long open_programs(const char *, long long size, unsigned long long)
{
    unsigned files;
    char **paths = progress_files(folder, &files);
    state.subjects = (struct subject *)allocate(files * sizeof *state.subjects);
    state.count = 0;
    for (unsigned f = 0; f < files; f++) {
        struct subject *subject = &state.subjects[state.count];
        read_subject(paths[f], subject);
        free(paths[f]);
        /* Omits programs with a barrier: each block is alone in its group, so a barrier would join it with no
         * other. */
        if (subject->has_barrier)
            free(subject->name);
        else
            state.count++;
    }
    free(paths);
    if (!state.count)
        fail(EXIT_BAD_INPUT, "%s has only programs with barriers, which blocks cannot meet at", folder);
    int device, per_sm;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&per_sm, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
    state.shared_bytes = (size_t)per_sm * 2 / 3;
    allow_shared_bytes(run_threads, state.shared_bytes);
    allow_shared_bytes(hold, state.shared_bytes);
    CHECK(
        gpusync_most_resident_blocks(&state.fit, (const void *)run_threads, WARP_WIDTH, state.shared_bytes));
    if (state.fit < PROGRESS_THREADS)
        fail(EXIT_CANNOT, "%u multiprocessors are too few: at least %d", state.fit, PROGRESS_THREADS);
    return size;
}

static void close_programs(void)
{
    for (unsigned s = 0; s < state.count; s++)
        free(state.subjects[s].name);
    free(state.subjects);
}

static void shape(struct point *p, int)
{
    p->threads = WARP_WIDTH;
    p->blocks = state.fit;
}

/* ---- A point of the sweep ---- */

static unsigned instances_of(const struct point *p, const Program &program)
{
    return scene_of(p)->crowd == CROWDED ? state.fit : state.fit / program.threads;
}

static void prepare(const struct point *p)
{
    size_t most_blocks = (size_t)state.fit * PROGRESS_THREADS;
    Bench &b = state.bench;
    b = Bench{};
    b.by_thread = scene_of(p)->crowd != ALONE;
    b.reversed = scene_of(p)->reversed;
    b.patience = (instant)patience * 1000;
    allocate_on_device(state.programs, state.count * sizeof *state.programs);
    for (unsigned s = 0; s < state.count; s++)
        CHECK(cudaMemcpy(state.programs + s, &state.subjects[s].program, sizeof *state.programs,
                         cudaMemcpyHostToDevice));
    allocate_on_device(b.memory, (size_t)state.fit * PROGRESS_LOCATIONS * WORD_STRIDE * sizeof *b.memory);
    allocate_on_device(b.fates, most_blocks * sizeof *b.fates);
    allocate_on_device(b.signs, most_blocks * sizeof *b.signs);
    allocate_on_device(b.left, 2 * sizeof *b.left);
    allocate_on_device(state.counts, state.count * 2 * sizeof *state.counts);
    CHECK(cudaMemset(state.counts, 0, state.count * 2 * sizeof *state.counts));
    state.holders = scene_of(p)->crowd == BESIDE ? state.fit - state.fit / 4 : 0;
    allocate_on_device(state.signs, state.fit * sizeof *state.signs);
    allocate_pinned(state.begun, state.fit * sizeof *state.begun);
    CHECK(cudaStreamCreateWithFlags(&state.second, cudaStreamNonBlocking));
}

static void release(void)
{
    CHECK(cudaStreamDestroy(state.second));
    CHECK(cudaFreeHost(state.begun));
    CHECK(cudaFree(state.programs));
    CHECK(cudaFree(state.bench.memory));
    CHECK(cudaFree(state.bench.fates));
    CHECK(cudaFree(state.bench.signs));
    CHECK(cudaFree(state.bench.left));
    CHECK(cudaFree(state.counts));
    CHECK(cudaFree(state.signs));
}

/* Returns whether all blocks of the second grid are resident. On the memory machine they are resident as soon
 * as the grid is launched. */
static bool second_has_come(void)
{
    unsigned there = 0;
    for (unsigned b = 0; b < state.holders; b++)
        there += ((volatile unsigned *)state.begun)[b];
    return there == state.holders || device_is_machine();
}

static void let_second_come(const Bench &b)
{
    static const double LONGEST_S = 1;
    /* The second grid leaves after this time. Blocks that begin only after another block has given up take no
     * steps. */
    instant longest = b.patience * 4;
    launch_shape shape = {state.holders, WARP_WIDTH, state.shared_bytes, false, false};
    for (unsigned h = 0; h < state.holders; h++)
        state.begun[h] = 0;
    CHECK(launch(hold, shape, state.second, (volatile unsigned *)state.begun, (const unsigned *)b.left,
                 b.blocks, state.signs, longest));
    double begin = host_seconds();
    while (!second_has_come())
        if (host_seconds() - begin > LONGEST_S)
            fail(EXIT_CANNOT, "%u multiprocessors are not free: something else runs on this GPU",
                 state.holders);
}

static void run_program(const struct point *p, unsigned number)
{
    const Program &program = state.subjects[number].program;
    Bench b = state.bench;
    cudaStream_t stream = harness_stream();
    b.program = state.programs + number;
    b.counts = state.counts + 2 * number;
    b.instances = instances_of(p, program);
    b.blocks = b.instances * program.threads;
    launch_shape shape = {b.blocks, WARP_WIDTH, state.shared_bytes, false, false},
                 helper = {state.fit, WARP_WIDTH, 0, false, false};
    CHECK(launch(begin_anew, helper, stream, b));
    wait_for_device();
    if (state.holders)
        let_second_come(b);
    CHECK(launch(run_threads, shape, stream, b));
    CHECK(launch(count_fates, helper, stream, b));
    wait_for_device();
    CHECK(cudaStreamSynchronize(state.second));
}

static void run(const struct point *p)
{
    double begin = host_seconds();
    for (long long repetition = 0; repetition < p->size; repetition++)
        for (unsigned s = 0; s < state.count; s++)
            run_program(p, s);
    state.took_ns = 1e9 * (host_seconds() - begin);
}

/* ---- The outcome ---- */

/* For one program, two counts over all runs of the point: the instances that ended, and the instances whose
 * threads all began. */
struct outcome {
    unsigned ended, heard;
};

static struct outcome *outcomes(void)
{
    struct outcome *all = (struct outcome *)allocate(state.count * sizeof *all);
    CHECK(cudaMemcpy(all, state.counts, state.count * sizeof *all, cudaMemcpyDeviceToHost));
    return all;
}

/* Returns whether other processes may hold multiprocessors (under the multi-process service, MPS). Then it is
 * unknown which blocks are resident. */
static bool has_neighbours(void)
{
    return getenv("CUDA_MPS_PIPE_DIRECTORY") || getenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE");
}

/* Returns the progress model that CUDA promises for the point. */
static progress_model promised(const struct point *p)
{
    return scene_of(p)->crowd == ALONE && !has_neighbours() ? MODEL_FAIR : MODEL_OBE;
}

static struct verdict check(const struct point *p)
{
    struct verdict verdict = {true, 0, 0};
    struct outcome *all = outcomes();
    for (unsigned s = 0; s < state.count; s++) {
        bool must_end = state.subjects[s].ends & 1u << promised(p);
        bool ran = all[s].heard && all[s].heard % instances_of(p, state.subjects[s].program) == 0;
        verdict.compared += all[s].heard;
        verdict.wrong += must_end ? all[s].heard - all[s].ended : 0;
        verdict.correct = verdict.correct && ran && all[s].ended <= all[s].heard;
    }
    verdict.correct = verdict.correct && !verdict.wrong;
    free(all);
    return verdict;
}

static double operations(const struct point *p)
{
    return (double)p->size * state.count;
}

static void describe_program(cJSON *programs, const struct subject *subject, struct outcome o)
{
    cJSON *json = cJSON_AddObjectToObject(programs, subject->name),
          *models = cJSON_AddArrayToObject(json, "ends_under");
    for (int m = 0; m < PROGRESS_MODELS; m++)
        if (subject->ends & 1u << m)
            cJSON_AddItemToArray(models, cJSON_CreateString(progress_model_names[m]));
    cJSON_AddNumberToObject(json, "instances", o.heard);
    cJSON_AddNumberToObject(json, "ended", o.ended);
}

/* Adds to the JSON, for each progress model, the number of programs for which the model and this device agree
 * whether they end. */
static void describe_models(cJSON *json, const struct outcome *all)
{
    cJSON *ended = cJSON_AddObjectToObject(json, "programs_that_ended_as_under");
    for (int m = 0; m < PROGRESS_MODELS; m++) {
        unsigned same = 0;
        for (unsigned s = 0; s < state.count; s++)
            same += !!(state.subjects[s].ends & 1u << m) == (all[s].ended == all[s].heard);
        cJSON_AddNumberToObject(ended, progress_model_names[m], same);
    }
}

static void describe(const struct point *p, cJSON *json)
{
    struct outcome *all = outcomes();
    unsigned whole = 0;
    for (unsigned s = 0; s < state.count; s++)
        whole += all[s].ended == all[s].heard;
    cJSON_AddNumberToObject(json, "programs_read", state.count);
    cJSON_AddNumberToObject(json, "programs_that_ended", whole);
    describe_models(json, all);
    cJSON_AddNumberToObject(json, "blocks_of_second_grid", state.holders);
    cJSON_AddStringToObject(json, "promised", progress_model_names[promised(p)]);
    cJSON_AddBoolToObject(json, "multi_process_service", has_neighbours());
    if (getenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"))
        cJSON_AddStringToObject(json, "mps_active_thread_percentage",
                                getenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"));
    cJSON *programs = cJSON_AddObjectToObject(json, "programs");
    for (unsigned s = 0; s < state.count; s++)
        describe_program(programs, &state.subjects[s], all[s]);
    free(all);
}

#ifndef GPUSYNC_MACHINE
static double took(const struct point *)
{
    return state.took_ns;
}
#endif

int main(int argc, char **argv)
{
    static const struct extra_option options[] = {
        OPTION_OF_TEXT("programs", "micro/progress/examples", &folder,
                       "a folder of small programs (micro/progress/program.h)"),
        OPTION_OF_NUMBER(
            "patience", 1, 1000000, STANDARD_PATIENCE, &patience,
            "time after which a thread gives up: microseconds, or thousands of the machine's time units"),
        {}};
    make_variants();
    struct experiment e = {
        .name = "micro-progress",
        .question = "which programs end whose blocks wait for each other, and which starve?",
        .family = FAMILY_OTHER,
        .variants = variants,
        .variant_count = SCENES,
        .one_process = true, /* true because one process must count which programs ended */
        .options = options,
        .size_means = "how often each program is launched",
        .gpu_sizes = "3",
        .machine_sizes = "1",
        .gpu_runs = 1,
        .launches = {.shape = shape},
        .problem = {.open = open_programs, .close = close_programs, .is_generated = true},
        .describe = describe,
    };
#ifndef GPUSYNC_MACHINE
    e.measured = took; /* time on the host until a launch has ended */
    e.measured_unit = "ns";
#endif
    return run_experiment(argc, argv, e);
}
