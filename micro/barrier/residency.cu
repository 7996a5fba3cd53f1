/*
 * What happens if other work holds multiprocessors? A grid barrier opens only when all blocks are resident,
 * and the usual calculation (cudaOccupancyMaxActiveBlocksPerMultiprocessor times the multiprocessors) is for
 * an empty GPU. Here a kernel in another stream holds some multiprocessors, a second grid with a barrier
 * takes its share, or the grid runs in a part of the GPU. The size is the number of multiprocessors that the
 * grid cannot use. Each case is next to its fix.
 *
 *     build/gpu/micro-residency --size 1,8
 *     build/machine/micro-residency --device h100 --variant occupied     # a deadlock, and who takes part
 *
 * Every block takes most of its multiprocessor's shared memory, so that it has a multiprocessor to itself. On
 * a GPU nothing hangs: the other kernel is ended after HOLD_S seconds, and the barrier gives up after
 * PATIENCE clock cycles. On the memory machine a hazard ends by deadlock detection, with exit status 4;
 * without --variant only the fixes run there.
 */
#include "base/failure.h"
#include "harness/check.h"
#include "harness/device.h"
#include "harness/device_time.cuh"
#include "harness/experiment.h"
#include "harness/launch.cuh"
#include "harness/memory.h"
#include "harness/timer.h"
#include "micro/barrier/part.h"
#include "sync/grid_barrier.cuh"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <unistd.h>

/* clock cycles after which a block gives up; practically endless on the machine, which detects deadlocks */
static const long long PATIENCE = MACHINE_OR_GPU(1ll << 62, 200000000);
static const long long LONGEST_HOLD = MACHINE_OR_GPU(1ll << 62, 2000000000);
/* number of runs that are checked; on a GPU, chance may decide which block gets a multiprocessor first */
static const int CHECKED_RUNS = MACHINE_OR_GPU(1, 5);
/* seconds for which the kernel hold() keeps its multiprocessors, unless the grid has ended before */
static const double HOLD_S = 0.05;
static const unsigned ON_ITS_WAY_US = 1000; /* time after which a launch's blocks are resident or queued */
static const int HIGHER_PRIORITY = -1;

/* ---- Kernels ---- */

struct stay {
    instant begun, ended;
    unsigned opened; /* 1 if the barrier opened before this block gave up */
    unsigned seen;   /* number of blocks whose word this block found after the barrier */
    unsigned here;   /* the word that the block sets before the barrier */
};

__global__ void meet(gpusync_grid_barrier memory, stay *stays, long long patience)
{
    stay *mine = &stays[blockIdx.x];
    GridBarrier barrier;
    if (threadIdx.x == 0) {
        mine->begun = device_time();
        mine->here = 1;
    }
    barrier.begin(memory);
    barrier.arrive();
    bool opened = barrier.wait_for(patience);
    barrier.end();
    unsigned seen = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x && opened; i += blockDim.x)
        seen += stays[i].here;
    atomicAdd(&mine->seen, seen);
    __syncthreads();
    if (threadIdx.x == 0) {
        mine->opened = opened;
        mine->ended = device_time();
    }
}

/* The kernel that holds multiprocessors: it runs until the host sets *leave. */
__global__ void hold(volatile unsigned *begun, const volatile unsigned *leave, instant *ended,
                     long long longest)
{
    if (threadIdx.x)
        return;
    long long begin = clock64();
    begun[blockIdx.x] = 1;
    while (!*leave && clock64() - begin < longest) {
    }
    ended[blockIdx.x] = device_time();
}

/* ---- The cases: what else runs on the GPU, and how many blocks the grid has ---- */

enum other { NOBODY, HOLDER, SECOND_GRID, THE_REST /* the grid runs in a part of the GPU */ };
enum blocks { AS_MANY_AS_FIT_AN_EMPTY_GPU, WHAT_IS_LEFT, MORE_THAN_HALF, HALF };

struct scene {
    const char *name, *summary;
    enum other other;
    enum blocks blocks;
    bool cooperative;
    int second_priority; /* priority of the second grid's stream; the first grid's stream has priority 0 */
};

