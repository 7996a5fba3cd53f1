/* Tests the turns that the lanes of a warp take in shared memory, and the waits of fences, sleeps and polling
 * loops (docs/machine.md). All tests measure on one machine with round numbers as its constants. */
#include "sync/mbarrier.cuh"
#include "sync/memory_order.cuh"
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

/* Returns machine_of_turns() with this latency of the branch of a loop that polls. */
static machine_description machine_of_polls(int latency)
{
    machine_description d = machine_of_turns();
    d.poll_latency = d.poll_apart_latency = latency;
    return d;
}

static void is_about(long long time, long long expected, const char *sentence)
{
    within(time, expected, expected + 19, sentence);
}

/* ---- atomics in shared memory ---- */

enum operation { ADD, ADD_UNUSED, COUNT, SWAP, SWAP_64, EXCHANGE_64, ADD_64, ADD_FLOAT, ARRIVE };

/* Each thread does the operation on the word with the number threadIdx.x * stride. Returns the time until all
 * threads have ended it. */
template <operation what>
static long long time_to(unsigned threads, unsigned stride)
{
    return time_in({1, threads}, [=] __device__(unsigned *w, long long *t) {
        __shared__ unsigned long long wide[64];
        unsigned long long *word = &wide[threadIdx.x * stride % 64];
        unsigned old = 0, one = w[0] + 1;
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
        else if (what == SWAP_64)
            old = (unsigned)atomicCAS(word, 0ull, (unsigned long long)one);
        else if (what == EXCHANGE_64)
            old = (unsigned)atomicExch(word, (unsigned long long)one);
        else if (what == ADD_64)
            atomicAdd(word, 1ull);
        else if (what == ADD_FLOAT)
            atomicAdd((float *)word, 1.f);
        else
            mbarrier_arrive(word);
        if (old == 12345) /* waits for the old value */
            t[1] = old;
        __syncthreads();
        if (threadIdx.x == 0)
            t[0] = clock64() - begin;
    });
}

/* Returns how many turns a warp's lanes take: the most accesses of one bank, of which there are 32 with 4
 * bytes each. Lanes that count in one word are one access. */
static int turns_of(operation what, unsigned threads, unsigned stride)
{
    int accesses[32] = {0}, most = 0;
    bool counted[64] = {false};
    for (unsigned i = 0; i < threads; i++) {
        unsigned word = i * stride % 64; /* the words are 8 bytes apart */
        if (what == COUNT && counted[word])
            continue;
        counted[word] = true;
        int *bank = &accesses[what == SWAP_64 || what == EXCHANGE_64 ? word % 16 : 2 * word % 32];
        most = ++*bank > most ? *bank : most;
    }
    return most;
}

/* Checks the time of every stride and of several numbers of threads against that number of turns, each of
 * which takes `each` time units. */
template <operation what>
static void check_each_stride(int each, const char *name)
{
    int wrong = 0;
    for (unsigned threads : {2u, 7u, 16u, 32u})
        for (unsigned stride = 0; stride < 64; stride++)
            wrong += time_to<what>(threads, stride) - time_to<what>(1, 0) !=
                     (turns_of(what, threads, stride) - 1) * each;
    check(wrong == 0, "lanes take turns at a bank by %s, whatever the stride (%d of 256 times differ)", name,
          wrong);
}

