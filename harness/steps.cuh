/* Launches an algorithm's steps under any method of methods.def; it is the host side of the step loop. A
 * struct steps_plan holds what is made once and is not timed, such as a CUDA graph. steps_run enqueues one
 * run of the whole algorithm. */
#ifndef HARNESS_STEPS_CUH
#define HARNESS_STEPS_CUH

#include "harness/barriers.cuh"
#include "harness/check.h"
#include "harness/device.h"
#include "harness/streams.h"
#include "harness/launch.cuh"

template <class Step>
struct steps_plan {
    sync_id method;
    Step step;
    int steps;
    launch_shape shape;
    gpusync_grid_barrier memory;
    cudaGraphExec_t graph; /* graph of all steps, for the cpu-graph methods; NULL for the other methods */
};

/* Launches one kernel that does all steps. The barrier's memory must be zero, or as the last launch left
 * it. */
template <class Barrier, class Step>
static void launch_step_loop(const steps_plan<Step> &plan)
{
    if constexpr (!has_constant_steps<Step>::value)
        CHECK(launch(step_loop<Barrier, Step>, plan.shape, harness_stream(), plan.step, plan.steps,
                     plan.memory));
    else if constexpr (has_own_kernel<Barrier> && !Step::IS_LARGE)
        CHECK(
            launch(straight_step_loop<Barrier, Step>, plan.shape, harness_stream(), plan.step, plan.memory));
    else
        CHECK(launch(straight_steps<Step>, plan.shape, harness_stream(), plan.step, plan.method, 0,
                     plan.steps, plan.memory));
}

template <class Step>
static void launch_one_step(const steps_plan<Step> &plan, launch_shape shape, int s)
{
    if constexpr (has_constant_steps<Step>::value)
        CHECK(launch(straight_steps<Step>, shape, harness_stream(), plan.step, plan.method, s, s + 1,
                     plan.memory));
    else if (shape.programmatic)
        CHECK(launch(one_dependent_step<Step>, shape, harness_stream(), plan.step, s));
    else
        CHECK(launch(one_step<Step>, shape, harness_stream(), plan.step, s));
}

template <class Step>
static void launch_each_step(const steps_plan<Step> &plan, bool wait_after_each)
{
    launch_shape shape = plan.shape;
    for (int s = 0; s < plan.steps; s++) {
        /* The first step's launch is not programmatic, because its kernel must not begin before the earlier
         * work of the stream has ended. */
        shape.programmatic = plan.shape.programmatic && s > 0;
        launch_one_step(plan, shape, s);
        if (wait_after_each)
            CHECK(cudaStreamSynchronize(harness_stream()));
    }
}

/* Returns the largest number of blocks that can be resident at once when this Step runs under the method. */
template <class Step>
static int steps_resident_blocks(sync_id method, unsigned threads, size_t shared_bytes, int sm_count)
{
    int per_sm = 0;
    with_barrier(method, [&](auto barrier) {
        typedef decltype(barrier) Barrier;
        if constexpr (!has_constant_steps<Step>::value)
            per_sm = resident_blocks_per_sm(step_loop<Barrier, Step>, threads, shared_bytes);
        else if constexpr (has_own_kernel<Barrier> && !Step::IS_LARGE)
            per_sm = resident_blocks_per_sm(straight_step_loop<Barrier, Step>, threads, shared_bytes);
        else
            per_sm = resident_blocks_per_sm(straight_steps<Step>, threads, shared_bytes);
    });
    return per_sm * sm_count;
}

template <class Step>
static steps_plan<Step> steps_prepare(sync_id method, const Step &step, int steps, launch_shape shape,
                                      gpusync_grid_barrier memory)
{
    const struct variant &variant = sync_variants[method];
    steps_plan<Step> plan = {method, step, steps, shape, memory, NULL};
    plan.shape.cooperative = sync_methods[method].cooperative;
    plan.shape.programmatic = variant.graphs == GRAPHS_PROGRAMMATIC ||
                              (runs_begin_early() && sync_methods[method].way == ONE_LAUNCH &&
                               /* a launch cannot be both cooperative and programmatic */
                               !plan.shape.cooperative);
    if (variant.graphs != NO_GRAPHS)
        plan.graph = capture_graph([&] { launch_each_step(plan, false); });
    return plan;
}

template <class Step>
static void steps_run(const steps_plan<Step> &plan)
{
    switch (sync_methods[plan.method].way) {
    case LAUNCH_AND_WAIT:
        return launch_each_step(plan, true);
    case LAUNCH_EACH:
        return launch_each_step(plan, false);
    case LAUNCH_GRAPH:
        CHECK(cudaGraphLaunch(plan.graph, harness_stream()));
        return;
    case ONE_LAUNCH:
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
