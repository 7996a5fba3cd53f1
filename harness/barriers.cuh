/* Finds the barrier type of sync/ that belongs to the number of a method (harness/methods.def). */
#ifndef HARNESS_BARRIERS_CUH
#define HARNESS_BARRIERS_CUH

#include "harness/methods.h"
#include "harness/step_loop.cuh"
#include "sync/counter.cuh"
#include "sync/courier.cuh"
#include "sync/grid_sync.cuh"
#include "sync/lock_based.cuh"
#include "sync/lock_free.cuh"
#include "sync/release_acquire.cuh"
#include "sync/tree.cuh"

/* Kernels use the barrier Courier as one without halves. It has the halves arrive() and wait(), but only for
 * kernels in which one warp does no other work than to carry the barrier's messages. */
template <>
struct has_halves<Courier> {
    static constexpr bool value = false;
};

/* Calls `call` with an object of the barrier type that the method stands for. */
template <class Call>
static void with_barrier(sync_id method, Call call)
{
    switch (method) {
#define METHOD(id, type, ...)                                                                                \
    case SYNC_##id:                                                                                          \
        return call(type());
#include "harness/methods.def"
#undef METHOD
    case SYNC_METHODS:
        break;
    }
}

/* A grid barrier whose method is chosen at run time, for code that synchronises once in a launch. */
struct OnceBarrier {
    sync_id method;
    gpusync_grid_barrier memory;

    __device__ void begin(gpusync_grid_barrier m) { memory = m; }
    __device__ void sync()
    {
        switch (method) {
#define METHOD(id, type, ...)                                                                                \
    case SYNC_##id:                                                                                          \
        return meet<type>();
#include "harness/methods.def"
#undef METHOD
        case SYNC_METHODS:
            break;
        }
    }
    template <class Barrier>
    __device__ void meet()
    {
        Barrier barrier;
        barrier.begin(memory);
        barrier.sync();
        barrier.end();
    }
    __device__ void end() {}
};

/*
 * Does the steps `first` to `end` - 1 under any method, for a Step with constants STEPS and THREADS. All
 * methods share this kernel, because a kernel for each would take minutes to compile. A barrier takes one
 * jump more here than in straight_step_loop. The fastest barriers have kernels of their own, because steps
 * can be so short that the jump counts. begin_early() does nothing unless the launch is a programmatic
 * dependent one.
 */
template <class Step>
__global__ void __launch_bounds__(Step::THREADS)
    straight_steps(Step step, sync_id method, int first, int end, gpusync_grid_barrier memory)
{
    OnceBarrier barrier = {method, memory};
    step.look_ahead(first);
    begin_early();
    straight_looking_ahead<0>(barrier, step, first, end);
}

/* True for a barrier type that has a kernel of its own (straight_step_loop). To compare another barrier type
 * with these by --algorithm few-barriers, add a line for it below. */
template <class Barrier>
constexpr bool has_own_kernel = false;
template <>
inline constexpr bool has_own_kernel<NoBarrier> = true;
template <>
inline constexpr bool has_own_kernel<GridSync> = true;
template <>
inline constexpr bool has_own_kernel<Counter> = true;

#endif