static const scene scenes[] = {
    {"alone", "a block on every multiprocessor, and nobody else", NOBODY, AS_MANY_AS_FIT_AN_EMPTY_GPU, false,
     0},
    {"occupied", "as alone, while another stream's kernel holds some", HOLDER, AS_MANY_AS_FIT_AN_EMPTY_GPU,
     false, 0},
    {"occupied-cooperative", "as occupied, by a cooperative launch", HOLDER, AS_MANY_AS_FIT_AN_EMPTY_GPU,
     true, 0},
    {"occupied-fixed", "the grid leaves those multiprocessors free", HOLDER, WHAT_IS_LEFT, false, 0},
    {"occupied-fixed-cooperative", "as occupied-fixed, by a cooperative launch", HOLDER, WHAT_IS_LEFT, true,
     0},
    {"two-grids", "two grids, each of more than half the GPU, in two streams", SECOND_GRID, MORE_THAN_HALF,
     false, 0},
    {"two-grids-priority", "as two-grids, the second stream with a higher priority", SECOND_GRID,
     MORE_THAN_HALF, false, HIGHER_PRIORITY},
    {"two-grids-cooperative", "as two-grids, by cooperative launches", SECOND_GRID, MORE_THAN_HALF, true,
     HIGHER_PRIORITY},
    {"two-grids-fixed", "as two-grids, each of half the GPU", SECOND_GRID, HALF, false, HIGHER_PRIORITY},
    {"part", "a block for every multiprocessor of the device, in a part of it", THE_REST,
     AS_MANY_AS_FIT_AN_EMPTY_GPU, false, 0},
    {"part-cooperative", "as part, by a cooperative launch", THE_REST, AS_MANY_AS_FIT_AN_EMPTY_GPU, true, 0},
    {"part-fixed", "a block for every multiprocessor of the part", THE_REST, WHAT_IS_LEFT, false, 0},
    {"part-fixed-cooperative", "as part-fixed, by a cooperative launch", THE_REST, WHAT_IS_LEFT, true, 0},
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
        v->special = scenes[i].other == THE_REST ? "green contexts (CUDA 12.5 and its driver)" : NULL;
    }
}

#define FIXES                                                                                                \
    "alone,occupied-fixed,occupied-fixed-cooperative,two-grids-cooperative,two-grids-fixed,part-fixed,"      \
    "part-fixed-cooperative"

/* ---- A point of the sweep ---- */

#define GRIDS 2
#define MOST_HOLDERS 512

static struct {
    size_t shared_bytes;
    unsigned fit;  /* number of blocks that fit on an empty GPU */
    unsigned part; /* number of multiprocessors of the green context; 0 before it is created */
    gpusync_grid_barrier memory[GRIDS];
    stay *stays[GRIDS];
    cudaStream_t streams[GRIDS], holder;
    cudaEvent_t done[GRIDS + 1];
    /* words in host memory: hold() sets begun[block], and the host sets *leave */
    unsigned *begun, *leave;
    instant *holder_ended;
    unsigned holders;
    bool refused, in_time;
    double took_ns;
} bench;

static const scene *scene_of(const struct point *p)
{
    return &scenes[p->variant->id];
}

static bool can_do(const struct variant *v)
{
    return scenes[v->id].other != THE_REST || part_is_possible();
}

static long long open_size(const char *, long long size, unsigned long long)
{
    int device, per_sm;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&per_sm, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
    bench.shared_bytes = (size_t)per_sm * 2 / 3;
    allow_shared_bytes(meet, bench.shared_bytes);
    CHECK(gpusync_most_resident_blocks(&bench.fit, (const void *)meet, WARP_WIDTH, bench.shared_bytes));
    if (size < 1 || size > bench.fit / 2 || size > MOST_HOLDERS)
        fail(EXIT_BAD_INPUT, "--size %lld: others can hold from 1 to %u multiprocessors here", size,
             bench.fit / 2);
    return size;
}

static void close_size(void)
{
    if (bench.part)
        part_close();
    bench.part = 0;
}

