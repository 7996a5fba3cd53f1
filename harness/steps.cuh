/*
 * The host side of the step loop: launches an algorithm's steps under any sync_method. A plan holds what is
 * made once and not timed (the graph); steps_run enqueues the whole algorithm once.
 */
#ifndef HARNESS_STEPS_CUH
#define HARNESS_STEPS_CUH

#include "harness/device.h"
#include "harness/check.h"
#include "harness/launch.cuh"
#include "harness/sync_methods.h"
#include "sync/grid_barrier.cuh"
#include "sync/grid_sync.cuh"
#include "sync/lock_based.cuh"
#include "sync/lock_free.cuh"
#include "sync/release_acquire.cuh"
#include "sync/step_loop.cuh"
#include "sync/tree.cuh"

template <class Step>
struct steps_plan {
    sync_method method;
    Step step;
    int steps;
    launch_shape shape;
    grid_barrier_memory memory;
    cudaGraphExec_t graph; /* of the cpu-graph methods */
};

/* Calls `call` with an object of the barrier type that the method stands for. */
template <class Call>
static void with_barrier(sync_method method, Call call)
{
    switch (method) {
    case SYNC_LOCK_BASED:
        return call(LockBased<false>());
    case SYNC_LOCK_BASED_FENCE:
        return call(LockBased<true>());
    case SYNC_LOCK_FREE:
        return call(LockFree<false>());
    case SYNC_LOCK_FREE_FENCE:
        return call(LockFree<true>());
    case SYNC_TREE:
        return call(Tree<false>());
    case SYNC_TREE_FENCE:
        return call(Tree<true>());
    case SYNC_GRID_SYNC:
        return call(GridSync());
    case SYNC_RELEASE_ACQUIRE:
        return call(ReleaseAcquire());
    case SYNC_COUNTER:
        return call(Counter());
    default:
        return call(NoBarrier());
    }
}

/* One launch in all. The barrier's memory must be zero or as the launch before left it. */
template <class Barrier, class Step>
static void launch_step_loop(const steps_plan<Step> &plan)
{
    CHECK(launch(step_loop<Barrier, Step>, plan.shape, harness_stream(), plan.step, plan.steps, plan.memory));
}

template <class Step>
static void launch_each_step(const steps_plan<Step> &plan, bool wait_after_each)
{
    launch_shape shape = plan.shape;
    for (int s = 0; s < plan.steps; s++) {
        /* The first kernel depends on nothing, and must not start before what the stream did before. */
        shape.programmatic = plan.shape.programmatic && s > 0;
        if (shape.programmatic)
            CHECK(launch(one_dependent_step<Step>, shape, harness_stream(), plan.step, s));
        else
            CHECK(launch(one_step<Step>, shape, harness_stream(), plan.step, s));
        if (wait_after_each)
            CHECK(cudaStreamSynchronize(harness_stream()));
    }
}

template <class Step>
static cudaGraphExec_t capture_steps(const steps_plan<Step> &plan)
{
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CHECK(cudaStreamBeginCapture(harness_stream(), cudaStreamCaptureModeGlobal));
    launch_each_step(plan, false);
    CHECK(cudaStreamEndCapture(harness_stream(), &graph));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    return executable;
}

/* The most blocks of this Step that can be resident at once under the method. */
template <class Step>
static int steps_resident_blocks(sync_method method, unsigned threads, size_t shared_bytes, int sm_count)
{
    int per_sm = 0;
    with_barrier(method, [&](auto barrier) {
        per_sm = resident_blocks_per_sm(step_loop<decltype(barrier), Step>, threads, shared_bytes);
    });
    return per_sm * sm_count;
}

template <class Step>
static steps_plan<Step> steps_prepare(sync_method method, const Step &step, int steps, launch_shape shape,
                                      grid_barrier_memory memory)
{
    steps_plan<Step> plan = {method, step, steps, shape, memory, NULL};
    plan.shape.cooperative = method == SYNC_GRID_SYNC;
    plan.shape.programmatic = method == SYNC_CPU_GRAPH_PDL;
    if (method == SYNC_CPU_GRAPH || method == SYNC_CPU_GRAPH_PDL)
        plan.graph = capture_steps(plan);
    return plan;
}

template <class Step>
static void steps_run(const steps_plan<Step> &plan)
{
    switch (plan.method) {
    case SYNC_CPU_EXPLICIT:
        return launch_each_step(plan, true);
    case SYNC_CPU_IMPLICIT:
        return launch_each_step(plan, false);
    case SYNC_CPU_GRAPH:
    case SYNC_CPU_GRAPH_PDL:
        CHECK(cudaGraphLaunch(plan.graph, harness_stream()));
        return;
    default:
        with_barrier(plan.method, [&](auto barrier) { launch_step_loop<decltype(barrier)>(plan); });
    }
}

template <class Step>
static void steps_release(steps_plan<Step> *plan)
{
    if (plan->graph)
        CHECK(cudaGraphExecDestroy(plan->graph));
    plan->graph = NULL;
}

#endif
