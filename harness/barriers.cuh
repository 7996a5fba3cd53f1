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

#endif