/* Creates the part of the GPU when it is first needed, since some processes may not create one. */
static void need_part(unsigned others)
{
    if (!bench.part)
        bench.part = part_open(bench.fit - others);
    if (!bench.part)
        fail(EXIT_BAD_INPUT, "--size %u: no part of this GPU is so small", others);
}

static void shape(struct point *p, int)
{
    unsigned others = (unsigned)p->size;
    const scene *s = scene_of(p);
    if (s->other == THE_REST)
        need_part(others);
    const unsigned blocks[] = {bench.fit, s->other == THE_REST ? bench.part : bench.fit - others,
                               bench.fit - bench.fit / 2 + others, bench.fit / 2};
    p->threads = WARP_WIDTH;
    p->blocks = blocks[s->blocks];
}

static unsigned grids_of(const struct point *p)
{
    return scene_of(p)->other == SECOND_GRID ? 2 : 1;
}

/* Returns the number of blocks of hold(). With a second grid, they hold half the GPU until both run. */
static unsigned holders_of(const struct point *p)
{
    return scene_of(p)->other == HOLDER        ? (unsigned)p->size
           : scene_of(p)->other == SECOND_GRID ? bench.fit / 2
                                               : 0;
}

static void prepare(const struct point *p)
{
    const scene *s = scene_of(p);
    bench.holders = holders_of(p);
    for (unsigned g = 0; g < GRIDS; g++) {
        CHECK(gpusync_grid_barrier_create(&bench.memory[g], p->blocks));
        allocate_on_device(bench.stays[g], p->blocks * sizeof(stay));
        CHECK(cudaStreamCreateWithPriority(&bench.streams[g], cudaStreamNonBlocking,
                                           g ? s->second_priority : 0));
    }
    CHECK(cudaStreamCreateWithFlags(&bench.holder, cudaStreamNonBlocking));
    for (cudaEvent_t &event : bench.done)
        CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    allocate_pinned(bench.begun, (bench.holders + 1) * sizeof *bench.begun);
    allocate_pinned(bench.leave, sizeof *bench.leave);
    allocate_on_device(bench.holder_ended, (bench.holders + 1) * sizeof *bench.holder_ended);
}

static void release(void)
{
    for (unsigned g = 0; g < GRIDS; g++) {
        CHECK(gpusync_grid_barrier_destroy(&bench.memory[g]));
        CHECK(cudaFree(bench.stays[g]));
        CHECK(cudaStreamDestroy(bench.streams[g]));
    }
    CHECK(cudaStreamDestroy(bench.holder));
    for (cudaEvent_t event : bench.done)
        CHECK(cudaEventDestroy(event));
    CHECK(cudaFreeHost(bench.begun));
    CHECK(cudaFreeHost(bench.leave));
    CHECK(cudaFree(bench.holder_ended));
}

/* ---- A run ---- */

static void clear(const struct point *p)
{
    for (unsigned g = 0; g < GRIDS; g++) {
        size_t bytes = gpusync_grid_barrier_bytes(p->blocks);
        CHECK(cudaMemsetAsync(bench.memory[g].words, 0, bytes, harness_stream()));
        CHECK(cudaMemsetAsync(bench.stays[g], 0, p->blocks * sizeof(stay), harness_stream()));
    }
    for (unsigned b = 0; b < bench.holders; b++)
        bench.begun[b] = 0;
    *bench.leave = 0;
    bench.refused = false;
    wait_for_device();
}

/* Returns whether all blocks of hold() are resident: on the memory machine, as soon as it is launched. */
static bool holder_has_come(void)
{
    unsigned there = 0;
    for (unsigned b = 0; b < bench.holders; b++)
        there += ((volatile unsigned *)bench.begun)[b];
    return there == bench.holders || device_is_machine();
}

static void let_holder_come(void)
{
    launch_shape shape = {bench.holders, WARP_WIDTH, bench.shared_bytes, false, false};
    CHECK(launch(hold, shape, bench.holder, (volatile unsigned *)bench.begun,
                 (const volatile unsigned *)bench.leave, bench.holder_ended, LONGEST_HOLD));
    double begin = host_seconds();
    while (!holder_has_come())
        if (host_seconds() - begin > HOLD_S)
            fail(EXIT_CANNOT, "%u multiprocessors are not free: something else runs on this GPU",
                 bench.holders);
}