static void check_turns()
{
    machine_description d = machine_of_turns();
    install(d);
    check_each_stride<ADD>(LANE, "additions");
    check_each_stride<SWAP>(SWAP_LANE, "compare-and-swap");
    check_each_stride<SWAP_64>(SWAP_LANE, "compare-and-swap of 64 bits");
    check_each_stride<EXCHANGE_64>(LANE, "exchanges of 64 bits");
    is_about(time_to<ADD>(16, 1), SHARED_ATOMIC, "lanes that change words of different banks need no turns");
    within(time_to<ADD>(1024, 0), 1023 * SERIAL, 1024 * SERIAL + 32 * LANE + 99,
           "turns of different warps overlap up to the pipeline's rate");
    within(time_to<ADD_UNUSED>(1024, 0), 1023 * SERIAL - 31, 1024 * SERIAL + 32 * LANE + 99,
           "they do so without a result");
    within(time_to<COUNT>(1024, 0), SERIAL, 32 * SERIAL + 99,
           "an addition of the constant 1 without a result counts a warp's lanes at once");
    is_about(time_to<ADD_FLOAT>(16, 1), LOOP, "an addition of floating-point numbers is a loop");
    is_about(time_to<ADD_FLOAT>(16, 0), 16 * LOOP, "in which one lane of a word succeeds");
    is_about(time_to<ADD_64>(16, 0), 16 * LOOP_64, "and so is one of 64 bits");
    within(time_to<ADD_FLOAT>(128, 0), 32 * LOOP, 4 * 32 * LOOP - 1,
           "loops of several warps on one word overlap");
    d.shared_loop_lane = d.shared_loop_64_lane = 0;
    d.mbarrier_lane = 50;
    install(d);
    within(time_to<ADD_64>(16, 0), LANE, 16 * LOOP - 1, "without its constant it is none");
    within(time_to<ARRIVE>(32, 0), 0, 2 * SHARED_ATOMIC - 1,
           "a warp's lanes arrive at one mbarrier together");
    d.shared_atomic_lane = 0;
    d.shared_atomic_same_address = LANE;
    install(d);
    within(time_to<ARRIVE>(32, 0), 31 * LANE + 1, 40 * LANE, "without turns they arrive one after another");
}

/* ---- fences, sleeps, votes, divisions ---- */

/* Measures two fences, with a load before the first if `loads` is true. */
static long long time_of_fences(bool loads)
{
    return time_in({1, 1}, [=] __device__(unsigned *w, long long *t) {
        __threadfence();
        if (loads && load_relaxed(w) == 12345) /* waits for the value */
            __trap();
        long long begin = clock64();
        __threadfence();
        long long between = clock64();
        __threadfence();
        t[1] = clock64() - between;
        t[0] = between - begin;
    });
}

static void check_fences()
{
    machine_description d = machine_of_turns();
    d.fence_load_latency = 120;
    install(d);
    is_about(time_of_fences(false), 50, "a fence has its own latency");
    is_about(time_of_fences(true), 120, "the first fence after an access of global memory takes longer");
    is_about(times[1], 50, "the second does not");
}

/* Returns the time of the second of two sleeps. */
static long long time_to_sleep(unsigned nanoseconds)
{
    return time_in({1, 1}, [=] __device__(unsigned *, long long *t) {
        for (int i = 0; i < 2; i++) {
            long long begin = clock64();
            __nanosleep(nanoseconds);
            t[0] = clock64() - begin;
        }
    });
}

static void check_sleeps()
{
    machine_description d = machine_of_turns();
    d.sleep_latency = 40;
    install(d);
    is_about(time_to_sleep(0), 40, "the shortest sleep has its own latency");
    within(time_to_sleep(1000), 1001, 1024, "the second of two sleeps takes the next power of two");
    within(time_to_sleep(1024), 1025, 2048, "a sleep of a power of two takes the next one");
    d.sleep_latency = 0;
    install(d);
    within(time_to_sleep(1000), 0, 19, "without its constant a sleep only pauses");
}

/* Measures two barriers of the block, the first of which counts threads if `counts` is set. */
static long long time_of_votes(bool counts)
{
    return time_in({1, 128}, [=] __device__(unsigned *w, long long *t) {
        for (int i = -1; i < 2; i++) {
            long long begin = clock64();
            if (counts && i == 0)
                w[threadIdx.x] = (unsigned)__syncthreads_count(threadIdx.x % 4 == 0);
            else
                __syncthreads();
            if (threadIdx.x == 0 && i >= 0)
                t[i] = clock64() - begin;
        }
    });
}

