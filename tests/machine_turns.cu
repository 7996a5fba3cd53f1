/* Tests the turns that the lanes of a warp take in shared memory, and what fences, sleeps and loops that
 * poll wait for (docs/machine.md). All tests measure on one machine with round numbers as its constants. */
#include "harness/launch.cuh"
#include "machine/machine.h"
#include "sync/mbarrier.cuh"
#include "sync/memory_order.cuh"
#include "tests/check.h"
#include "tests/machine_of_card.cuh"

using namespace gpusync;

static const int GLOBAL = 100, SHARED_ATOMIC = 30, LANE = 7, SERIAL = 3, SWAP_LANE = 11, LOOP = 90,
                 LOOP_64 = 110;

static machine_description machine_of_turns()
{
    machine_description d = machine_of_card(GLOBAL);
    d.atomic_latency = 150;
    d.fence_latency = d.fence_release_latency = 50;
    d.clock_hz = 1e9; /* a time unit is a nanosecond */
    d.shared_atomic_latency = SHARED_ATOMIC;
    d.shared_atomic_lane = LANE, d.shared_atomic_serial = SERIAL;
    d.shared_swap_lane = SWAP_LANE, d.shared_swap_serial = SERIAL;
    d.shared_loop_lane = LOOP, d.shared_loop_64_lane = LOOP_64, d.shared_loop_serial = 20;
    return d;
}

static long long *out;
static unsigned *words;

static void install(const machine_description &d)
{
    machine_install(&d);
    cudaMalloc((void **)&out, 64 * sizeof *out);
    cudaMalloc((void **)&words, 65536);
    cudaMemset(words, 0, 65536);
}

static void remove_machine()
{
    cudaFree(out);
    cudaFree(words);
}

/* Returns the time that the kernel measured in its first thread. */
template <class... Parameters, class... Arguments>
static long long time_in(void (*kernel)(long long *, Parameters...), unsigned threads, Arguments... arguments)
{
    launch(kernel, {1, threads, 0, false, false}, (cudaStream_t) nullptr, out, arguments...);
    cudaDeviceSynchronize();
    return out[0];
}

static bool is_about(long long time, long long expected)
{
    return time >= expected && time < expected + 20;
}

enum operation { ADD, ADD_UNUSED, COUNT, SWAP, ADD_64, ADD_FLOAT, ARRIVE };

/* Each thread does the operation on the word with the number threadIdx.x * stride, and waits for all
 * threads. */
static __device__ __forceinline__ void operate(operation what, long long *times, unsigned long long *wide,
                                               unsigned stride, unsigned one)
{
    unsigned long long *word = &wide[threadIdx.x * stride % 64];
    unsigned old = 0;
    for (unsigned i = threadIdx.x; i < 64; i += blockDim.x)
        wide[i] = 0;
    if (what == ARRIVE && threadIdx.x == 0)
        mbarrier_init(&wide[0], blockDim.x);
    __syncthreads();
    long long begin = clock64();
    if (what == ADD)
        old = atomicAdd((unsigned *)word, one);
    else if (what == ADD_UNUSED)
        atomicAdd((unsigned *)word, one);
    else if (what == COUNT)
        atomicAdd((unsigned *)word, 1u);
    else if (what == SWAP)
        old = atomicCAS((unsigned *)word, 0u, one);
    else if (what == ADD_64)
        atomicAdd(word, 1ull);
    else if (what == ADD_FLOAT)
        atomicAdd((float *)word, 1.f);
    else
        mbarrier_arrive(word);
    if (old == 12345) /* waits for the old value */
        times[1] = old;
    __syncthreads();
    if (threadIdx.x == 0)
        times[0] = clock64() - begin;
}

#define OPERATE(name, what)                                                                                  \
    __global__ void name(long long *times, unsigned stride, unsigned one)                                    \
    {                                                                                                        \
        __shared__ unsigned long long wide[64];                                                              \
        operate(what, times, wide, stride, one);                                                             \
    }
OPERATE(add, ADD)
OPERATE(add_unused, ADD_UNUSED)
OPERATE(count, COUNT)
OPERATE(swap, SWAP)
OPERATE(add_64, ADD_64)
OPERATE(add_float, ADD_FLOAT)
OPERATE(arrive, ARRIVE)

static void check_turns()
{
    install(machine_of_turns());
    long long apart = time_in(add, 16, 1u, 1u), one = time_in(add, 16, 0u, 1u);
    check(is_about(apart, SHARED_ATOMIC), "lanes that change words of different banks need no turns (%lld)",
          apart);
    check(one - apart == 15 * LANE, "lanes that change one word take turns (%lld, %lld)", one, apart);
    check(time_in(swap, 16, 0u, 1u) - time_in(swap, 16, 1u, 1u) == 15 * SWAP_LANE,
          "a compare-and-swap has turns of another length");
    check(time_in(add, 32, 0u, 1u) == time_in(add, 32, 32u, 1u),
          "words of one bank take turns as one word does");
    long long more = time_in(add, 1024, 0u, 1u);
    check(more >= 1023 * SERIAL && more < 1024 * SERIAL + 32 * LANE + 100,
          "turns of different warps overlap up to the pipeline's rate (%lld)", more);
    remove_machine();
}

