/*
 * The step loop of Xiao and Feng 2010, Figures 2 and 3: an algorithm is a number of steps, each
 * data-parallel, with a barrier across all blocks between two steps. The algorithm gives its step,
 * a copyable struct with
 *
 *     __device__ void operator()(int step);
 *
 * and every way to synchronise works for it: one launch in all with a grid barrier after each step
 * (step_loop), or one launch a step (one_step). The barrier is a template argument, so a loop
 * contains nothing of the others.
 *
 * A step that also has
 *
 *     __device__ void look_ahead(int step);
 *
 * is told before each step which one comes, when it must not yet touch what others write: it computes
 * addresses there and loads tables, between the halves of a barrier that has two. Its loop has no barrier
 * after the last step, which the papers' loops have.
 */
#ifndef HARNESS_STEP_LOOP_CUH
#define HARNESS_STEP_LOOP_CUH

#include "harness/kernel.cuh"
#include "sync/barrier_memory.cuh"
#include "sync/convergence.cuh"
#include "sync/memory_order.cuh"

template <class Step, class = void>
struct looks_ahead {
    static constexpr bool value = false;
};
template <class Step>
struct looks_ahead<Step, decltype((void)&Step::look_ahead)> {
    static constexpr bool value = true;
};

template <class Step, class = void>
struct has_constant_steps {
    static constexpr bool value = false;
};
template <class Step>
struct has_constant_steps<Step, decltype((void)Step::STEPS)> {
    static constexpr bool value = true;
};

/* What the compiler is told of a step that has constants THREADS and BLOCKS_AT_ONCE, of a multiprocessor: how many
 * registers there are. Zeros tell it nothing. */
template <class Step, class = void>
struct bounds_of {
    static constexpr unsigned threads = 0, blocks = 0;
};
template <class Step>
struct bounds_of<Step, decltype((void)Step::BLOCKS_AT_ONCE)> {
    static constexpr unsigned threads = Step::THREADS, blocks = Step::BLOCKS_AT_ONCE;
};
#define BOUNDS_OF(Step) __launch_bounds__(bounds_of<Step>::threads, bounds_of<Step>::blocks)

/* Halves that every thread calls. */
template <class Barrier, class = void>
struct has_halves {
    static constexpr bool value = false;
};
template <class Barrier>
struct has_halves<Barrier, decltype((void)&Barrier::arrive, (void)&Barrier::wait)> {
    static constexpr bool value = true;
};

template <class Barrier, class Step>
static __device__ __forceinline__ void meet_and_look_ahead(Barrier &barrier, Step &step, int next)
{
    if constexpr (has_halves<Barrier>::value) {
        barrier.arrive();
        step.look_ahead(next);
        barrier.wait();
    } else {
        step.look_ahead(next);
        barrier.sync();
    }
}

template <class Barrier, class Step>
static __device__ __forceinline__ void loop_looking_ahead(Barrier &barrier, Step &step, int steps)
{
    step.look_ahead(0);
    for (int s = 0; s < steps; s++) {
        step(s);
        if (s + 1 < steps)
            meet_and_look_ahead(barrier, step, s + 1);
    }
}

/*
 * The same for a step that has their number as a constant STEPS: code in the order in which it runs, since each jump to
 * code that a multiprocessor has not fetched yet costs as much as a load. The steps from `first` to before `end`.
 */
template <int S, class Barrier, class Step>
static __device__ __forceinline__ void straight_looking_ahead(Barrier &barrier, Step &step, int first,
                                                              int end)
{
    if (S >= first && S < end)
        step(S);
    if constexpr (S + 1 < Step::STEPS) {
        if (S >= first && S + 1 < end)
            meet_and_look_ahead(barrier, step, S + 1);
        straight_looking_ahead<S + 1>(barrier, step, first, end);
    }
}

/* Figure 3's loop. */
template <class Barrier, class Step>
static __device__ __forceinline__ void loop(Barrier &barrier, Step &step, int steps)
{
    for (int s = 0; s < steps; s++) {
        convergence_set(); /* where the lanes of a warp that skip the step wait for those that do it */
        step(s);
        convergence_wait();
        barrier.sync();
    }
}

/* Figure 3: the whole algorithm in one launch. All blocks must be resident at once. */
template <class Barrier, class Step>
__global__ void BOUNDS_OF(Step) step_loop(Step step, int steps, gpusync_grid_barrier memory)
{
    begin_early();
    Barrier barrier;
    barrier.begin(memory);
    if constexpr (looks_ahead<Step>::value)
        loop_looking_ahead(barrier, step, steps);
    else
        loop(barrier, step, steps);
    barrier.end();
}

/* Figure 2: one launch of many. The end of a kernel is the barrier. */
template <class Step>
__global__ void BOUNDS_OF(Step) one_step(Step step, int s)
{
    if constexpr (looks_ahead<Step>::value)
        step.look_ahead(s);
    step(s);
}

/* The same under programmatic dependent launch: it may start early, so it waits for the step before
 * to be complete. */
template <class Step>
__global__ void BOUNDS_OF(Step) one_dependent_step(Step step, int s)
{
    if constexpr (looks_ahead<Step>::value)
        step.look_ahead(s);
    begin_early();
    step(s);
}

/* The same for a step with constants STEPS, and THREADS, which tells the compiler how many registers there are. */
template <class Barrier, class Step>
__global__ void __launch_bounds__(Step::THREADS) straight_step_loop(Step step, gpusync_grid_barrier memory)
{
    step.look_ahead(0);
    begin_early();
    Barrier barrier;
    barrier.begin(memory);
    straight_looking_ahead<0>(barrier, step, 0, Step::STEPS);
    barrier.end();
}

/* The loop without its barriers: the computation time, and wrong results for any algorithm that
 * needs them. */
struct NoBarrier {
    __device__ void begin(gpusync_grid_barrier) {}
    __device__ void sync() { compiler_barrier(); }
    __device__ void end() {}
};

/* Each block clears its multiprocessor's L1 cache after a step, as an ordered barrier or the end of a kernel does:
 * less NoBarrier, what the loads that miss cost; that, and not waiting, is part of what a barrier costs. */
struct ColdNoBarrier {
    __device__ void begin(gpusync_grid_barrier) {}
    __device__ void sync()
    {
        __syncthreads();
        if (is_block_leader())
            fence_acquire();
        __syncthreads();
    }
    __device__ void end() {}
};

#endif