static void check_votes()
{
    machine_description d = machine_of_turns();
    d.syncthreads_latency = d.syncthreads_latency_of_32 = 10;
    d.syncthreads_count_latency = 60;
    install(d);
    long long barrier = time_of_votes(false);
    within(time_of_votes(true) - barrier, 58, 61, "a barrier that counts takes longer");
    within(times[1], 0, barrier + 29, "but not the next barrier");
    check(words[0] == 32 && words[127] == 32, "and each thread gets the count");
}

/* Divides by 3 in each iteration of a loop: always the same number, the thread's number divided by the
 * block's size, or another number in each iteration. */
enum dividend { SAME, PLACE, CHANGING };
template <dividend of>
static long long time_of_divisions(unsigned turns, unsigned a, unsigned b)
{
    return time_in({1, 1}, [=] __device__(unsigned *w, long long *t) {
        unsigned sum = 0;
        long long begin = clock64();
        for (unsigned i = 0; i < turns; i++) {
            __syncthreads(); /* before it, the compiler may not divide, because the division could trap */
            w[i % 8] = sum;
            sum += (of == SAME    ? a + 1
                    : of == PLACE ? threadIdx.x + a
                                  : a + i) /
                   (of == PLACE ? blockDim.x : b);
        }
        t[0] = clock64() - begin;
    });
}

static void check_divisions()
{
    machine_description d = machine_of_turns();
    d.instruction_per_1000 = d.long_instruction_per_1000 = 1000;
    d.divide_latency = 100;
    install(d);
    within(time_of_divisions<CHANGING>(40, 7, 3), 40 * 100, 40 * 200, "a changing division is in each turn");
    within(time_of_divisions<SAME>(40, 7, 3), 0, 40 * 50, "one that is always the same is not");
    within(time_of_divisions<PLACE>(40, 7, 3), 0, 40 * 50, "nor is one that gives the thread's place");
}

/* ---- polls ---- */

/* The second block's threads wait until the first block's thread sets the flag: all, or one thread of a warp,
 * which meets the others at __syncthreads(). */
static long long time_of_wait(const machine_description &d, bool all)
{
    install(d);
    long long begin = (long long)machine_now();
    return time_in({2, 32}, [=] __device__(unsigned *w, long long *t) {
        if (blockIdx.x == 0) {
            for (long long from = clock64(); clock64() - from < 1000;) {
            }
            if (threadIdx.x == 0)
                store_relaxed(w, 1);
            return;
        }
        if (all || threadIdx.x == 0)
            while (!load_acquire(w)) {
            }
        __syncthreads();
        if (threadIdx.x == 0)
            t[0] = clock64() - begin;
    });
}

/* The first thread looks at a word, which is 0, in a loop with two conditions, `most` times and once more. */
static long long time_to_look(unsigned most)
{
    return time_in({1, 1}, [=] __device__(unsigned *w, long long *t) {
        unsigned looks = 0;
        long long begin = clock64();
        while (!*(volatile unsigned *)w && looks < most)
            looks++;
        t[0] = clock64() - begin + looks / 1000;
    });
}

/* The first thread loads a word `loads` times. What it computes depends on the word, and not how often it
 * loads it. */
static long long time_to_load(unsigned loads)
{
    return time_in({1, 1}, [=] __device__(unsigned *w, long long *t) {
        float value = (float)threadIdx.x;
        long long begin = clock64();
        for (unsigned i = 0; i < loads; i++) {
            if (*(volatile unsigned *)w < loads)
                value *= 3;
            asm volatile("" : "+f"(value));
        }
        t[0] = clock64() - begin + (value > 1);
    });
}

/* The second warp waits for an mbarrier, by one lane or by all, when the first warp has arrived there. */
static long long time_of_arrival(bool all)
{
    return time_in({1, 64}, [=] __device__(unsigned *, long long *t) {
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
            t[0] = clock64() - begin;
        }
        __syncthreads();
    });
}