static void check_counts()
{
    install(machine_of_turns());
    long long counted = time_in(count, 1024, 0u, 1u), added = time_in(add_unused, 1024, 0u, 1u);
    check(counted < 32 * SERIAL + 100 && added > 1023 * SERIAL - 32,
          "an addition of the constant 1 without a result counts a warp's lanes at once (%lld, %lld)",
          counted, added);
    remove_machine();
}

static void check_loops()
{
    install(machine_of_turns());
    long long one = time_in(add_float, 16, 0u, 1u), apart = time_in(add_float, 16, 1u, 1u);
    check(is_about(apart, LOOP) && is_about(one, 16 * LOOP),
          "an addition of floating-point numbers is a loop in which one lane of a word succeeds (%lld, %lld)",
          apart, one);
    check(is_about(time_in(add_64, 16, 0u, 1u), 16 * LOOP_64), "and so is one of 64 bits");
    long long warps = time_in(add_float, 128, 0u, 1u);
    check(warps >= 32 * LOOP && warps < 4 * 32 * LOOP, "loops of several warps on one word overlap (%lld)",
          warps);
    machine_description d = machine_of_turns();
    d.shared_loop_lane = d.shared_loop_64_lane = 0;
    machine_install(&d);
    check(time_in(add_64, 16, 0u, 1u) < 16 * LOOP, "without its constant it is none");
    remove_machine();
}

static void check_mbarriers()
{
    machine_description d = machine_of_turns();
    d.mbarrier_lane = 50;
    install(d);
    check(time_in(arrive, 32, 0u, 1u) < 2 * SHARED_ATOMIC,
          "the lanes of a warp arrive at one mbarrier together");
    d.shared_atomic_lane = 0;
    d.shared_atomic_same_address = LANE;
    machine_install(&d);
    check(time_in(arrive, 32, 0u, 1u) > 31 * LANE,
          "on a machine without turns they arrive one after another");
    remove_machine();
}

/* ---- fences, sleeps, votes, divisions ---- */

/* Measures two fences, with a load before the first if `loads` is true. */
__global__ void fence_twice(long long *times, unsigned *word, bool loads)
{
    unsigned value = 0;
    __threadfence();
    if (loads)
        value = load_relaxed(word);
    if (value == 12345) /* waits for the value */
        __trap();
    long long begin = clock64();
    __threadfence();
    long long first = clock64() - begin;
    begin = clock64();
    __threadfence();
    long long second = clock64() - begin;
    times[0] = first;
    times[1] = second;
}

static void check_fences()
{
    machine_description d = machine_of_turns();
    d.fence_load_latency = 120;
    install(d);
    check(is_about(time_in(fence_twice, 1, words, false), 50), "a fence has its own latency");
    check(is_about(time_in(fence_twice, 1, words, true), 120) && is_about(out[1], 50),
          "the first fence after an access of global memory takes longer (%lld, %lld)", out[0], out[1]);
    remove_machine();
}

__global__ void sleep(long long *times, unsigned nanoseconds)
{
    for (int i = 0; i < 2; i++) {
        long long begin = clock64();
        __nanosleep(nanoseconds);
        times[0] = clock64() - begin;
    }
}

static void check_sleeps()
{
    machine_description d = machine_of_turns();
    d.sleep_latency = 40;
    install(d);
    check(is_about(time_in(sleep, 1, 0u), 40), "the shortest sleep has its own latency");
    check(time_in(sleep, 1, 1000u) > 1000 && out[0] <= 1024,
          "the second of two sleeps takes the next power of two");
    check(time_in(sleep, 1, 1024u) > 1024 && out[0] > 1024 && out[0] <= 2048,
          "a sleep of a power of two takes the next one (%lld)", out[0]);
    d.sleep_latency = 0;
    machine_install(&d);
    check(time_in(sleep, 1, 1000u) < 20, "without its constant a sleep only pauses");
    remove_machine();
}

__global__ void vote(long long *times, bool counts, unsigned *counted)
{
    __syncthreads();
    long long begin = clock64();
    int all = 0;
    if (counts)
        all = __syncthreads_count(threadIdx.x % 4 == 0);
    else
        __syncthreads();
    long long first = clock64() - begin;
    begin = clock64();
    __syncthreads();
    if (threadIdx.x == 0) {
        times[0] = first;
        times[1] = clock64() - begin;
    }
    counted[threadIdx.x] = (unsigned)all;
}

