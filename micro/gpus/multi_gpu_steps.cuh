/*
 * The step loop across GPUs (harness/steps.cuh is the one for one GPU): all blocks of all GPUs execute a step
 * and then synchronize, either by a barrier in one kernel on each GPU, or by a launch on each GPU for each
 * step, kept in step by the host, events, a graph or NCCL. A step is a copyable struct
 *
 *     struct Step : gpu_member {
 *         __device__ void operator()(int step);
 *         __device__ bool stays(int step) const;    // uses only its own GPU's memory; for `leaders-between`
 *     };
 */
#ifndef MICRO_MULTI_GPU_STEPS_CUH
#define MICRO_MULTI_GPU_STEPS_CUH

#include "harness/check.h"
#include "harness/device.h"
#include "harness/launch.cuh"
#include "harness/variants.h"
#include "micro/gpus/gpu_member.cuh"
#include "harness/gpus.h"
#include "micro/gpus/multi_gpu_others.cuh"
#include "micro/gpus/nccl.h"

/* ---- Kernels ---- */

static __device__ void count_from(MultiGpu &, unsigned) {}
static __device__ void count_from(MultiGpuMember &barrier, unsigned before)
{
    barrier.rounds = before;
}

/* sync/multi_gpu.cuh for loops that contain steps on the GPU's own memory: between such steps, only the
 * blocks of each GPU synchronize. */
struct LeadersBetween : MultiGpu {
};

template <class Barrier, class Step>
static __device__ void meet_behind(Barrier &barrier, const Step &, int)
{
    barrier.sync();
}
template <class Step>
static __device__ void meet_behind(LeadersBetween &barrier, const Step &step, int s)
{
    if (step.stays(s) && step.stays(s + 1))
        barrier.sync_own_gpu();
    else
        barrier.sync();
}

/* The number of steps, and the number of barriers: all blocks synchronize after each of the first `meetings`
 * steps. */
struct step_counts {
    int steps, meetings;
};

/* Executes all steps in one kernel on each GPU. `met` is the number of barriers in earlier launches with this
 * memory. */
template <class Barrier, class Step>
__global__ void multi_gpu_loop(Step step, step_counts counts, unsigned met, gpusync_multi_gpu_barrier memory)
{
    Barrier barrier;
    barrier.begin_as(memory, step.gpu(), step.block());
    count_from(barrier, met);
    for (int s = 0; s < counts.steps; s++) {
        step(s);
        if (s < counts.meetings)
            meet_behind(barrier, step, s);
    }
    barrier.end();
}

template <class Step>
__global__ void one_multi_gpu_step(Step step, int s)
{
    step(s);
}

/* ---- Variants ---- */

enum multi_gpu_way {
    BY_HOST,
    BY_EVENTS,
    BY_GRAPH,
    BY_NCCL,
    BY_NCCL_GRAPH,
    BY_LEADERS,
    BY_LEADERS_BETWEEN,
    BY_INBOXES,
    BY_COUNTER_EACH,
    BY_ONE_COUNTER,
    BY_WATCHERS,
    MULTI_GPU_WAYS
};

#define SEVERAL_GPUS "GPUs: the memory machine's are parts of one grid"
static const struct variant multi_gpu_ways[MULTI_GPU_WAYS] = {
    VARIANT(BY_HOST, "host", "a launch on each GPU, and the host waits for all", .ordered = true,
            .waits = true, .special = SEVERAL_GPUS),
    VARIANT(BY_EVENTS, "events", "launches, each after events of all GPUs", .ordered = true,
            .special = SEVERAL_GPUS),
    VARIANT(BY_GRAPH, "graph", "events as one CUDA graph over all GPUs", .ordered = true,
            .special = SEVERAL_GPUS),
    VARIANT(BY_NCCL, "nccl", "launches, and NCCL's all-reduce of one number between them", .ordered = true,
            .special = "NCCL when it was built"),
    VARIANT(BY_NCCL_GRAPH, "nccl-graph", "nccl as one CUDA graph", .ordered = true,
            .special = "NCCL when it was built"),
    VARIANT(BY_LEADERS, "leaders", "the last block of each GPU tells the others (sync/multi_gpu.cuh)",
            .ordered = true, .resident = true, .capability = 70),
    VARIANT(BY_LEADERS_BETWEEN, "leaders-between",
            "leaders; between steps that stay in a GPU's memory only its blocks synchronize", .ordered = true,
            .resident = true, .capability = 70),
    VARIANT(BY_INBOXES, "inboxes", "every block tells every GPU", .ordered = true, .resident = true,
            .capability = 70),
    VARIANT(BY_COUNTER_EACH, "counter-each", "every block adds to a counter of every GPU", .ordered = true,
            .resident = true, .capability = 70),
    VARIANT(BY_ONE_COUNTER, "one-counter", "every block adds to one counter, of the first GPU",
            .ordered = true, .resident = true, .capability = 70),
    VARIANT(BY_WATCHERS, "watchers",
            "every block adds to its own GPU's counter, and polls all GPUs' counters", .ordered = true,
            .resident = true, .capability = 70),
};

