/* Shared by the tests of the memory machine: machines with round numbers as their constants, kernels that are
 * function objects, and sentences about times. */
#ifndef TESTS_MACHINE_OF_CARD_CUH
#define TESTS_MACHINE_OF_CARD_CUH

#include "harness/launch.cuh"
#include "machine/machine.h"
#include "tests/check.h"

#include <string.h>

static const char *const schedule_names[] = {"round-robin", "random", "adversarial"};

/* Returns a pure UMM with this number of multiprocessors, on which stores do not wait, lanes may diverge, and
 * each request takes an issue slot. A global access takes `global_latency` time units. */
static inline machine_description independent_threads(int sms, int global_latency)
{
    machine_description d = machine_pure_umm(32, global_latency);
    d.sm_count = sms;
    d.posted_stores = true;
    d.lockstep = false;
    d.charges_memory_only = false;
    return d;
}

/* Returns a machine with one multiprocessor that works as a card of compute capability 9.0 does: up to four
 * loads are under way. */
static inline machine_description machine_of_card(int global_latency)
{
    machine_description d = independent_threads(1, global_latency);
    d.compute_capability = 90; /* determines the size of the machine's L1 cache */
    d.max_threads_per_sm = 2048;
    d.max_blocks_per_sm = 8;
    d.issue_per_1000_units = 4000;
    d.loads_under_way = 4;
    return d;
}

enum { WORDS = 65536 };
static unsigned *words;  /* WORDS words, which kernels access */
static long long *times; /* where kernels store times that they measure */

static inline void clear_words()
{
    if (!words) {
        CHECK(cudaMalloc((void **)&words, WORDS * sizeof *words));
        CHECK(cudaMalloc((void **)&times, 64 * sizeof *times));
    }
    CHECK(cudaMemset(words, 0, WORDS * sizeof *words));
}

/* Installs the machine, and sets all words of `words` to 0. */
static inline void install(const machine_description &d)
{
    machine_install(&d);
    clear_words();
    machine_reset_counters();
}

/* Calls a function object of the device, as a kernel. */
template <class Body>
__global__ void call(Body body, unsigned *all_words, long long *all_times)
{
    body(all_words, all_times);
}

/* Launches a function object. Waits until the kernel has ended. Returns the error of the launch or of the
 * kernel. */
template <class Body>
static cudaError_t run(launch_shape shape, Body body)
{
    cudaError_t error = launch(call<Body>, shape, (cudaStream_t) nullptr, body, words, times);
    cudaError_t ended = cudaDeviceSynchronize();
    return error != cudaSuccess ? error : ended;
}

/* Returns the number of time units from the launch of a function object to its end, or 0 if it failed. */
template <class Body>
static long long time_of(launch_shape shape, Body body)
{
    uint64_t begin = machine_now();
    return run(shape, body) == cudaSuccess ? (long long)(machine_now() - begin) : 0;
}

/* Returns the time that the function object has stored in times[0]. */
template <class Body>
static long long time_in(launch_shape shape, Body body)
{
    CHECK(run(shape, body));
    return times[0];
}

/* Calls test(SCHEDULE) under each schedule, on a newly installed machine. */
template <class Test>
static void under_each_schedule(const machine_description &d, uint64_t seed, Test test)
{
    for (int s = 0; s < 3; s++) {
        install(d);
        machine_set_schedule((machine_schedule)s, seed);
        test(s);
    }
    machine_set_schedule(MACHINE_ROUND_ROBIN, 1);
}

/* Checks the machine's trace of a function object. */
template <class Body>
static void traces(const char *expected, const char *sentence, launch_shape shape, Body body)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    machine_trace(file);
    run(shape, body);
    machine_trace(NULL);
    fclose(file);
    const bool same = strcmp(text, expected) == 0;
    check(same, "%s%s", sentence, same ? "" : text);
    free(text);
}

/* Checks that a time, or another number, is from `least` to `most`. */
static inline void within(double value, double least, double most, const char *sentence)
{
    check(value >= least && value <= most, "%s (%.10g)", sentence, value);
}

static inline void equals(double value, double expected, const char *sentence)
{
    within(value, expected, expected, sentence);
}

#endif