static void let_holder_go(void)
{
    *(volatile unsigned *)bench.leave = 1;
}

static void launch_grid(const struct point *p, unsigned g, cudaStream_t stream)
{
    launch_shape shape = {p->blocks, p->threads, bench.shared_bytes, scene_of(p)->cooperative, false};
    cudaError_t error = launch(meet, shape, stream, bench.memory[g], bench.stays[g], PATIENCE);
    bench.refused = error == cudaErrorCooperativeLaunchTooLarge;
    if (!bench.refused)
        CHECK(error);
    cudaGetLastError(); /* clears the error of a refused launch */
}

static bool ends_within(cudaStream_t stream, double seconds)
{
    double begin = host_seconds();
    cudaError_t state;
    while ((state = cudaStreamQuery(stream)) == cudaErrorNotReady)
        if (host_seconds() - begin > seconds)
            return false;
    CHECK(state);
    return true;
}

/* Lets the harness's stream wait for the work of `stream`, so that the harness's watchdog covers it. */
static void join(cudaStream_t stream, cudaEvent_t done)
{
    CHECK(cudaEventRecord(done, stream));
    CHECK(cudaStreamWaitEvent(harness_stream(), done, 0));
}

static void run(const struct point *p)
{
    bool in_part = scene_of(p)->other == THE_REST;
    clear(p);
    if (bench.holders)
        let_holder_come();
    double begin = host_seconds();
    for (unsigned g = 0; g < grids_of(p); g++)
        launch_grid(p, g, in_part ? part_stream() : bench.streams[g]);
    if (scene_of(p)->other == SECOND_GRID) {
        usleep(ON_ITS_WAY_US);
        begin = host_seconds();
        let_holder_go();
    }
    bench.in_time = true;
    for (unsigned g = 0; g < grids_of(p); g++)
        bench.in_time = ends_within(in_part ? part_stream() : bench.streams[g], HOLD_S) && bench.in_time;
    let_holder_go();
    for (unsigned g = 0; g < grids_of(p); g++)
        join(in_part ? part_stream() : bench.streams[g], bench.done[g]);
    wait_for_device();
    bench.took_ns = 1e9 * (host_seconds() - begin);
    join(bench.holder, bench.done[GRIDS]);
    wait_for_device();
}

/* ---- The outcome ---- */

enum ending { OPENS, OPENS_LATE, NEVER_OPENS, REFUSED, ENDINGS };
static const char *const ending_names[ENDINGS] = {"opens", "opens when the other has ended", "never opens",
                                                  "launch refused"};

struct outcome {
    unsigned blocks, resident, opened, gave_up, wrong;
    enum ending ending;
};

/* Tally of the point's checked runs: how many ended in each way, and the outcome of the last run */
static struct {
    unsigned endings[ENDINGS];
    struct outcome last;
} checked;

static void look_at(const stay *stays, unsigned blocks, instant first_end, struct outcome *o)
{
    for (unsigned b = 0; b < blocks; b++) {
        o->resident += stays[b].here && stays[b].begun < first_end;
        o->opened += stays[b].opened;
        o->gave_up += stays[b].ended && !stays[b].opened;
        o->wrong += (stays[b].opened && stays[b].seen != blocks) || stays[b].ended < stays[b].begun;
    }
}

static void find_first_end(const stay *stays, unsigned blocks, instant *first)
{
    for (unsigned b = 0; b < blocks; b++)
        if (stays[b].ended && stays[b].ended < *first)
            *first = stays[b].ended;
}

/* Returns the outcome of a run. Its field `resident` counts the blocks of the grids that began before any
 * block of the grids or of hold() ended. */
