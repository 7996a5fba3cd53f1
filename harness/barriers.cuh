/* The barrier types of sync/, by the numbers of their methods (harness/methods.def). */
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

/* The barrier Courier has halves (arrive and wait), but only for kernels in which one warp does no work and
 * carries the messages. */
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

/* The barrier of a method that is known only at run time, for code that synchronises once in a launch. */
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
 * This kernel serves every method, and each launch of one step, for a Step with constants STEPS and THREADS.
 * A kernel for each method would take minutes to compile. This kernel costs a jump more than
 * straight_step_loop, so the fastest barriers have a kernel of their own if the steps are short enough for
 * the jump to count. begin_early() does nothing in a launch that is not a programmatic dependent one.
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

/* Does the barrier have a kernel of its own? A barrier that --algorithm few-barriers shall compare with the
 * barriers below needs a line here, too. */
template <class Barrier>
constexpr bool has_own_kernel = false;
template <>
inline constexpr bool has_own_kernel<NoBarrier> = true;
template <>
inline constexpr bool has_own_kernel<GridSync> = true;
template <>
inline constexpr bool has_own_kernel<Counter> = true;

#endif