static bool uses_nccl(int way)
{
    return way == BY_NCCL || way == BY_NCCL_GRAPH;
}
static bool is_graph(int way)
{
    return way == BY_GRAPH || way == BY_NCCL_GRAPH;
}

/* Returns whether the device can execute the variant. An experiment uses this function as its can_do. */
static bool multi_gpu_can_do(const struct variant *v)
{
#ifdef GPUSYNC_NCCL
    const bool has_nccl = true;
#else
    const bool has_nccl = false;
#endif
    return v->resident || (!device_is_machine() && (has_nccl || !uses_nccl(v->id)));
}

template <class Step>
using multi_gpu_kernel = void (*)(Step, step_counts, unsigned, gpusync_multi_gpu_barrier);

/* Returns the kernel of a method across GPUs, or NULL if the method launches a kernel for each step. */
template <class Step>
static multi_gpu_kernel<Step> multi_gpu_kernel_of(int way)
{
    switch (way) {
    case BY_LEADERS:
        return multi_gpu_loop<MultiGpu, Step>;
    case BY_LEADERS_BETWEEN:
        return multi_gpu_loop<LeadersBetween, Step>;
    case BY_INBOXES:
        return multi_gpu_loop<Inboxes, Step>;
    case BY_COUNTER_EACH:
        return multi_gpu_loop<CounterEach, Step>;
    case BY_ONE_COUNTER:
        return multi_gpu_loop<OneCounter, Step>;
    case BY_WATCHERS:
        return multi_gpu_loop<Watchers, Step>;
    default:
        return NULL;
    }
}

/* Returns the largest number of blocks of one GPU that can be resident. The memory machine's GPUs share its
 * multiprocessors. */
template <class Step>
static int multi_gpu_resident_blocks(multi_gpu_kernel<Step> kernel, unsigned threads, int sm_count,
                                     unsigned gpus)
{
    int all = resident_blocks_per_sm(kernel, threads, 0) * sm_count;
    return device_is_machine() ? all / (int)gpus : all;
}

/* ---- How the host executes the steps on all GPUs ---- */

template <class Step>
struct multi_gpu_plan {
    const struct gpus *gpus;
    int way;
    multi_gpu_kernel<Step> kernel; /* the kernel of all steps, or NULL if each step is a launch */
    Step step;
    step_counts counts;
    /* number of blocks and number of threads of a launch on one GPU */
    unsigned blocks, threads;
    unsigned met;
    gpusync_multi_gpu_barrier memory[GPUSYNC_MOST_GPUS];
    cudaEvent_t arrived[GPUSYNC_MOST_GPUS];
    cudaGraphExec_t graph;

    /* Returns the copy of the step that GPU g executes. */
    Step of_gpu(unsigned g) const
    {
        Step s = step;
        s.me = g;
        return s;
    }
    void on_gpu(unsigned g) const { CHECK(cudaSetDevice(gpus->devices[g])); }

    void prepare();
    void run();
    void release();
    void capture();

  private:
    void launch_step(int s) const;
    void meet_by_events() const;
    void meet() const;
    void launch_steps() const;
    void launch_loops();
};

