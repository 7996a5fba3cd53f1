/*
 * Which small programs end on this device, and which wait for ever? A program's threads are blocks
 * here, each alone on its multiprocessor, and many instances of it run side by side: all resident;
 * more blocks than are resident; and beside a second grid, which holds three quarters of the
 * multiprocessors. Each interprets the instructions of a file (check/progress/program.h), and a
 * thread that has not ended within --patience gives up, which counts as "does not end", as does one
 * that begins only after another has given up.
 *
 *     build/gpu/micro-progress --programs check/progress/examples
 *     build/machine/micro-progress --device h100 --variant alone,crowded
 *
 * A block that has begun goes on (libcu++, Execution model; since compute capability 7.0): so what
 * ends under OBE must end everywhere, and what ends under Fair must end where all blocks are
 * resident. Anything else is a wrong result. What ends beyond that is what a device does and nobody
 * promises; the JSON has it for each program. Each access stands behind a fence, so that memory is
 * sequentially consistent and the scheduler alone decides.
 */
#include "base/failure.h"
#include "base/memory.h"
#include "check/progress/decide.h"
#include "harness/check.h"
#include "harness/device.h"
#include "harness/device_time.cuh"
#include "harness/experiment.h"
#include "harness/launch.cuh"
#include "harness/memory.h"
#include "harness/timer.h"
#include "sync/grid_barrier.h"
#include "sync/memory_order.cuh"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what the kernel interprets ---- */

struct Instruction {
    unsigned char kind, location, destination, is_register, target;
    int value; /* of the operand, or its register's number */
};

struct Program {
    Instruction code[PROGRESS_THREADS][PROGRESS_INSTRUCTIONS];
    int length[PROGRESS_THREADS];
    int registers[PROGRESS_THREADS][PROGRESS_REGISTERS]; /* at first */
    int memory[PROGRESS_LOCATIONS];
    unsigned threads, locations;
};

enum fate { NEVER_BEGAN, ENDED, GAVE_UP, CAME_LATE };

/* A launch: instances of a program, each with its own memory. */
struct Bench {
    const Program *program;
    unsigned *memory; /* of each instance, words of WORD_STRIDE apart */
    unsigned *fates;  /* of each block */
    unsigned *signs;  /* of life, of each block */
    unsigned *left;   /* blocks that are no longer there; and behind it: has one given up? */
    unsigned *counts; /* of the program's instances: that ended; of which each block was heard */
    unsigned instances, blocks;
    bool by_thread, reversed;
    instant patience;
};

static const unsigned WORD_STRIDE = 32; /* words: no two share a line of a cache */

static __device__ __forceinline__ unsigned *word_of(const Bench &b, unsigned instance, unsigned location)
{
    return b.memory + ((size_t)instance * PROGRESS_LOCATIONS + location) * WORD_STRIDE;
}

/* Blocks of an instance are neighbours; or all first threads come first, then all second ones, and
 * so on. */
static __device__ __forceinline__ unsigned thread_of(const Bench &b, unsigned block)
{
    unsigned place = b.reversed ? b.blocks - 1 - block : block;
    return b.by_thread ? place / b.instances : place % b.program->threads;
}
static __device__ __forceinline__ unsigned instance_of(const Bench &b, unsigned block)
{
    unsigned place = b.reversed ? b.blocks - 1 - block : block;
    return b.by_thread ? place % b.instances : place / b.program->threads;
}

static __device__ __forceinline__ int access(unsigned *word, int kind, int value)
{
    __threadfence();
    switch (kind) {
    case PROGRESS_LOAD:
        return (int)load_relaxed(word);
    case PROGRESS_STORE:
        store_relaxed(word, (unsigned)value);
        return 0;
    case PROGRESS_EXCHANGE:
        return (int)atomicExch(word, (unsigned)value);
    default:
        return (int)atomicAdd(word, (unsigned)value);
    }
}

/* The memory machine takes a thread that reads the same words again and again, while nobody writes,
 * for one of a deadlock. This one has a limit. */
static __device__ __forceinline__ void show_life(const Bench &b)
{
#ifdef GPUSYNC_MACHINE
    b.signs[block_in_grid()]++;
#else
    (void)b;
#endif
}

static __device__ fate interpret(const Bench &b, unsigned thread, unsigned instance)
{
    const Program &p = *b.program;
    int registers[PROGRESS_REGISTERS], at = 0;
    for (int r = 0; r < PROGRESS_REGISTERS; r++)
        registers[r] = p.registers[thread][r];
    instant begin = device_time();
    while (at < p.length[thread]) {
        const Instruction i = p.code[thread][at++];
        int value = i.is_register ? registers[i.value] : i.value;
        bool equal = registers[i.destination] == value;
        if (i.kind < PROGRESS_BARRIER) {
            int old = access(word_of(b, instance, i.location), i.kind, value);
            if (i.kind != PROGRESS_STORE)
                registers[i.destination] = old;
        } else if (i.kind == PROGRESS_GOTO || equal == (i.kind == PROGRESS_BRANCH_EQUAL)) {
            at = i.target;
        }
        show_life(b);
        if (device_time() - begin > b.patience)
            return at < p.length[thread] ? GAVE_UP : ENDED;
    }
    return ENDED;
}