static void check_votes()
{
    machine_description d = machine_of_turns();
    d.syncthreads_latency = d.syncthreads_latency_of_32 = 10;
    d.syncthreads_count_latency = 60;
    install(d);
    long long barrier = time_in(vote, 128, false, words), counted = time_in(vote, 128, true, words);
    check(counted - barrier >= 58 && counted - barrier < 62,
          "a barrier that counts takes longer (%lld, %lld)", barrier, counted);
    check(out[1] < barrier + 30, "but not the next barrier (%lld)", out[1]);
    check(words[0] == 32 && words[127] == 32, "and each thread gets the count");
    remove_machine();
}

enum dividend { SAME, PLACE, CHANGING }; /* the dividend of each turn of the loop */
template <dividend of>
__global__ void divide(long long *times, unsigned turns, unsigned a, unsigned b, unsigned *sums)
{
    unsigned sum = 0;
    long long begin = clock64();
    for (unsigned i = 0; i < turns; i++) {
        __syncthreads(); /* before it, the compiler may not divide, because the division could trap */
        sums[i % 8] = sum;
        sum += (of == SAME ? a + 1 : of == PLACE ? threadIdx.x + a : a + i) / (of == PLACE ? blockDim.x : b);
    }
    times[0] = clock64() - begin;
}

static void check_divisions()
{
    machine_description d = machine_of_turns();
    d.instruction_per_1000 = d.long_instruction_per_1000 = 1000;
    d.divide_latency = 100;
    install(d);
    auto time = [](auto kernel) { return time_in(kernel, 1, 40u, 7u, 3u, words); };
    long long same = time(divide<SAME>), place = time(divide<PLACE>), changing = time(divide<CHANGING>);
    check(changing > 40 * 100 && same < 40 * 50 && place < 40 * 50,
          "only a changing division is in each turn (%lld, %lld, %lld)", same, place, changing);
    remove_machine();
}

/* ---- polls ---- */

/* The second block's threads wait until the first block's thread sets the flag: one thread of a warp,
 * which meets the others at __syncthreads(). */
__global__ void wait_for_flag(long long *times, unsigned *flag, bool all)
{
    if (blockIdx.x == 0) {
        for (long long begin = clock64(); clock64() - begin < 1000;) {
        }
        if (threadIdx.x == 0)
            store_relaxed(flag, 1);
        return;
    }
    if (all || threadIdx.x == 0)
        while (!load_acquire(flag)) {
        }
    __syncthreads();
    if (threadIdx.x == 0)
        times[0] = clock64();
}

static long long time_of_wait(const machine_description &d, bool all)
{
    install(d);
    long long begin = (long long)machine_now();
    launch(wait_for_flag, {2, 32, 0, false, false}, (cudaStream_t) nullptr, out, words, all);
    cudaDeviceSynchronize();
    long long time = out[0] - begin;
    remove_machine();
    return time;
}

static void check_polls()
{
    machine_description d = machine_of_turns();
    d.max_blocks_per_sm = 1, d.sm_count = 2;
    d.poll_latency = d.poll_apart_latency = 1;
    long long before = time_of_wait(d, false), all_before = time_of_wait(d, true);
    d.poll_meet_latency = 300;
    check(time_of_wait(d, false) >= before + 298,
          "lanes meet late after one of them has polled by acquiring loads");
    check(time_of_wait(d, true) < all_before + 100, "they do not if all have polled");
}

/* The first thread looks at a word, which is 0, in a loop with two conditions, `most` times and once more. */
__global__ void look(long long *times, volatile unsigned *word, unsigned most)
{
    unsigned looks = 0;
    long long begin = clock64();
    while (!*word && looks < most)
        looks++;
    times[0] = clock64() - begin + looks / 1000;
}

/* The first thread loads a word `loads` times. What it computes depends on the word, and not how often it
 * loads it. */
__global__ void load_often(long long *times, volatile unsigned *word, unsigned loads)
{
    float value = (float)threadIdx.x;
    long long begin = clock64();
    for (unsigned i = 0; i < loads; i++) {
        if (*word < loads)
            value *= 3;
        asm volatile("" : "+f"(value));
    }
    times[0] = clock64() - begin + (value > 1);
}

static void check_looks()
{
    machine_description d = machine_of_turns();
    d.poll_latency = d.poll_apart_latency = 1;
    install(d);
    long long short_once = time_in(look, 1, words, 0u), short_loads = time_in(load_often, 1, words, 9u);
    remove_machine();
    d.poll_latency = d.poll_apart_latency = 300;
    install(d);
    check(is_about(time_in(load_often, 1, words, 9u), short_loads),
          "a loop with a condition that does not decide how long it turns polls nothing");
    long long once = time_in(look, 1, words, 0u), thrice = time_in(look, 1, words, 2u);
    check(once >= short_once + 290,
          "a loop that polls is left late, whichever condition ends it (%lld, %lld)", short_once, once);
    remove_machine();
    d.poll_leave_latency = 40;
    install(d);
    long long left = time_in(look, 1, words, 0u), left_late = time_in(look, 1, words, 2u);
    check(is_about(left, once - 260 - 10) && is_about(left_late, thrice - 260 - 10),
          "the end of the loop has its own time (%lld, %lld)", left, left_late);
    remove_machine();
}

