/*
 * The step loop of Xiao and Feng 2010, Figures 2 and 3. An algorithm is a number of data-parallel steps, with
 * a barrier across all blocks between two steps. The algorithm defines its step as a copyable struct with
 *
 *     __device__ void operator()(int step);
 *
 * Every method to synchronise then works for it: one launch of all steps, with a grid barrier after each step
 * (step_loop), or one launch for each step (one_step). The barrier is a template argument, so the code of a
 * loop contains no other barriers.
 *
 * A step may also have
 *
 *     __device__ void look_ahead(int step);
 *
 * The loop calls this function before each step; if the barrier has two halves, it does so between the
 * halves. The function computes addresses and loads tables, and must not touch what other blocks write. The
 * loop of such a step has no barrier after the last step; the papers' loops have one.
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

/* The launch bounds of a step. Its constants THREADS and BLOCKS_AT_ONCE (blocks on a multiprocessor) tell the
 * compiler how many registers a thread may have. A step without these constants gets zeros, which set no
 * bounds. */
template <class Step, class = void>
struct bounds_of {
    static constexpr unsigned threads = 0, blocks = 0;
};
template <class Step>
struct bounds_of<Step, decltype((void)Step::BLOCKS_AT_ONCE)> {
    static constexpr unsigned threads = Step::THREADS, blocks = Step::BLOCKS_AT_ONCE;
};
#define BOUNDS_OF(Step) __launch_bounds__(bounds_of<Step>::threads, bounds_of<Step>::blocks)

/* `value` is true if the barrier has two halves, arrive() and wait(), that every thread calls. */
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

/* Does the steps `first` to `end` - 1, for a Step with a constant STEPS. The loop is unrolled, so that the
 * code stands in the order in which it runs: a jump to code that the multiprocessor has not fetched costs as
 * much as a load. */
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

/* The step loop of Xiao and Feng 2010, Figure 3: a step, then a grid barrier, `steps` times. */
template <class Barrier, class Step>
static __device__ __forceinline__ void loop(Barrier &barrier, Step &step, int steps)
{
    for (int s = 0; s < steps; s++) {
        convergence_set(); /* lanes that skip the step wait at convergence_wait() for the lanes that do it */
        step(s);
        convergence_wait();
        barrier.sync();
    }
}

/* Does all steps of an algorithm in one launch (Xiao and Feng 2010, Figure 3). All blocks must be resident at
 * once. */
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

/* Does one step of an algorithm in a launch of its own (Xiao and Feng 2010, Figure 2). The end of the kernel
 * is the barrier. */
template <class Step>
__global__ void BOUNDS_OF(Step) one_step(Step step, int s)
{
    if constexpr (looks_ahead<Step>::value)
        step.look_ahead(s);
    step(s);
}

/* Does one step of an algorithm in a programmatic dependent launch of its own. The kernel may begin early, so
 * it waits until the kernel of the previous step has ended. */
template <class Step>
__global__ void BOUNDS_OF(Step) one_dependent_step(Step step, int s)
{
    if constexpr (looks_ahead<Step>::value)
        step.look_ahead(s);
    begin_early();
    step(s);
}

/* Does what step_loop does, unrolled, for a step with constants STEPS and THREADS. THREADS tells the compiler
 * how many registers a thread may have. */
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

/* A barrier type that does not synchronise. With it the step loop takes the computation time alone, and its
 * results are wrong if the algorithm needs barriers. */
struct NoBarrier {
    __device__ void begin(gpusync_grid_barrier) {}
    __device__ void sync() { compiler_barrier(); }
    __device__ void end() {}
};

/* A barrier type that does not synchronise, but makes each block clear the L1 cache of its multiprocessor
 * after a step, as an ordered barrier or the end of a kernel does. Its time minus NoBarrier's time is the
 * cost of the loads that miss the cleared cache. A real barrier costs this time, too, in addition to the
 * waiting. */
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