/* Prepares a plan whose gpus, way, kernel, step, counts, blocks and threads are set. */
template <class Step>
void multi_gpu_plan<Step>::prepare()
{
    met = 0;
    graph = NULL;
    step.blocks = blocks;
    CHECK(gpusync_multi_gpu_barrier_create_wide(memory, gpus->devices, gpus->count, blocks, blocks));
    for (unsigned g = 0; g < gpus->count; g++) {
        on_gpu(g);
        CHECK(cudaEventCreateWithFlags(&arrived[g], cudaEventDisableTiming));
        CHECK(cudaDeviceSynchronize());
    }
    on_gpu(0);
    if (is_graph(way))
        capture();
}

template <class Step>
void multi_gpu_plan<Step>::release()
{
    for (unsigned g = 0; g < gpus->count; g++)
        CHECK(cudaEventDestroy(arrived[g]));
    CHECK(gpusync_multi_gpu_barrier_destroy(memory));
    if (graph)
        CHECK(cudaGraphExecDestroy(graph));
    graph = NULL;
}

template <class Step>
void multi_gpu_plan<Step>::launch_step(int s) const
{
    launch_shape shape = {blocks, threads, 0, false, false};
    for (unsigned g = 0; g < gpus->count; g++) {
        on_gpu(g);
        CHECK(launch(one_multi_gpu_step<Step>, shape, gpus->streams[g], of_gpu(g), s));
    }
}

/* Makes the streams of all GPUs wait for each other. */
template <class Step>
void multi_gpu_plan<Step>::meet_by_events() const
{
    for (unsigned g = 0; g < gpus->count; g++) {
        on_gpu(g);
        CHECK(cudaEventRecord(arrived[g], gpus->streams[g]));
    }
    for (unsigned g = 0; g < gpus->count; g++) {
        on_gpu(g);
        for (unsigned other = 0; other < gpus->count; other++)
            if (other != g)
                CHECK(cudaStreamWaitEvent(gpus->streams[g], arrived[other], 0));
    }
}

template <class Step>
void multi_gpu_plan<Step>::meet() const
{
    if (uses_nccl(way))
        return nccl_meet(gpus);
    if (way != BY_HOST)
        return meet_by_events();
    for (unsigned g = 0; g < gpus->count; g++)
        CHECK(cudaStreamSynchronize(gpus->streams[g]));
}

template <class Step>
void multi_gpu_plan<Step>::launch_steps() const
{
    for (int s = 0; s < counts.steps; s++) {
        launch_step(s);
        if (s < counts.meetings)
            meet();
    }
}

/* Captures all steps in a graph. A step that has changed needs a new capture. */
template <class Step>
void multi_gpu_plan<Step>::capture()
{
    cudaGraph_t captured;
    if (graph)
        CHECK(cudaGraphExecDestroy(graph));
    gpus_join(gpus);
    CHECK(cudaStreamBeginCapture(gpus->streams[0], cudaStreamCaptureModeGlobal));
    gpus_fork(gpus);
    launch_steps();
    gpus_join(gpus);
    CHECK(cudaStreamEndCapture(gpus->streams[0], &captured));
    CHECK(cudaGraphInstantiate(&graph, captured, 0));
    CHECK(cudaGraphDestroy(captured));
}

/* Launches one kernel with all steps on each GPU. */
template <class Step>
void multi_gpu_plan<Step>::launch_loops()
{
    bool machine = device_is_machine();
    launch_shape shape = {machine ? blocks * gpus->count : blocks, threads, 0, false, false};
    for (unsigned g = 0; g < (machine ? 1 : gpus->count); g++) {
        on_gpu(g);
        CHECK(launch(kernel, shape, gpus->streams[g], of_gpu(g), counts, met, memory[g]));
    }
    met += (unsigned)counts.meetings;
}

/* Enqueues all steps once, after the earlier work of the first GPU's stream and before its later work. */
template <class Step>
void multi_gpu_plan<Step>::run()
{
    if (graph) {
        CHECK(cudaGraphLaunch(graph, gpus->streams[0]));
        return;
    }
    gpus_fork(gpus);
    if (kernel)
        launch_loops();
    else
        launch_steps();
    on_gpu(0);
    gpus_join(gpus);
}

#endif
