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

/*
 * The barrier of a method that is known at run time only, for a kernel that meets once: for steps so large that a kernel
 * for each method would take the compiler minutes, and that take so long themselves that the choice does not show.
 */
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

static __device__ __forceinline__ void choose_method(OnceBarrier &barrier, int method)
{
    barrier.method = (sync_id)method;
}

#endif