/* The second warp waits for an mbarrier, by one lane or by all, when the first warp has arrived there. */
__global__ void wait_for_arrival(long long *times, bool all)
{
    __shared__ mbarrier barrier;
    if (threadIdx.x == 0)
        mbarrier_init(&barrier, 1);
    __syncthreads();
    long long begin = clock64();
    if (threadIdx.x == 0)
        mbarrier_arrive(&barrier);
    while (clock64() - begin < 1000) {
    }
    if (threadIdx.x == 32 || (all && threadIdx.x > 32)) {
        while (!mbarrier_try_wait(&barrier, 0)) {
        }
        times[0] = clock64() - begin;
    }
    __syncthreads();
}

static void check_arrivals_seen()
{
    machine_description d = machine_of_turns();
    d.poll_latency = d.poll_apart_latency = 1;
    d.shared_poll_latency = d.mbarrier_poll_latency = 5;
    d.shared_poll_apart_latency = 300;
    install(d);
    long long all = time_in(wait_for_arrival, 64, true), one = time_in(wait_for_arrival, 64, false);
    check(all < 1200, "a warp whose lanes all wait for an mbarrier goes on at once (%lld)", all);
    check(one >= 1300, "a lane that waits for it alone leaves its loop late (%lld)", one);
    remove_machine();
}

/* All warps meet at __syncthreads(), to which each comes `apart` time units after the one before it. */
__global__ void come(long long *times, long long apart)
{
    __syncthreads();
    long long begin = clock64(), mine = threadIdx.x / 32 * apart;
    while (clock64() - begin < mine) {
    }
    __syncthreads();
    if (threadIdx.x == 0)
        times[0] = clock64() - begin;
}

static void check_arrivals()
{
    machine_description d = machine_of_turns();
    d.syncthreads_latency = 10;
    d.syncthreads_latency_of_32 = 10 + 31 * 20;
    install(d);
    long long together = time_in(come, 1024, 0LL), apart = time_in(come, 1024, 200LL);
    check(together >= 630 && together < 750, "a barrier counts one warp after another (%lld)", together);
    check(apart >= 6210 && apart < 6400, "but those that come one by one do not wait for that (%lld)", apart);
    remove_machine();
}

/* The threads of a warp add twice to words of lines of their own, without a result. */
__global__ void add_in_lines(long long *times, unsigned *lines, unsigned one)
{
    atomicAdd(&lines[threadIdx.x * 32], one);
    atomicAdd(&lines[threadIdx.x * 32 + 1], one);
    times[threadIdx.x] = 0;
}

static void check_together()
{
    machine_description d = machine_of_turns();
    d.atomic_units = d.atomic_unit_lines = 1;
    d.atomic_same_address_per_1000 = 40000;
    install(d);
    machine_reset_counters();
    time_in(add_in_lines, 32, words, 1u);
    unsigned long long requests = machine_get_counters()->requests;
    check(requests == 3, "a warp goes on with all lanes after an atomic (%llu requests)", requests);
    remove_machine();
}

/* Notes in times[i] how long a load from line i takes. */
__global__ void load_lines(long long *times, const volatile unsigned *lines)
{
    for (unsigned i = 0; i < 64; i++) {
        long long begin = clock64();
        begin += lines[i * 32];
        times[i] = clock64() - begin;
    }
}

static void check_spread()
{
    machine_description d = machine_of_turns();
    d.global_spread = 30;
    install(d);
    long long first = time_in(load_lines, 1, (const volatile unsigned *)words), least = first, most = first;
    for (unsigned i = 0; i < 64; i++) {
        least = out[i] < least ? out[i] : least;
        most = out[i] > most ? out[i] : most;
    }
    check(least >= GLOBAL - 30 && least < GLOBAL - 20 && most > GLOBAL + 20 && most < GLOBAL + 40,
          "loads take longer from some lines than from others (%lld to %lld)", least, most);
    time_in(load_lines, 1, (const volatile unsigned *)words);
    check(out[0] == first, "and always as long from one line");
    remove_machine();
}

int main()
{
    check_looks();
    check_arrivals_seen();
    check_arrivals();
    check_together();
    check_spread();
    check_turns();
    check_counts();
    check_loops();
    check_mbarriers();
    check_fences();
    check_sleeps();
    check_votes();
    check_divisions();
    check_polls();
    return checks_done();
}