static struct outcome outcome_of(const struct point *p)
{
    struct outcome o = {grids_of(p) * p->blocks, 0, 0, 0, 0, OPENS};
    instant first_end = ~0ull;
    size_t bytes = p->blocks * sizeof(stay);
    stay *stays[GRIDS];
    for (unsigned g = 0; g < grids_of(p); g++) {
        stays[g] = (stay *)pinned_memory(bytes);
        CHECK(cudaMemcpy(stays[g], bench.stays[g], bytes, cudaMemcpyDeviceToHost));
        find_first_end(stays[g], p->blocks, &first_end);
    }
    if (scene_of(p)->other == HOLDER) {
        instant left[MOST_HOLDERS];
        CHECK(cudaMemcpy(left, bench.holder_ended, bench.holders * sizeof *left, cudaMemcpyDeviceToHost));
        for (unsigned h = 0; h < bench.holders; h++)
            first_end = left[h] < first_end ? left[h] : first_end;
    }
    for (unsigned g = 0; g < grids_of(p); g++) {
        look_at(stays[g], p->blocks, first_end, &o);
        CHECK(cudaFreeHost(stays[g]));
    }
    o.ending = bench.refused ? REFUSED : o.gave_up ? NEVER_OPENS : bench.in_time ? OPENS : OPENS_LATE;
    return o;
}

/* A block that passed the barrier must have seen every block's word. Every block must have passed it or given
 * up, unless the launch was refused. */
static struct verdict check(const struct point *p)
{
    struct verdict verdict = {true, 0, 0};
    checked = {};
    for (int i = 0; i < CHECKED_RUNS; i++) {
        if (i)
            run(p);
        struct outcome o = checked.last = outcome_of(p);
        unsigned ended = o.opened + o.gave_up;
        checked.endings[o.ending]++;
        verdict.correct = verdict.correct && !o.wrong && ended == (bench.refused ? 0 : o.blocks);
        verdict.wrong += o.wrong;
        verdict.compared += o.blocks;
    }
    return verdict;
}

static void describe(const struct point *p, cJSON *json)
{
    struct outcome o = checked.last;
    cJSON_AddStringToObject(json, "launch", scene_of(p)->cooperative ? "cooperative" : "ordinary");
    cJSON_AddNumberToObject(json, "blocks_of_all_grids", o.blocks);
    cJSON_AddNumberToObject(json, "resident", o.resident);
    cJSON_AddNumberToObject(json, "opened", o.opened);
    cJSON_AddNumberToObject(json, "gave_up", o.gave_up);
    cJSON_AddStringToObject(json, "outcome", ending_names[o.ending]);
    cJSON *runs = cJSON_AddObjectToObject(json, "outcomes_of_runs");
    for (int e = 0; e < ENDINGS; e++)
        if (checked.endings[e])
            cJSON_AddNumberToObject(runs, ending_names[e], checked.endings[e]);
    if (getenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"))
        cJSON_AddStringToObject(json, "mps_active_thread_percentage",
                                getenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"));
    if (scene_of(p)->other != THE_REST)
        return;
    unsigned told;
    part_enter();
    CHECK(gpusync_most_resident_blocks(&told, (const void *)meet, p->threads, bench.shared_bytes));
    part_leave();
    cJSON_AddNumberToObject(json, "multiprocessors_of_part", bench.part);
    cJSON_AddNumberToObject(json, "blocks_by_property_in_part", told);
}

#ifndef GPUSYNC_MACHINE
static double took(const struct point *)
{
    return bench.took_ns;
}
#endif

static double operations(const struct point *)
{
    return 1;
}

int main(int argc, char **argv)
{
    make_variants();
    struct experiment e = {
        .name = "micro-residency",
        .question = "does a grid barrier open if other work holds multiprocessors?",
        .variants = variants,
        .variant_count = SCENES,
        .can_do = can_do,
        .size_means = "multiprocessors that others hold; of two grids, blocks beyond half the GPU",
        .gpu_sizes = "1,8,32",
        .machine_sizes = "1",
        .gpu_runs = 3,
        .launches = {.shape = shape},
        .problem = {.open = open_size, .close = close_size, .is_generated = true},
        .describe = describe,
    };
#ifdef GPUSYNC_MACHINE
    e.default_variants = FIXES;
#else
    e.measured = took; /* the grid's time, without the time of hold() */
    e.measured_unit = "ns";
#endif
    return run_experiment(argc, argv, e);
}