static __global__ void run_threads(Bench b)
{
    if (threadIdx.x)
        return;
    unsigned block = block_in_grid();
    /* A block that has the place of one that gave up would never have begun. */
    fate fate =
        load_relaxed(b.left + 1) ? CAME_LATE : interpret(b, thread_of(b, block), instance_of(b, block));
    if (fate == GAVE_UP)
        store_relaxed(b.left + 1, 1);
    b.fates[block] = fate;
    atomicAdd(b.left, 1u);
}

static __global__ void begin_anew(Bench b)
{
    unsigned stride = blocks_in_grid() * threads_in_block(),
             first = block_in_grid() * threads_in_block() + thread_in_block();
    for (unsigned i = first; i < b.instances; i += stride)
        for (unsigned l = 0; l < b.program->locations; l++)
            *word_of(b, i, l) = (unsigned)b.program->memory[l];
    for (unsigned i = first; i < b.blocks; i += stride)
        b.fates[i] = NEVER_BEGAN;
    if (first == 0)
        b.left[0] = b.left[1] = 0;
}

/* An instance has ended if all its threads have. */
static __global__ void count_fates(Bench b)
{
    unsigned stride = blocks_in_grid() * threads_in_block();
    for (unsigned i = block_in_grid() * threads_in_block() + thread_in_block(); i < b.instances;
         i += stride) {
        unsigned ended = 0, heard = 0;
        for (unsigned t = 0; t < b.program->threads; t++) {
            unsigned place = b.by_thread ? t * b.instances + i : i * b.program->threads + t;
            unsigned fate = b.fates[b.reversed ? b.blocks - 1 - place : place];
            ended += fate == ENDED;
            heard += fate != NEVER_BEGAN;
        }
        atomicAdd(&b.counts[0], ended == b.program->threads ? 1u : 0u);
        atomicAdd(&b.counts[1], heard == b.program->threads ? 1u : 0u);
    }
}

/* The second grid: stays until the first one's blocks have ended, or for so long. */
static __global__ void hold(volatile unsigned *begun, const unsigned *left, unsigned blocks, unsigned *signs,
                            instant longest)
{
    if (threadIdx.x)
        return;
    instant begin = device_time();
    begun[block_in_grid()] = 1;
    while (load_relaxed(left) < blocks && device_time() - begin < longest)
        signs[block_in_grid()]++;
}

/* ---- where the programs run ---- */

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

/* ---- the programs ---- */

static const char *folder;
static int patience;

struct subject {
    char *name; /* behind the folder */
    Program program;
    unsigned ends; /* models under which it does, a bit each */
    bool has_barrier;
};

static struct {
    struct subject *subjects;
    unsigned count;
    size_t shared_bytes;
    unsigned fit; /* blocks on an empty device */
    Program *programs;
    unsigned *counts;
    Bench bench;
    unsigned holders;
    unsigned *begun, *signs; /* of the second grid; `begun` on the host */
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
        /* A block is alone in its group here, so that nobody could meet it. */
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

/* ---- a point ---- */

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

/* All of its blocks are there. On the machine they are when it is launched. */
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
    /* What has not begun when the first one gives up takes no steps. */
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

/* ---- what came of it ---- */

/* Of the instances of a program, in all runs of the point. */
struct outcome {
    unsigned ended, heard;
};

static struct outcome *outcomes(void)
{
    struct outcome *all = (struct outcome *)allocate(state.count * sizeof *all);
    CHECK(cudaMemcpy(all, state.counts, state.count * sizeof *all, cudaMemcpyDeviceToHost));
    return all;
}

/* Under the multi-process service another process may hold multiprocessors, and nobody knows which
 * blocks are resident. */
static bool has_neighbours(void)
{
    return getenv("CUDA_MPS_PIPE_DIRECTORY") || getenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE");
}

/* The model that CUDA promises. */
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

/* Is what ended what ends under the model? The number of programs of which that is so. */
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
        {"programs", "a folder of small programs (check/progress/program.h)", "check/progress/examples", NULL,
         0, 0, NULL, &folder},
        {"patience",
         "after so long a thread gives up: microseconds, or thousands of the machine's time units",
#ifdef GPUSYNC_MACHINE
         "100",
#else
         "20000",
#endif
         NULL, 1, 1000000, &patience, NULL},
        {NULL, NULL, NULL, NULL, 0, 0, NULL, NULL}};
    struct experiment e = {};
    make_variants();
    e.name = "micro-progress";
    e.question = "which programs end whose blocks wait for each other, and which starve?";
    e.family = FAMILY_OTHER;
    e.one_process = true; /* what ended is counted in one */
    e.variants = variants;
    e.variant_count = SCENES;
    e.options = options;
    e.size_means = "how often each program is launched";
    e.gpu_sizes = "3";
    e.machine_sizes = "1";
    e.gpu_runs = 1;
    e.launches.shape = shape;
    e.problem.open = open_programs;
    e.problem.close = close_programs;
    e.describe = describe;
#ifndef GPUSYNC_MACHINE
    e.measured = took; /* each launch is waited for */
    e.measured_unit = "ns";
#endif
    return run_experiment(argc, argv, e);
}