static void check_polls()
{
    machine_description d = machine_of_polls(1);
    d.max_blocks_per_sm = 1, d.sm_count = 2;
    long long before = time_of_wait(d, false), all_before = time_of_wait(d, true);
    d.poll_meet_latency = 300;
    within(time_of_wait(d, false) - before, 298, 320,
           "lanes meet late after one has polled by acquiring loads");
    within(time_of_wait(d, true) - all_before, -99, 99, "they do not if all have polled");
    install(machine_of_polls(1));
    long long short_once = time_to_look(0), short_loads = time_to_load(9);
    d = machine_of_polls(300);
    install(d);
    is_about(time_to_load(9), short_loads,
             "a loop with a condition that does not decide how long it turns polls nothing");
    long long once = time_to_look(0), thrice = time_to_look(2);
    within(once - short_once, 290, 310, "a loop that polls is left late, whichever condition ends it");
    d.poll_leave_latency = 40;
    install(d);
    is_about(time_to_look(0), once - 260 - 10, "the end of the loop has its own time");
    is_about(time_to_look(2), thrice - 260 - 10, "also after further turns");
    d = machine_of_polls(1);
    d.shared_poll_latency = d.mbarrier_poll_latency = 5;
    d.shared_poll_apart_latency = 300;
    install(d);
    within(time_of_arrival(true), 1000, 1199, "a warp whose lanes all wait for an mbarrier goes on at once");
    within(time_of_arrival(false), 1300, 1499, "a lane that waits for it alone leaves its loop late");
}

/* ---- barriers, atomics and loads of many lanes ---- */

/* All warps meet at __syncthreads(). Each arrives `apart` time units after the preceding warp. */
static long long time_to_come(long long apart)
{
    return time_in({1, 1024}, [=] __device__(unsigned *, long long *t) {
        __syncthreads();
        long long begin = clock64(), mine = threadIdx.x / 32 * apart;
        while (clock64() - begin < mine) {
        }
        __syncthreads();
        if (threadIdx.x == 0)
            t[0] = clock64() - begin;
    });
}

static void check_arrivals()
{
    machine_description d = machine_of_turns();
    d.syncthreads_latency = 10;
    d.syncthreads_latency_of_32 = 10 + 31 * 20;
    install(d);
    within(time_to_come(0), 630, 749, "a barrier counts one warp after another");
    within(time_to_come(200), 6210, 6399, "but those that come one by one do not wait for that");
    d = machine_of_turns();
    d.atomic_units = d.atomic_unit_lines = 1;
    d.atomic_same_address_per_1000 = 40000;
    install(d);
    /* each thread adds twice, without a result, to a word on its own cache line */
    run({1, 32}, [] __device__(unsigned *w, long long *t) {
        atomicAdd(&w[threadIdx.x * 32], 1u);
        atomicAdd(&w[threadIdx.x * 32 + 1], 1u);
        t[threadIdx.x] = 0;
    });
    equals(machine_get_counters()->requests, 3, "a warp goes on with all lanes after an atomic");
}

static void check_spread()
{
    machine_description d = machine_of_turns();
    long long least = GLOBAL, most = GLOBAL, first[2];
    d.global_spread = 30;
    install(d);
    for (long long &time : first)
        time = time_in({1, 1}, [] __device__(unsigned *w, long long *t) {
            for (unsigned i = 0; i < 64; i++) {
                long long begin = clock64();
                begin += ((const volatile unsigned *)w)[i * 32];
                t[i] = clock64() - begin;
            }
        });
    for (unsigned i = 0; i < 64; i++) {
        least = times[i] < least ? times[i] : least;
        most = times[i] > most ? times[i] : most;
    }
    within(least, GLOBAL - 30, GLOBAL - 21, "loads take less time from some lines");
    within(most, GLOBAL + 21, GLOBAL + 39, "and more from others");
    equals(first[1], first[0], "and always as long from one line");
}

int main()
{
    check_turns();
    check_fences();
    check_sleeps();
    check_votes();
    check_divisions();
    check_polls();
    check_arrivals();
    check_spread();
    return checks_done();
}
