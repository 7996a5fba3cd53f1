/*
 * Litmus tests of PTX's memory model: a few threads with a few accesses each, and how often each outcome
 * occurs. An outcome that PTX's axioms forbid must never occur. Many copies of a test run side by side. The
 * threads of a copy run in different blocks (or some in one), at random positions and after random delays,
 * while other blocks hammer memory (Alglave et al. 2015; Kirkham et al. 2020).
 *
 *     build/gpu/micro-litmus --variant mp+weak,mp+relaxed+acq_rel --size 10000
 *     build/machine/micro-litmus --device h100 --memory random
 *     build/gpu/micro-litmus --test FILE --variant file        a test in Dat3M's format
 *
 * On the memory machine a result also has the outcomes of all executions of its memory model
 * (micro/litmus/litmus_explore.h).
 */
#include "base/failure.h"
#include "base/memory.h"
#include "harness/check.h"
#include "harness/device.h"
#include "harness/experiment.h"
#include "harness/launch.cuh"
#include "harness/memory.h"
#include "micro/litmus/litmus_classic.h"
#include "micro/litmus/litmus_kernel.cuh"
#include "micro/litmus/ptx_axioms.h"
#ifdef GPUSYNC_MACHINE
#include "micro/litmus/litmus_explore.h"
#endif

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The litmus tests as variants of the experiment ---- */

static const char *test_file;
static struct litmus tests[256]; /* the classic tests in all forms, then the test of --test */
static struct variant variants[256];
static char names[256][2 * LITMUS_NAME];
static struct litmus_outcomes allowed[256];
static int test_count;

static void add_variant(const char *name, const char *summary)
{
    struct variant *v = &variants[test_count];
    snprintf(names[test_count], sizeof names[test_count], "%s", name);
    v->id = test_count;
    v->name = names[test_count];
    v->summary = summary;
    v->ordered = true; /* true, since a device must not show outcomes that PTX forbids */
    v->resident = true;
    v->capability = 70;
    test_count++;
}

static void make_variants(void)
{
    for (int c = 0; c < litmus_classic_count; c++)
        for (int f = 0; f < litmus_form_count; f++) {
            litmus_make_classic(c, f, &tests[test_count]);
            /* Commas in the name are replaced, since they separate names on the command line. */
            char name[2 * LITMUS_NAME];
            snprintf(name, sizeof name, "%s", tests[test_count].name);
            for (char *comma = name; (comma = strchr(comma, ',')) != NULL;)
                *comma = '+';
            add_variant(name, tests[test_count].condition);
        }
    add_variant("file", "the test of --test");
}

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        fail(EXIT_BAD_INPUT, "%s cannot be read", path);
    char *text = (char *)allocate(1 << 16);
    size_t length = fread(text, 1, (1 << 16) - 1, file);
    text[length] = '\0';
    fclose(file);
    return text;
}

static struct litmus *test_of(int id)
{
    struct litmus *test = &tests[id];
    if (id + 1 == test_count && !test->thread_count) {
        if (!test_file || !*test_file)
            fail(EXIT_BAD_INPUT, "the variant file needs --test FILE");
        char *text = read_text(test_file);
        const char *wrong = litmus_parse(text, test);
        if (wrong)
            fail(EXIT_BAD_INPUT, "%s: %s", test_file, wrong);
        free(text);
    }
    if (!allowed[id].count && !ptx_outcomes(test, &allowed[id]))
        fail(EXIT_BAD_INPUT, "%s: too long for PTX's axioms", test->name);
    return test;
}

static bool is_on_one_device(const struct litmus *test)
{
    for (int t = 1; t < test->thread_count; t++)
        if (test->threads[t].device != test->threads[0].device)
            return false;
    return true;
}

/* Assigns each thread of the test to one of a copy's blocks and to a part of it, in the order of the
 * threads. */
static void place_roles(const struct litmus *test, Program *program)
{
    int blocks[ROLES];
    unsigned filled[ROLES] = {};
    memset(program->role_of, ROLES, sizeof program->role_of);
    for (int t = 0; t < test->thread_count; t++) {
        unsigned b = 0;
        while (b < program->blocks && blocks[b] != test->threads[t].block)
            b++;
        if (b == program->blocks)
            blocks[program->blocks++] = test->threads[t].block;
        program->role_of[b][filled[b]++] = (unsigned char)t;
        program->parts = program->parts < filled[b] ? filled[b] : program->parts;
    }
}

