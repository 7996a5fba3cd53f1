/* The barriers of sync/, by their numbers in the register (harness/methods.def). */
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

/* The courier's are for workers: where every warp works, nobody would carry. */
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

/* The barrier of a method that is known at run time only, for a kernel that meets once. */
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
 * Straight code for any method, and for each launch of one step: a kernel for each would take the compiler minutes. It
 * costs a jump more than straight_step_loop, so the fastest barriers have theirs, where the steps are short enough for
 * that to show. The instructions of a dependent launch do nothing in another.
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

/* Those that have. A barrier that is to be compared with them in few-barriers needs a line, too. */
template <class Barrier>
constexpr bool has_own_kernel = false;
template <>
inline constexpr bool has_own_kernel<NoBarrier> = true;
template <>
inline constexpr bool has_own_kernel<GridSync> = true;
template <>
inline constexpr bool has_own_kernel<Counter> = true;

#endif