static void make_operation(const struct litmus *test, const struct litmus_instruction *i, Operation *out)
{
    bool can = i->kind == LITMUS_LOAD || i->kind == LITMUS_STORE || i->kind == LITMUS_FENCE ||
               i->kind == LITMUS_SET || i->kind == LITMUS_ATOMIC;
    bool computes = i->operation == LITMUS_ADD || i->operation == LITMUS_EXCHANGE;
    if (!can || (!computes && (i->kind == LITMUS_ATOMIC || i->kind == LITMUS_SET)))
        fail(EXIT_BAD_INPUT, "%s: the kernel has no barriers, and of arithmetic only add and exch",
             test->name);
    out->kind = (unsigned char)i->kind;
    out->scope = (unsigned char)i->scope;
    out->order = (unsigned char)i->order;
    out->location = (unsigned char)(i->location < 0 ? 0 : i->location);
    out->destination = (unsigned char)(i->destination < 0 ? 255 : i->destination);
    out->operation = (unsigned char)i->operation;
    out->a_is_register = i->a.is_register;
    out->b_is_register = i->b.is_register;
    out->a = i->a.value;
    out->b = i->b.value;
}

static Program make_program(const struct litmus *test)
{
    Program program = {};
    if (test->thread_count > ROLES || test->location_count > LOCATIONS || !is_on_one_device(test))
        fail(EXIT_BAD_INPUT, "%s: at most %d threads on one device, and %d locations", test->name, ROLES,
             LOCATIONS);
    program.roles = (unsigned)test->thread_count;
    program.locations = (unsigned)test->location_count;
    place_roles(test, &program);
    for (int l = 0; l < test->location_count; l++)
        program.initial[l] = (unsigned)test->initial[l];
    for (int t = 0; t < test->thread_count; t++) {
        const struct litmus_thread *thread = &test->threads[t];
        if (thread->count > OPERATIONS || thread->register_count > REGISTERS)
            fail(EXIT_BAD_INPUT, "%s: at most %d instructions and %d registers a thread", test->name,
                 OPERATIONS, REGISTERS);
        for (int i = 0; i < thread->count; i++)
            make_operation(test, &thread->code[i], &program.code[t][i]);
        program.length[t] = thread->count;
    }
    return program;
}

/* ---- The experiment ---- */

static struct {
    Bench bench;
    gpusync_grid_barrier barrier;
    unsigned counts[MOST_OUTCOMES + 1];
} state;

static int resident(const struct variant *, unsigned threads, long long, int sm_count)
{
    return sm_count * resident_blocks_per_sm(test_rounds, threads, 0);
}

/* Returns the number of blocks that execute copies of the test: three quarters, in whole copies. The other
 * blocks hammer memory. */
static unsigned testing_blocks(const struct point *p, const Program &program)
{
    return (p->blocks - p->blocks / 4) / program.blocks * program.blocks;
}

template <class T>
static T *to_device(const T *items, size_t count)
{
    T *copy;
    allocate_on_device(copy, count * sizeof(T));
    CHECK(cudaMemcpy(copy, items, count * sizeof(T), cudaMemcpyHostToDevice));
    return copy;
}

static void prepare(const struct point *p)
{
    const struct litmus *test = test_of(p->variant->id);
    const struct litmus_outcomes *may = &allowed[p->variant->id];
    Program program = make_program(test);
    Bench &b = state.bench;
    b = Bench{};
    b.testing_blocks = testing_blocks(p, program);
    b.copies = b.testing_blocks / program.blocks * (p->threads / program.parts);
    if (!b.copies)
        fail(EXIT_BAD_INPUT, "%s: %u blocks of %u threads are too few", test->name, p->blocks, p->threads);
    if (may->count > MOST_OUTCOMES)
        fail(EXIT_BAD_INPUT, "%s: more than %d outcomes", test->name, MOST_OUTCOMES);
    b.rounds = (unsigned)((p->size * 1000 + b.copies - 1) / b.copies);
    b.seed = (unsigned)p->seed;
    Outcome *outcomes = (Outcome *)allocate((size_t)may->count * sizeof(Outcome));
    for (int o = 0; o < may->count; o++) {
        for (int t = 0; t < test->thread_count; t++)
            for (int r = 0; r < REGISTERS; r++)
                outcomes[o].values[t * REGISTERS + r] = may->items[o].registers[t][r];
        for (int l = 0; l < test->location_count; l++)
            outcomes[o].values[ROLES * REGISTERS + l] = may->items[o].memory[l];
    }
    b.program = to_device(&program, 1);
    b.allowed = to_device(outcomes, (size_t)may->count);
    b.allowed_count = (unsigned)may->count;
    free(outcomes);
    size_t runs = (size_t)b.rounds * b.copies;
    allocate_on_device(b.words, runs * program.locations * sizeof(unsigned));
    allocate_on_device(b.registers, runs * ROLES * REGISTERS * sizeof(int));
    allocate_on_device(b.scratch, SCRATCH_WORDS * sizeof(unsigned));
    allocate_on_device(b.counts, sizeof state.counts);
    CHECK(cudaMemset(b.counts, 0, sizeof state.counts));
    CHECK(cudaMemset(b.registers, 0, runs * ROLES * REGISTERS * sizeof(int)));
    CHECK(gpusync_grid_barrier_create(&state.barrier, p->blocks));
}

static void release(void)
{
    CHECK(cudaFree((void *)state.bench.program));
    CHECK(cudaFree((void *)state.bench.allowed));
    CHECK(cudaFree(state.bench.words));
    CHECK(cudaFree(state.bench.registers));
    CHECK(cudaFree(state.bench.scratch));
    CHECK(cudaFree(state.bench.counts));
    CHECK(gpusync_grid_barrier_destroy(&state.barrier));
}

static void run(const struct point *p)
{
    launch_shape shape = {p->blocks, p->threads, 0, true, false};
    cudaStream_t stream = harness_stream();
    state.bench.seed++;
    CHECK(launch(fill, shape, stream, state.bench));
    CHECK(launch(test_rounds, shape, stream, state.bench, state.barrier));
    CHECK(launch(judge, shape, stream, state.bench));
}

/* Copies from the device how often each outcome has occurred in all runs of the point so far. */
static void fetch_counts(void)
{
    CHECK(cudaMemcpy(state.counts, state.bench.counts, sizeof state.counts, cudaMemcpyDeviceToHost));
}

static struct verdict check(const struct point *)
{
    fetch_counts();
    unsigned forbidden = state.counts[state.bench.allowed_count];
    unsigned long long all = 0;
    for (unsigned o = 0; o <= state.bench.allowed_count; o++)
        all += state.counts[o];
    return {forbidden == 0 && all == (unsigned long long)state.bench.rounds * state.bench.copies, forbidden,
            all};
}

static double operations(const struct point *)
{
    return (double)state.bench.rounds * state.bench.copies;
}

/* Prints an outcome into `text`: the registers of each thread, then memory, for example "0:y=1 1:x=0 x=1". */
static void print_outcome(const struct litmus *test, const struct litmus_outcome *outcome, char *text,
                          size_t size)
{
    size_t used = 0;
    for (int t = 0; t < test->thread_count; t++)
        for (int r = 0; r < test->threads[t].register_count && used < size; r++)
            used += (size_t)snprintf(text + used, size - used, "%d:%s=%d ", t, test->threads[t].registers[r],
                                     outcome->registers[t][r]);
    for (int l = 0; l < test->location_count && used < size; l++)
        used += (size_t)snprintf(text + used, size - used, "%s=%d%s", test->locations[l], outcome->memory[l],
                                 l + 1 < test->location_count ? " " : "");
}

/* Adds to the JSON the outcomes of all executions of the test on the machine's memory model. */
static void add_exploration(const struct litmus *test, cJSON *json)
{
#ifdef GPUSYNC_MACHINE
    struct litmus_outcomes shown = {};
    bool all = litmus_explore(test, 200000, &shown);
    cJSON_AddBoolToObject(json, "explored_all", all);
    cJSON_AddNumberToObject(json, "explored_outcomes", shown.count);
    cJSON_AddBoolToObject(json, "explored_condition", litmus_verdict(test, &shown));
    litmus_forget(&shown);
#else
    (void)test, (void)json;
#endif
}

static void describe(const struct point *p, cJSON *json)
{
    const struct litmus *test = test_of(p->variant->id);
    const struct litmus_outcomes *may = &allowed[p->variant->id];
    double meets = 0, all = 0;
    fetch_counts();
    bool allows = false;
    cJSON *outcomes = cJSON_AddObjectToObject(json, "outcomes");
    for (int o = 0; o < may->count; o++) {
        char text[256];
        print_outcome(test, &may->items[o], text, sizeof text);
        cJSON_AddNumberToObject(outcomes, text, (double)state.counts[o]);
        bool holds = litmus_holds(test, &may->items[o]);
        meets += holds ? (double)state.counts[o] : 0;
        allows = allows || holds;
        all += (double)state.counts[o];
    }
    cJSON_AddStringToObject(json, "condition", test->condition);
    cJSON_AddBoolToObject(json, "allowed", allows);
    cJSON_AddNumberToObject(json, "seen", meets);
    cJSON_AddNumberToObject(json, "forbidden", (double)state.counts[state.bench.allowed_count]);
    cJSON_AddNumberToObject(json, "executions", all + (double)state.counts[state.bench.allowed_count]);
    add_exploration(test, json);
}

int main(int argc, char **argv)
{
    static const struct extra_option options[] = {
        OPTION_OF_TEXT("test", "", &test_file, "a litmus test in Dat3M's format, for the variant file"), {}};
    make_variants();
    struct experiment e = {
        .name = "micro-litmus",
        .question = "which outcomes of small concurrent programs occur, and are they allowed?",
        .family = FAMILY_OTHER,
        .variants = variants,
        .variant_count = test_count,
        .left_out = "file",
        .options = options,
        .size_means = "thousands of executions of each test, at least",
        .gpu_sizes = "1000",
        .machine_sizes = "1",
        .gpu_runs = 3,
        .launches = {.threads = "256", .sweep = SWEEP_ALL_MULTIPROCESSORS, .resident_blocks = resident},
        .describe = describe,
    };
    return run_experiment(argc, argv, e);
}
